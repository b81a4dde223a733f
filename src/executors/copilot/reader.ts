// Reads Copilot CLI's JSON events. Most of its lines are ephemeral: pieces of messages that follow as a whole.

import type { AgentEvent } from "../../domain/agent-event.ts";
import { type Failure, isDenial } from "../stream/failure.ts";
import { type Fields, fieldsOf, numberOf, textOf } from "../stream/fields.ts";
import { type NewReader, shown } from "../stream/reader.ts";
import { StreamState } from "../stream/stream-state.ts";

export const copilotReader: NewReader = (now) => {
  const state = new StreamState(now);
  /** An error after which no message came. */
  let lastError: Failure | null = null;

  function message(data: Fields): readonly AgentEvent[] {
    lastError = null;
    const told = state.model === null ? [state.begins({ model: data["model"] })] : [];
    const text = textOf(data["content"]);
    // A message that only calls tools has an empty text.
    return text === "" ? told : [...told, state.says(text)];
  }

  function toolResult(data: Fields): readonly AgentEvent[] {
    const error = fieldsOf(data["error"]);
    const [id, why] = [textOf(data["toolCallId"]), textOf(error["message"])];
    const ok = data["success"] === true;
    const text = shown(why || textOf(fieldsOf(data["result"])["content"]));
    const events: AgentEvent[] = [{ type: "tool_result", id, ok, text }];
    const isRefused = error["code"] === "denied" || error["code"] === "rejected" || isDenial(why);
    if (!ok && isRefused) events.push(state.isDenied(id, textOf(data["toolName"]), why));
    return events;
  }

  function failed(data: Fields): readonly AgentEvent[] {
    lastError = state.failureFrom({
      message: textOf(data["message"]),
      status: numberOf(data["statusCode"]),
      names: [data["errorType"]],
    });
    return [state.complains(lastError)];
  }

  function result(event: Fields): readonly AgentEvent[] {
    const code = event["exitCode"];
    const begun = state.begins({ id: event["sessionId"] });
    const message = typeof code === "number" ? `exit code ${code}` : "its result has no exit code";
    const failure = code === 0 ? lastError : (lastError ?? state.failureFrom({ message }));
    return [begun, state.isOver(failure)];
  }

  return {
    noise: [
      '{"type":"assistant.message_delta"',
      '{"type":"assistant.tool_call_delta"',
      '{"type":"session.background_tasks_changed"',
      '{"type":"tool.execution_partial_result"',
      '{"type":"tool.shell_output"',
    ],
    read(event) {
      const fields = fieldsOf(event);
      const data = fieldsOf(fields["data"]);
      switch (fields["type"]) {
        case "assistant.turn_start":
          state.continues();
          return [];
        case "assistant.message":
          return message(data);
        case "tool.execution_start": {
          const [id, name] = [textOf(data["toolCallId"]), textOf(data["toolName"])];
          return [{ type: "tool_call", id, name, input: data["arguments"] }];
        }
        case "tool.execution_complete":
          return toolResult(data);
        case "assistant.turn_retry": {
          const reason = textOf(data["reason"]);
          const { kind } = state.failureFrom({ message: reason, names: [reason] });
          return [{ type: "retry", kind, attempt: null, waitMs: null, message: reason }];
        }
        case "session.error":
          return failed(data);
        case "result":
          return result(fields);
        default:
          return [];
      }
    },
    end: (exit) => state.reading(exit),
  };
};
