// Reads the Agent Client Protocol, as it is recorded: `{ dir, m }`, with `dir` ">" for messages to the agent. A message without `dir`
// comes from the agent. conversation.ts speaks the protocol.

import type { AgentEvent } from "../../domain/agent-event.ts";
import { type Failure, isDenial } from "../stream/failure.ts";
import { contentText, countOf, type Fields, fieldsOf, listOf, nameOf, numberOf, textOf } from "../stream/fields.ts";
import { type NewReader, shown } from "../stream/reader.ts";
import { noTokens, StreamState, sumOf, type Tokens } from "../stream/stream-state.ts";

/** The protocol's code for "authentication required". */
const authRequired = -32000;
/** Requests of the agent that wait for Pawl's answer; it sends one at a time. */
const mostQuestions = 100;
/** Requests that reopen a session: updates before their answer are its history. */
const reopening: ReadonlySet<unknown> = new Set(["session/load", "session/resume"]);

export const acpReader: NewReader = (now) => {
  const state = new StreamState(now);
  const questions = new Map<unknown, Fields>();
  /** Pawl's request to reopen a session until it is answered, and that session. */
  let reopened: { readonly request: unknown; readonly session: unknown } | null = null;
  let hasCalledTools = false;
  /** Some agents report apart from their answer that a turn has failed, and end it as if it had not. */
  let trouble: { readonly isFinal: boolean; readonly status: number | null; readonly message: string } | null = null;

  function fromAgent(message: Fields): readonly AgentEvent[] {
    const params = fieldsOf(message["params"]);
    if (message["method"] === "session/update") return reopened === null ? update(fieldsOf(params["update"])) : [];
    if (message["method"] === "session/request_permission" || message["method"] === "fs/write_text_file") {
      if (questions.size < mostQuestions) questions.set(message["id"], params);
      return [];
    }
    if (message["method"] !== undefined) return [];
    if (reopened !== null && message["id"] === reopened.request) return reopens(message);
    if (message["error"] !== undefined) return [state.isOver(protocolError(fieldsOf(message["error"])))];
    return answer(fieldsOf(message["result"]));
  }

  function toAgent(message: Fields): readonly AgentEvent[] {
    const { id, method } = message;
    if (method !== undefined) return asks(id, method, fieldsOf(message["params"]));
    const question = questions.get(id);
    questions.delete(id);
    if (question === undefined) return [];
    return question["path"] === undefined ? permits(question, message) : writes(question, message);
  }

  function asks(id: unknown, method: unknown, params: Fields): readonly AgentEvent[] {
    if (method === "session/prompt") state.continues();
    if (reopening.has(method)) reopened = { request: id, session: params["sessionId"] };
    // The answer to these requests may be empty.
    if (method === "session/set_model") return ranOn(params["modelId"]);
    return method === "session/set_config_option" && params["configId"] === "model" ? ranOn(params["value"]) : [];
  }

  function permits(question: Fields, message: Fields): readonly AgentEvent[] {
    const outcome = fieldsOf(fieldsOf(message["result"])["outcome"]);
    const chosen = listOf(question["options"])
      .map(fieldsOf)
      .find((option) => option["optionId"] === outcome["optionId"]);
    if (outcome["outcome"] === "selected" && !textOf(chosen?.["kind"]).startsWith("reject")) return [];
    const call = fieldsOf(question["toolCall"]);
    return [state.isDenied(textOf(call["toolCallId"]), callName(call), textOf(call["title"]))];
  }

  function writes(question: Fields, message: Fields): readonly AgentEvent[] {
    if (message["error"] === undefined) return [];
    const path = textOf(question["path"]);
    return [state.isDenied(`write ${path}`, `writing ${path}`, textOf(fieldsOf(message["error"])["message"]))];
  }

  /** If the agent cannot reopen it, Pawl asks for a new session; that is not an error. */
  function reopens(message: Fields): readonly AgentEvent[] {
    const session = message["error"] === undefined ? reopened?.session : null;
    reopened = null;
    return session === null ? [] : answer({ sessionId: session, ...fieldsOf(message["result"]) });
  }

  /** An answer that opens or prepares a session, or that to `session/prompt`; each has keys of its own. */
  function answer(result: Fields): readonly AgentEvent[] {
    if (typeof result["stopReason"] === "string") return stopped(result, result["stopReason"]);
    const agent = fieldsOf(result["agentInfo"]);
    if (nameOf(agent["version"]) !== null) return [state.begins({ version: agent["version"] })];
    const option = listOf(result["configOptions"])
      .map(fieldsOf)
      .find(({ id }) => id === "model");
    const model = nameOf(fieldsOf(result["models"])["currentModelId"]) ?? option?.["currentValue"];
    if (nameOf(result["sessionId"]) === null) return ranOn(model);
    return [state.begins({ id: result["sessionId"], model })];
  }

  function update(told: Fields): readonly AgentEvent[] {
    switch (told["sessionUpdate"]) {
      case "agent_message_chunk":
        return chunk(told);
      case "tool_call":
        hasCalledTools = true;
        state.said.pause();
        return [{ type: "tool_call", id: textOf(told["toolCallId"]), name: callName(told), input: told["rawInput"] }];
      case "tool_call_update":
        return toolUpdate(told);
      case "usage_update":
        return used(told);
      case "session_info_update":
        return Object.values(fieldsOf(told["_meta"])).map(fieldsOf).flatMap(vendorInfo);
      default:
        return [];
    }
  }

  function chunk(told: Fields): readonly AgentEvent[] {
    const usage = fieldsOf(told["_meta"])["usage"];
    // Some agents report the usage of each message with an empty piece of text.
    const events = typeof usage === "object" && usage !== null ? [addTokens(fieldsOf(usage))] : [];
    const text = textOf(fieldsOf(told["content"])["text"]);
    if (text === "" || isModeNotice(text)) return events;
    return [...events, state.saysMore(text, nameOf(told["messageId"]))];
  }

  function toolUpdate(told: Fields): readonly AgentEvent[] {
    hasCalledTools = true;
    state.said.pause();
    const status = told["status"];
    if (status !== "completed" && status !== "failed") return [];
    const text = listOf(told["content"])
      .map((block) => contentText([fieldsOf(fieldsOf(block)["content"])]))
      .join("");
    const [id, ok] = [textOf(told["toolCallId"]), status === "completed"];
    const result: AgentEvent = { type: "tool_result", id, ok, text: shown(text) };
    // An agent whose own rules refuse a call does not ask Pawl.
    return ok || !isDenial(text) ? [result] : [result, state.isDenied(id, callName(told), text)];
  }

  function used(told: Fields): readonly AgentEvent[] {
    const cost = fieldsOf(told["cost"]);
    const [, model] = Object.entries(fieldsOf(told["_meta"])).find(([key]) => key.endsWith("/model")) ?? [];
    const named = ranOn(model);
    if (cost["currency"] !== "USD") return named;
    return [...named, state.uses(state.tokens, numberOf(cost["amount"]))];
  }

  function addTokens(usage: Fields): AgentEvent {
    return state.uses(sumOf(state.tokens, tokensOf(usage)), state.costUsd);
  }

  /** What an agent adds to the protocol below its own name. */
  function vendorInfo(info: Fields): readonly AgentEvent[] {
    const error = fieldsOf(info["error"]);
    const [status] = Object.values(error)
      .flatMap((part) => Object.values(fieldsOf(part)))
      .map((part) => numberOf(fieldsOf(part)["httpStatusCode"]))
      .filter((code) => code !== null);
    const message = [textOf(error["message"]), textOf(error["additionalDetails"])].filter(Boolean).join(": ");
    if (message !== "") trouble = { isFinal: error["willRetry"] !== true, status: status ?? null, message };
    if (fieldsOf(info["threadStatus"])["type"] === "systemError")
      trouble = { status: null, message: "", ...trouble, isFinal: true };
    if (message === "" || trouble === null) return [];
    const { kind } = state.failureFrom(trouble);
    if (trouble.isFinal) return [{ type: "error", kind, message }];
    return [{ type: "retry", kind, attempt: null, waitMs: null, message }];
  }

  function stopped(result: Fields, reason: string): readonly AgentEvent[] {
    const quota = fieldsOf(fieldsOf(result["_meta"])["quota"]);
    const usage = [result["usage"], quota["token_count"]].map(fieldsOf).find((told) => Object.keys(told).length > 0);
    // The answer counts the whole prompt, including what was added up before.
    const tokens = usage === undefined ? state.tokens : tokensOf(usage);
    const [model] = listOf(quota["model_usage"]).map((told) => fieldsOf(told)["model"]);
    const counted = state.uses(tokens, state.costUsd);
    return [...ranOn(model), counted, state.isOver(failureOf(reason, result))];
  }

  /** The choice may be called "default"; this is the model that did the work. */
  function ranOn(model: unknown): readonly AgentEvent[] {
    return nameOf(model) === null || model === state.model ? [] : [state.begins({ model })];
  }

  function failureOf(reason: string, result: Fields): Failure | null {
    if (reason === "end_turn") return disguised(result);
    const message = `it stopped with ${reason}`;
    return state.failureFrom({ message, names: [reason === "max_tokens" ? "max_turn_requests" : reason] });
  }

  /** Some agents end their turn normally when their API failed, and print the error as their answer. */
  function disguised(result: Fields): Failure | null {
    const text = state.said.text.trim();
    if (trouble?.isFinal) return state.failureFrom({ message: text || trouble.message, status: trouble.status });
    if (hasCalledTools || state.tokens.outputTokens > 0) return null;
    const failure = state.failureFrom({ message: text });
    if (/^(?:API )?error\b/i.test(text)) return failure;
    return result["usage"] === null && failure.kind !== "other" ? failure : null;
  }

  function protocolError(error: Fields): Failure {
    const [code, data] = [numberOf(error["code"]), fieldsOf(error["data"])];
    return state.failureFrom({
      message: [textOf(error["message"]), textOf(data["details"]) || textOf(error["data"])].filter(Boolean).join(": "),
      status: code !== null && code >= 400 && code <= 599 ? code : null,
      names: [data["errorKind"], ...(code === authRequired ? ["auth_required"] : [])],
    });
  }

  return {
    noise: [],
    read(event) {
      const fields = fieldsOf(event);
      if (typeof fields["m"] !== "object" || fields["m"] === null) return fromAgent(fields);
      return fields["dir"] === ">" ? toAgent(fieldsOf(fields["m"])) : fromAgent(fieldsOf(fields["m"]));
    },
    end: (exit) => state.reading(exit),
  };
};

/** Agents count the cache as part of the input or beside it; the total shows which. */
function tokensOf(usage: Fields): Tokens {
  const inputTokens = countOf(usage["inputTokens"] ?? usage["input_tokens"]);
  const outputTokens = countOf(usage["outputTokens"] ?? usage["output_tokens"]);
  const cacheReadTokens = countOf(usage["cachedReadTokens"] ?? usage["cachedInputTokens"]);
  const isIn = cacheReadTokens > 0 && inputTokens + outputTokens === countOf(usage["totalTokens"]);
  return {
    ...noTokens,
    inputTokens: isIn ? Math.max(0, inputTokens - cacheReadTokens) : inputTokens + countOf(usage["cachedWriteTokens"]),
    cacheReadTokens,
    outputTokens,
  };
}

function callName(call: Fields): string {
  return nameOf(call["name"]) ?? nameOf(fieldsOf(call["_meta"])["toolName"]) ?? textOf(call["title"]);
}

/** Some agents say in the middle of their text that a permission changed their mode. */
function isModeNotice(text: string): boolean {
  return /^\[MODE_UPDATE\] \w+$/.test(text);
}
