// Reads Gemini CLI's stream-json events.

import type { AgentEvent, FailureKind } from "../../domain/agent-event.ts";
import { isDenial } from "../stream/failure.ts";
import { type Fields, fieldsOf, textOf } from "../stream/fields.ts";
import { type NewReader, shown } from "../stream/reader.ts";
import { StreamState, withoutCached } from "../stream/stream-state.ts";

/** Exit codes before it prints anything. */
const exitCodes: Readonly<Record<number, FailureKind>> = { 41: "auth", 53: "max_turns" };

export const geminiReader: NewReader = (now) => {
  const state = new StreamState(now);

  function toolResult(event: Fields): readonly AgentEvent[] {
    const [id, why] = [textOf(event["tool_id"]), textOf(fieldsOf(event["error"])["message"])];
    const ok = event["status"] === "success";
    const events: AgentEvent[] = [{ type: "tool_result", id, ok, text: shown(why || textOf(event["output"])) }];
    if (!ok && isDenial(why)) events.push(state.isDenied(id, textOf(event["tool_name"]), why));
    return events;
  }

  function result(event: Fields): readonly AgentEvent[] {
    const stats = fieldsOf(event["stats"]);
    const used = state.uses(withoutCached(stats["input_tokens"], stats["cached"], stats["output_tokens"]), null);
    if (event["status"] === "success") return [used, state.isOver(null)];
    const error = fieldsOf(event["error"]);
    const failure = state.failureFrom({ message: textOf(error["message"]), names: [error["type"]] });
    return [used, state.isOver(failure)];
  }

  return {
    noise: [],
    read(event) {
      const fields = fieldsOf(event);
      switch (fields["type"]) {
        case "init":
          state.continues();
          return [state.begins({ id: fields["session_id"], model: fields["model"] })];
        case "message": {
          if (fields["role"] !== "assistant") return [];
          const text = textOf(fields["content"]);
          return [fields["delta"] === true ? state.saysMore(text) : state.says(text)];
        }
        case "tool_use": {
          state.said.pause();
          const [id, name] = [textOf(fields["tool_id"]), textOf(fields["tool_name"])];
          return [{ type: "tool_call", id, name, input: fields["parameters"] }];
        }
        case "tool_result":
          state.said.pause();
          return toolResult(fields);
        case "error":
          // Also its warnings, such as those about loops; a fatal error comes with the result.
          return [state.complains(state.failureFrom({ message: textOf(fields["message"]) }))];
        case "result":
          return result(fields);
        default:
          return [];
      }
    },
    end: (exit) => state.reading(exit, exitCodes),
  };
};
