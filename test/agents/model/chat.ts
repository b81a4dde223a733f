// OpenAI's chat completions API: reads and answers OpenCode's requests, as any compatible provider does.

import { type Conversation, type Move, type Refusal, type Turn, used } from "./conversation.ts";
import { callFor } from "./tools.ts";
import {
  type Answer,
  type Json,
  listOf,
  newId,
  objectOf,
  refused,
  streamed,
  stringOf,
  textIn,
  type Wire,
} from "./wire.ts";

export const chat: Wire = {
  path: "/v1/chat/completions",
  read: (body) => ({
    system: listOf(body["messages"])
      .filter(({ role }) => role === "system")
      .map(({ content }) => textIn(content))
      .join("\n"),
    turns: listOf(body["messages"]).flatMap(turnsOf),
    tools: listOf(body["tools"]).map((tool) => ({
      name: stringOf(objectOf(tool["function"])["name"]),
      namespace: null,
    })),
  }),
  answer: (move, conversation) => (move.does === "refuse" ? refusal(move.as) : said(move, conversation)),
};

function turnsOf({ role, content, tool_calls: calls }: Json): readonly Turn[] {
  if (role === "tool") return [{ by: "tool", text: textIn(content) }];
  if (role === "user") return [{ by: "user", text: textIn(content) }];
  if (role !== "assistant") return [];
  const text = textIn(content);
  const called = listOf(calls).map(
    (call): Turn => ({ by: "call", tool: stringOf(objectOf(call["function"])["name"]) }),
  );
  return [...(text === "" ? [] : [{ by: "model", text } as const]), ...called];
}

function said(move: Exclude<Move, { does: "refuse" }>, conversation: Conversation): Answer {
  const isText = move.does === "say";
  const delta = isText ? { content: move.text } : { tool_calls: [toolCall(move, conversation)] };
  const usage = {
    prompt_tokens: used.fresh + used.cached,
    completion_tokens: used.written,
    total_tokens: used.fresh + used.cached + used.written,
    prompt_tokens_details: { cached_tokens: used.cached },
  };
  const common = { id: newId("chatcmpl"), object: "chat.completion.chunk", created: 1_700_000_000, model: "scripted" };
  const chunks = [
    { ...common, choices: [{ index: 0, delta: { role: "assistant", ...delta }, finish_reason: null }] },
    { ...common, choices: [{ index: 0, delta: {}, finish_reason: isText ? "stop" : "tool_calls" }] },
    { ...common, choices: [], usage },
  ];
  return streamed([...chunks.map((chunk) => `data: ${JSON.stringify(chunk)}`), "data: [DONE]"]);
}

function toolCall(move: Exclude<Move, { does: "refuse" | "say" }>, conversation: Conversation): object {
  const { tool, input } = callFor(move, conversation);
  const called = { name: tool.name, arguments: JSON.stringify(input) };
  return { index: 0, id: newId("call"), type: "function", function: called };
}

function refusal(as: Refusal): Answer {
  const error = (message: string, code: string) => ({ error: { message, type: "invalid_request_error", code } });
  switch (as.kind) {
    case "login":
      return refused(401, error("Incorrect API key provided.", "invalid_api_key"));
    case "limit":
      return refused(429, error("Rate limit reached. Please try again in 1s.", "rate_limit_exceeded"), {
        "retry-after": "1",
      });
    case "quota":
      return refused(429, error("You exceeded your current quota.", "insufficient_quota"));
  }
}
