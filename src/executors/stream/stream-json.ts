// Reads `stream-json`, a schema of events that several agents print, each in a dialect of its own.

import type { AgentEvent, FailureKind } from "../../domain/agent-event.ts";
import { contentText, countOf, type Fields, fieldsOf, listOf, nameOf, numberOf, textOf } from "./fields.ts";
import { type Reader, shown } from "./reader.ts";
import { instantOf } from "./reset-time.ts";
import type { ProcessExit } from "./stream-reading.ts";
import { noTokens, StreamState, sumOf, type Tokens } from "./stream-state.ts";

export interface Dialect {
  /** The key of the first event that has the agent's version. */
  readonly version: string;
  readonly exitCodes: Readonly<Record<number, FailureKind>>;
}

/** Messages of an agent and its sub-agents that may still be printed once more. */
const openMessages = 64;

export function streamJsonReader(now: () => number, dialect: Dialect): Reader {
  const state = new StreamState(now);
  /** What messages used that no result has counted yet: an agent that dies has no result. */
  const uncounted = new Map<string, Tokens>();
  let closed: Tokens = noTokens;
  let counted: Tokens = noTokens;

  /** The same message is printed once for each of its parts, with its usage so far. */
  function counts(message: Fields): readonly AgentEvent[] {
    const id = nameOf(message["id"]);
    if (id === null || typeof message["usage"] !== "object" || message["usage"] === null) return [];
    uncounted.set(id, tokensOf(fieldsOf(message["usage"])));
    const [[oldest, tokens] = ["", noTokens]] = uncounted;
    if (uncounted.size > openMessages) {
      uncounted.delete(oldest);
      closed = sumOf(closed, tokens);
    }
    return [state.uses([...uncounted.values()].reduce(sumOf, sumOf(counted, closed)), state.costUsd)];
  }

  function system(event: Fields): readonly AgentEvent[] {
    switch (event["subtype"]) {
      case "init":
        state.continues();
        return [state.begins({ id: event["session_id"], model: event["model"], version: event[dialect.version] })];
      case "api_retry": {
        const [status, name] = [numberOf(event["error_status"]), textOf(event["error"])];
        // A failed connection has no status and no name.
        const names = status === null && name === "unknown" ? ["connection_failed"] : [name];
        return [
          {
            type: "retry",
            kind: state.failureFrom({ message: name, status, names }).kind,
            attempt: numberOf(event["attempt"]),
            waitMs: numberOf(event["retry_delay_ms"]),
            message: status === null ? name : `${status} ${name}`,
          },
        ];
      }
      case "permission_denied":
        return [state.isDenied(textOf(event["tool_use_id"]), textOf(event["tool_name"]), textOf(event["message"]))];
      default:
        return [];
    }
  }

  function assistant(event: Fields): readonly AgentEvent[] {
    const message = fieldsOf(event["message"]);
    // An API error in the form of a message is not what the model said; the result has it.
    if (event["is_api_error_message"] === true || message["model"] === "<synthetic>") return [];
    const isSubAgent = nameOf(event["parent_tool_use_id"]) !== null;
    if (!isSubAgent) state.continues();
    const events: AgentEvent[] = [...counts(message)];
    for (const block of listOf(message["content"]).map(fieldsOf)) {
      if (block["type"] === "tool_use")
        events.push({
          type: "tool_call",
          id: textOf(block["id"]),
          name: textOf(block["name"]),
          input: block["input"],
        });
      else if (block["type"] === "text" && !isSubAgent) events.push(state.says(textOf(block["text"])));
    }
    return events;
  }

  function user(event: Fields): readonly AgentEvent[] {
    const events: AgentEvent[] = [];
    for (const block of listOf(fieldsOf(event["message"])["content"]).map(fieldsOf)) {
      if (block["type"] !== "tool_result") continue;
      events.push({
        type: "tool_result",
        id: textOf(block["tool_use_id"]),
        ok: block["is_error"] !== true,
        text: shown(contentText(block["content"])),
      });
    }
    return events;
  }

  function rateLimit(info: Fields): readonly AgentEvent[] {
    const status = textOf(info["status"]);
    return [
      state.limit({
        status: status === "rejected" ? "rejected" : status.includes("warning") ? "warning" : "allowed",
        name: textOf(info["rateLimitType"]),
        resetsAt: instantOf(numberOf(info["resetsAt"])),
      }),
    ];
  }

  function result(event: Fields): readonly AgentEvent[] {
    const untold = listOf(event["permission_denials"])
      .map(fieldsOf)
      .filter((denial) => !state.hasDenied(textOf(denial["tool_use_id"])))
      .map((denial) => state.isDenied(textOf(denial["tool_use_id"]), textOf(denial["tool_name"]), ""));
    if (typeof event["result"] === "string") state.said.whole(event["result"]);
    const cost = numberOf(event["total_cost_usd"]) ?? state.costUsd;
    // A process may print several results: each has the cost of all of them and its own usage.
    counted = sumOf(counted, tokensOf(fieldsOf(event["usage"])));
    uncounted.clear();
    closed = noTokens;
    return [...untold, state.uses(counted, cost), state.isOver(failureOf(event))];
  }

  /** `subtype` is "success" even if the API failed: only `is_error` counts. */
  function failureOf(event: Fields) {
    if (event["is_error"] === false) return null;
    const errors = listOf(event["errors"]).map(textOf).join("; ");
    return state.failureFrom({
      message: nameOf(event["result"]) ?? nameOf(fieldsOf(event["error"])["message"]) ?? errors,
      status: numberOf(event["api_error_status"]),
      names: [event["api_error"], event["terminal_reason"], event["api_error_type"], event["subtype"]],
    });
  }

  return {
    // Pieces of messages that are repeated as a whole.
    noise: ['{"type":"stream_event"'],
    read(event) {
      const fields = fieldsOf(event);
      switch (fields["type"]) {
        case "system":
          return system(fields);
        case "assistant":
          return assistant(fields);
        case "user":
          return user(fields);
        case "rate_limit_event":
          return rateLimit(fieldsOf(fields["rate_limit_info"]));
        case "result":
          return result(fields);
        default:
          return [];
      }
    },
    end: (exit: ProcessExit) => state.reading(exit, dialect.exitCodes),
  };
}

/** Tokens written to the cache are new input; `input_tokens` does not include them. */
function tokensOf(usage: Fields): Tokens {
  return {
    inputTokens: countOf(usage["input_tokens"]) + countOf(usage["cache_creation_input_tokens"]),
    cacheReadTokens: countOf(usage["cache_read_input_tokens"]),
    outputTokens: countOf(usage["output_tokens"]),
  };
}
