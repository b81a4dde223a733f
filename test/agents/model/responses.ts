// OpenAI's Responses API: reads and answers Codex's requests.

import { type Conversation, type Move, type OfferedTool, type Refusal, type Turn, used } from "./conversation.ts";
import { callFor } from "./tools.ts";
import { type Answer, type Json, listOf, newId, refused, streamed, stringOf, textIn, type Wire } from "./wire.ts";

export const responses: Wire = {
  path: "/v1/responses",
  read: (body) => ({
    system: stringOf(body["instructions"]),
    turns: listOf(body["input"]).flatMap(turnsOf),
    tools: [...listOf(body["tools"]), ...found(body)].flatMap(toolsIn),
  }),
  answer: (move, conversation) => (move.does === "refuse" ? refusal(move.as) : said(move, conversation)),
};

const outputs = ["function_call_output", "custom_tool_call_output", "tool_search_output"];
const calls = ["function_call", "custom_tool_call", "tool_search_call"];

function turnsOf(item: Json): readonly Turn[] {
  const type = stringOf(item["type"]);
  if (calls.includes(type)) return [{ by: "call", tool: stringOf(item["name"]) || type }];
  if (outputs.includes(type)) return [{ by: "tool", text: textIn(item["output"]) || JSON.stringify(item) }];
  const { role, content } = item;
  if (role === "assistant") return [{ by: "model", text: textIn(content) }];
  return role === "user" || role === "developer" ? [{ by: "user", text: textIn(content) }] : [];
}

/** A tool search returns tools that were not offered at first. */
function found(body: Json): readonly Json[] {
  return listOf(body["input"])
    .filter(({ type }) => type === "tool_search_output")
    .flatMap(({ tools }) => listOf(tools));
}

function toolsIn(tool: Json): readonly OfferedTool[] {
  if (tool["type"] === "namespace")
    return listOf(tool["tools"]).map(({ name }) => ({ name: stringOf(name), namespace: stringOf(tool["name"]) }));
  return [{ name: stringOf(tool["name"]) || stringOf(tool["type"]), namespace: null }];
}

function said(move: Exclude<Move, { does: "refuse" }>, conversation: Conversation): Answer {
  const id = newId("resp");
  const item = move.does === "say" ? message(move.text) : toolItem(move, conversation);
  const usage = {
    input_tokens: used.fresh + used.cached,
    input_tokens_details: { cached_tokens: used.cached },
    output_tokens: used.written,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: used.fresh + used.cached + used.written,
  };
  return streamed(
    [
      { type: "response.created", response: { id } },
      { type: "response.output_item.added", output_index: 0, item: { ...item, status: "in_progress" } },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: { id, status: "completed", output: [item], usage } },
    ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}`),
  );
}

function message(text: string): object {
  const content = [{ type: "output_text", text, annotations: [] }];
  return { type: "message", id: newId("msg"), role: "assistant", status: "completed", content };
}

function toolItem(move: Exclude<Move, { does: "refuse" | "say" }>, conversation: Conversation): object {
  const { tool, input } = callFor(move, conversation);
  const call = { id: newId("fc"), call_id: newId("call"), status: "completed", name: tool.name };
  if (typeof input === "string") return { ...call, type: "custom_tool_call", input };
  if (move.does === "search") return { ...call, type: "tool_search_call", execution: "client", arguments: input };
  const namespace = tool.namespace === null ? {} : { namespace: tool.namespace };
  return { ...call, ...namespace, type: "function_call", arguments: JSON.stringify(input) };
}

function refusal(as: Refusal): Answer {
  switch (as.kind) {
    case "login":
      return refused(401, {
        error: { message: "Incorrect API key provided.", type: "invalid_request_error", code: "invalid_api_key" },
      });
    case "limit":
      return refused(
        429,
        {
          error: {
            message: "Rate limit reached. Please try again in 1s.",
            type: "requests",
            code: "rate_limit_exceeded",
          },
        },
        { "retry-after": "1" },
      );
    case "quota":
      return refused(429, {
        error: {
          type: "usage_limit_reached",
          message: "The usage limit has been reached",
          plan_type: "plus",
          resets_at: Math.floor(as.resetsAt / 1000),
        },
      });
  }
}
