// Reads Codex's JSON events. Its errors are sentences without a code; failure.ts classifies them.

import type { AgentEvent } from "../../domain/agent-event.ts";
import { isDenial } from "../stream/failure.ts";
import { contentText, type Fields, fieldsOf, nameOf, numberOf, textOf } from "../stream/fields.ts";
import { type NewReader, shown } from "../stream/reader.ts";
import { StreamState, withoutCached } from "../stream/stream-state.ts";

export const codexReader: NewReader = (now) => {
  const state = new StreamState(now);

  function completed(item: Fields): readonly AgentEvent[] {
    switch (item["type"]) {
      case "agent_message":
        return [state.says(textOf(item["text"]))];
      case "command_execution":
      case "file_change":
      case "mcp_tool_call":
      case "web_search":
        return toolResult(item);
      default:
        // An item of type `error` is only a warning.
        return [];
    }
  }

  function toolResult(item: Fields): readonly AgentEvent[] {
    const [id, why] = [textOf(item["id"]), textOf(fieldsOf(item["error"])["message"])];
    const output = textOf(item["aggregated_output"]) || contentText(fieldsOf(item["result"])["content"]);
    const exitCode = numberOf(item["exit_code"]);
    const events: AgentEvent[] = [
      {
        type: "tool_result",
        id,
        ok: item["status"] === "completed",
        text: shown(why || output),
        ...(exitCode === null ? {} : { exitCode }),
      },
    ];
    if (item["status"] === "declined" || isDenial(why)) events.push(state.isDenied(id, toolName(item), why));
    return events;
  }

  function error(message: string): AgentEvent {
    const retry = /^Reconnecting\W*(\d+)?/i.exec(message);
    const failure = state.failureFrom({ message });
    if (!retry) return state.complains(failure);
    const attempt = retry[1] === undefined ? null : Number(retry[1]);
    return { type: "retry", kind: failure.kind, attempt, waitMs: null, message };
  }

  return {
    noise: ['{"type":"item.updated"'],
    read(event) {
      const fields = fieldsOf(event);
      const item = fieldsOf(fields["item"]);
      switch (fields["type"]) {
        case "thread.started":
          return [state.begins({ id: fields["thread_id"] })];
        case "turn.started":
          state.continues();
          return [];
        case "item.started":
          return [{ type: "tool_call", id: textOf(item["id"]), name: toolName(item), input: inputOf(item) }];
        case "item.completed":
          return completed(item);
        case "error":
          return [error(textOf(fields["message"]))];
        case "turn.completed": {
          const usage = fieldsOf(fields["usage"]);
          // Of the whole thread, not of the turn.
          const tokens = withoutCached(usage["input_tokens"], usage["cached_input_tokens"], usage["output_tokens"]);
          return [state.uses(tokens, null), state.isOver(null)];
        }
        case "turn.failed":
          return [state.isOver(state.failureFrom({ message: textOf(fieldsOf(fields["error"])["message"]) }))];
        default:
          return [];
      }
    },
    end: (exit) => state.reading(exit),
  };
};

function toolName(item: Fields): string {
  const tool = nameOf(item["tool"]);
  return tool === null ? textOf(item["type"]) : [nameOf(item["server"]), tool].filter(Boolean).join(".");
}

function inputOf(item: Fields): unknown {
  return item["command"] ?? item["changes"] ?? item["arguments"] ?? item["query"] ?? null;
}
