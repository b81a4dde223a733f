// Reads Goose's stream-json events. Goose exits with 0 even if it failed, and prints its errors as if the model had said them.

import type { AgentEvent } from "../../domain/agent-event.ts";
import { type Failure, isDenial } from "../stream/failure.ts";
import { contentText, countOf, type Fields, fieldsOf, listOf, nameOf, textOf } from "../stream/fields.ts";
import { type NewReader, shown } from "../stream/reader.ts";
import { StreamState } from "../stream/stream-state.ts";

const errorMark = "Ran into this error: ";

export const gooseReader: NewReader = (now) => {
  const state = new StreamState(now);

  function block(content: Fields, message: Fields): readonly AgentEvent[] {
    switch (content["type"]) {
      case "text":
        if (message["role"] !== "assistant") return [];
        return [state.saysMore(textOf(content["text"]), nameOf(message["id"]))];
      case "toolRequest": {
        state.said.pause();
        const call = fieldsOf(fieldsOf(content["toolCall"])["value"]);
        return [{ type: "tool_call", id: textOf(content["id"]), name: textOf(call["name"]), input: call["arguments"] }];
      }
      case "toolResponse":
        state.said.pause();
        return toolResult(content);
      default:
        return [];
    }
  }

  function toolResult(content: Fields): readonly AgentEvent[] {
    const id = textOf(content["id"]);
    const result = fieldsOf(content["toolResult"]);
    const value = fieldsOf(result["value"]);
    const ok = result["status"] === "success" && value["isError"] !== true;
    const text = contentText(value["content"]) || textOf(result["error"]);
    const events: AgentEvent[] = [{ type: "tool_result", id, ok, text: shown(text) }];
    if (isDenial(text) && (!ok || text.length < 500)) events.push(state.isDenied(id, "", text));
    return events;
  }

  function complete(event: Fields): readonly AgentEvent[] {
    const tokens = {
      inputTokens: countOf(event["input_tokens"]),
      cacheReadTokens: 0,
      outputTokens: countOf(event["output_tokens"]),
    };
    return [state.uses(tokens, null), state.isOver(failureIn(state.said.text))];
  }

  /** The error is appended to what the model said before, and ends with advice of Goose's own. */
  function failureIn(text: string): Failure | null {
    const error = text.lastIndexOf(errorMark);
    const advice = error === -1 ? -1 : text.indexOf("Please retry if you think", error);
    if (error === 0 || advice !== -1)
      return state.failureFrom({
        message: text.slice(error + errorMark.length, advice === -1 ? undefined : advice),
      });
    if (/^I['’]ve reached the maximum number of actions/.test(text))
      return state.failureFrom({ message: text.slice(0, 200), names: ["max_turns"] });
    return null;
  }

  return {
    noise: [],
    read(event) {
      const fields = fieldsOf(event);
      const message = fieldsOf(fields["message"]);
      switch (fields["type"]) {
        case "message":
          state.continues();
          return listOf(message["content"]).flatMap((content) => block(fieldsOf(content), message));
        case "error": {
          const failure = state.failureFrom({ message: textOf(fields["error"]) || textOf(fields["message"]) });
          return [state.complains(failure)];
        }
        case "complete":
          return complete(fields);
        default:
          return [];
      }
    },
    end: (exit) => state.reading(exit),
  };
};
