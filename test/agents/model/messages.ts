// Anthropic's Messages API: reads and answers Claude Code's requests.

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

export const messages: Wire = {
  path: "/v1/messages",
  read: (body) => ({
    system: textIn(body["system"]),
    turns: listOf(body["messages"]).flatMap(turnsOf),
    tools: listOf(body["tools"]).map(({ name }) => ({ name: stringOf(name), namespace: null })),
  }),
  answer: (move, conversation) => (move.does === "refuse" ? refusal(move.as) : said(move, conversation)),
};

function turnsOf({ role, content }: Json): readonly Turn[] {
  if (typeof content === "string") return [{ by: role === "assistant" ? "model" : "user", text: content }];
  return listOf(content).flatMap((block): readonly Turn[] => {
    if (block["type"] === "text")
      return [{ by: role === "assistant" ? "model" : "user", text: stringOf(block["text"]) }];
    if (block["type"] === "tool_use") return [{ by: "call", tool: stringOf(block["name"]) }];
    return block["type"] === "tool_result" ? [{ by: "tool", text: textIn(block["content"]) }] : [];
  });
}

function said(move: Exclude<Move, { does: "refuse" }>, conversation: Conversation): Answer {
  const isText = move.does === "say";
  const usage = {
    input_tokens: used.fresh,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: used.cached,
    output_tokens: used.written,
  };
  const message = {
    id: newId("msg"),
    type: "message",
    role: "assistant",
    model: "claude-opus-5-5",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usage, output_tokens: 1 },
  };
  const events: readonly StreamEvent[] = [
    { type: "message_start", message },
    ...(isText ? textBlock(move.text) : toolBlock(move, conversation)),
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: isText ? "end_turn" : "tool_use", stop_sequence: null }, usage },
    { type: "message_stop" },
  ];
  return streamed(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}`));
}

type StreamEvent = { readonly type: string } & Json;

function textBlock(text: string): readonly StreamEvent[] {
  return [
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
  ];
}

function toolBlock(
  move: Exclude<Move, { does: "refuse" | "say" }>,
  conversation: Conversation,
): readonly StreamEvent[] {
  const { tool, input } = callFor(move, conversation);
  const block = { type: "tool_use", id: newId("toolu"), name: tool.name, input: {} };
  const delta = { type: "input_json_delta", partial_json: JSON.stringify(objectOf(input)) };
  return [
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_delta", index: 0, delta },
  ];
}

function refusal(as: Refusal): Answer {
  const error = (type: string, message: string) => ({
    type: "error",
    error: { type, message },
    request_id: newId("req"),
  });
  switch (as.kind) {
    case "login":
      return refused(401, error("authentication_error", "invalid x-api-key"));
    case "limit":
      return refused(
        429,
        error("rate_limit_error", "Number of request tokens has exceeded your per-minute rate limit"),
        {
          "retry-after": "1",
        },
      );
    case "quota":
      // The headers for a subscription; Claude Code reads them only with such a login.
      return refused(429, error("rate_limit_error", "This request would exceed your account's rate limit."), {
        "anthropic-ratelimit-unified-status": "rejected",
        "anthropic-ratelimit-unified-reset": String(Math.floor(as.resetsAt / 1000)),
        "anthropic-ratelimit-unified-representative-claim": "five_hour",
        "anthropic-ratelimit-unified-5h-status": "rejected",
        "anthropic-ratelimit-unified-5h-reset": String(Math.floor(as.resetsAt / 1000)),
        "anthropic-ratelimit-unified-5h-utilization": "1.0",
        "anthropic-ratelimit-unified-overage-status": "rejected",
      });
  }
}
