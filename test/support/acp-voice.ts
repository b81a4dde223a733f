// The voice of an agent over ACP: the agent's side of the protocol, by hand, for one prompt in one session. It asks for permission
// before everything it does. Agents that misbehave are in acp-agent.ts.

import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";
import { type Call, type Doing, type Heard, limitText, tokensOf, usdOfAnswer, type Voice } from "./agent-voice.ts";

type Message = Readonly<Record<string, unknown>>;

const kinds: Readonly<Record<Doing["does"], string>> = {
  shell: "execute",
  write: "edit",
  complete: "other",
  search: "search",
};

export function acpVoice(): Voice {
  const sessionId = randomUUID();
  const answers = new Map<unknown, (message: Message) => void>();
  const prompted = Promise.withResolvers<Heard>();
  let servers: readonly Message[] = [];
  let promptId: unknown = null;

  const send = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const tell = (update: object) => send({ method: "session/update", params: { sessionId, update } });

  function heard(text: string): Heard {
    const [server] = servers.filter(({ name }) => name === "pawl");
    const headers = (server?.["headers"] ?? []) as readonly { readonly name: string; readonly value: string }[];
    const pairs = Object.fromEntries(headers.map(({ name, value }) => [name, value]));
    return { system: "", prompt: text, mcp: server ? { url: String(server["url"]), headers: pairs } : null };
  }

  function answer({ id, method, params }: Message): void {
    const fields = (params ?? {}) as Message;
    switch (method) {
      case "initialize": {
        const agentInfo = { name: "playing", version: "9.9.9" };
        const agentCapabilities = { mcpCapabilities: { http: true } };
        return void send({ id, result: { protocolVersion: 1, agentInfo, agentCapabilities } });
      }
      case "session/new":
        servers = (fields["mcpServers"] ?? []) as readonly Message[];
        return void send({ id, result: { sessionId } });
      case "session/prompt":
        promptId = id;
        return prompted.resolve(heard((fields["prompt"] as { text: string }[]).map(({ text }) => text).join("")));
      case "session/cancel":
        // Its shell keeps running: not every agent stops what it started.
        return void send({ id: promptId, result: { stopReason: "cancelled" } });
      default:
        return void send({ id, error: { code: -32601, message: "not supported" } });
    }
  }

  const lines = createInterface({ input: process.stdin });
  lines.on("line", (line) => {
    const message = JSON.parse(line) as Message;
    if (message["method"] !== undefined) return answer(message);
    answers.get(message["id"])?.(message);
  });
  lines.on("close", () => process.exit());

  async function isPermitted(toolCall: object): Promise<boolean> {
    const id = `ask-${answers.size}`;
    const answered = new Promise<Message>((resolve) => void answers.set(id, resolve));
    const options = ["allow_once", "reject_once"].map((kind) => ({ optionId: kind, kind, name: kind }));
    send({ id, method: "session/request_permission", params: { sessionId, toolCall, options } });
    const { outcome } = ((await answered)["result"] ?? {}) as { outcome?: { optionId?: string } };
    return outcome?.optionId === "allow_once";
  }

  const described = ({ id, doing, tool, input }: Call) => ({
    toolCallId: id,
    title: doing.does === "shell" ? doing.command : tool.name,
    kind: kinds[doing.does],
    rawInput: input,
  });

  return {
    tools: ["bash", "write"].map((name) => ({ name, namespace: null })),
    ours: (name) => ({ name: `pawl_${name}`, namespace: null }),
    hear: () => prompted.promise,
    async begins(call) {
      tell({ sessionUpdate: "tool_call", status: "pending", ...described(call) });
      return await isPermitted(described(call));
    },
    ends({ id }, { isAllowed, text }) {
      const content = [{ type: "content", content: { type: "text", text } }];
      const status = isAllowed ? "completed" : "failed";
      tell({ sessionUpdate: "tool_call_update", toolCallId: id, status, content });
    },
    says: (text) => void tell({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } }),
    leaves(count) {
      const { fresh, cached, written } = tokensOf(count);
      const cost = { amount: count * usdOfAnswer, currency: "USD" };
      tell({ sessionUpdate: "usage_update", used: fresh + cached, size: 200_000, cost });
      const total = fresh + cached + written;
      const usage = { inputTokens: fresh, cachedReadTokens: cached, outputTokens: written, totalTokens: total };
      send({ id: promptId, result: { stopReason: "end_turn", usage } });
    },
    isRateLimited() {
      send({ id: promptId, error: { code: -32603, message: limitText, data: { errorKind: "rate_limit" } } });
    },
  };
}
