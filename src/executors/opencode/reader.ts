// Reads OpenCode's JSON events. It has no last event: the end is a step that finished with `stop`, or an error.

import type { AgentEvent } from "../../domain/agent-event.ts";
import { isDenial } from "../stream/failure.ts";
import { countOf, type Fields, fieldsOf, numberOf, textOf } from "../stream/fields.ts";
import { type NewReader, shown } from "../stream/reader.ts";
import { instantOf } from "../stream/reset-time.ts";
import { StreamState, sumOf } from "../stream/stream-state.ts";

export const opencodeReader: NewReader = (now) => {
  const state = new StreamState(now);
  state.costUsd = 0;

  function tool(part: Fields): readonly AgentEvent[] {
    const call = fieldsOf(part["state"]);
    const [id, name, why] = [textOf(part["callID"]), textOf(part["tool"]), textOf(call["error"])];
    const ok = call["status"] === "completed";
    const exitCode = numberOf(fieldsOf(call["metadata"])["exit"]);
    const text = shown(why || textOf(call["output"]));
    const events: AgentEvent[] = [
      { type: "tool_call", id, name, input: call["input"] },
      { type: "tool_result", id, ok, text, ...(exitCode === null ? {} : { exitCode }) },
    ];
    if (!ok && isDenial(why)) events.push(state.isDenied(id, name, why));
    return events;
  }

  function stepFinished(part: Fields): readonly AgentEvent[] {
    const tokens = fieldsOf(part["tokens"]);
    const cache = fieldsOf(tokens["cache"]);
    const step = {
      inputTokens: countOf(tokens["input"]) + countOf(cache["write"]),
      cacheReadTokens: countOf(cache["read"]),
      outputTokens: countOf(tokens["output"]) + countOf(tokens["reasoning"]),
    };
    const costUsd = (state.costUsd ?? 0) + (numberOf(part["cost"]) ?? 0);
    const used = state.uses(sumOf(state.tokens, step), costUsd);
    return part["reason"] === "stop" ? [used, state.isOver(null)] : [used];
  }

  function error(event: Fields): readonly AgentEvent[] {
    const named = fieldsOf(event["error"]);
    const data = fieldsOf(named["data"]);
    const saidAt = numberOf(event["timestamp"]);
    const failure = state.failureFrom({
      message: textOf(data["message"]) || textOf(named["name"]),
      status: numberOf(data["statusCode"]),
      names: [named["name"]],
      ...(saidAt === null ? {} : { at: saidAt }),
    });
    const waitSeconds = Number(fieldsOf(data["responseHeaders"])["retry-after"]);
    const knowsWhen = failure.kind === "rate_limit" && failure.resetsAt === null && saidAt !== null && waitSeconds > 0;
    const told = knowsWhen ? { ...failure, resetsAt: instantOf(saidAt + waitSeconds * 1000) } : failure;
    return [{ type: "error", kind: told.kind, message: told.message }, state.isOver(told)];
  }

  return {
    noise: [],
    read(event) {
      const fields = fieldsOf(event);
      const part = fieldsOf(fields["part"]);
      const isNew = state.session === null && textOf(fields["sessionID"]) !== "";
      const session = isNew ? [state.begins({ id: fields["sessionID"] })] : [];
      switch (fields["type"]) {
        case "step_start":
          state.continues();
          return session;
        case "text":
          if (part["synthetic"] === true) return session;
          return [...session, state.says(textOf(part["text"]))];
        case "tool_use":
          return [...session, ...tool(part)];
        case "step_finish":
          return [...session, ...stepFinished(part)];
        case "error":
          return [...session, ...error(fields)];
        default:
          return session;
      }
    },
    end: (exit) => state.reading(exit),
  };
};
