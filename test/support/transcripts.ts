// Transcripts for tests: what each agent prints in a short run with a tool call and an answer, and how to read a transcript.

import type { AgentEvent } from "../../src/domain/agent-event.ts";
import { agentStream } from "../../src/executors/stream/agent-stream.ts";
import type { NewReader } from "../../src/executors/stream/reader.ts";
import type { ProcessExit, StreamReading } from "../../src/executors/stream/stream-reading.ts";

export const transcripts: Readonly<Record<string, readonly object[]>> = {
  claude: [
    { type: "system", subtype: "init", session_id: "s-1", model: "claude-opus-5-5", claude_code_version: "2.1.325" },
    assistant({ type: "text", text: "I look." }),
    assistant({ type: "tool_use", id: "t-1", name: "Bash", input: { command: "ls" } }),
    { type: "user", message: { content: [{ type: "tool_result", tool_use_id: "t-1", content: [{ text: "a.ts" }] }] } },
    assistant({ type: "text", text: "STATUS: done" }),
    {
      usage: { input_tokens: 30, cache_creation_input_tokens: 5, cache_read_input_tokens: 15, output_tokens: 10 },
      total_cost_usd: 0.1 + 0.2,
      result: "STATUS: done",
      permission_denials: [],
      subtype: "success",
      is_error: false,
      type: "result",
    },
  ],
  codex: [
    { type: "thread.started", thread_id: "s-1" },
    { type: "turn.started" },
    { type: "item.completed", item: { id: "i-0", type: "error", message: "Model metadata for `m` not found." } },
    { type: "item.started", item: { id: "i-1", type: "command_execution", command: "ls", status: "in_progress" } },
    {
      type: "item.completed",
      item: { id: "i-1", type: "command_execution", command: "ls", aggregated_output: "a.ts", status: "completed" },
    },
    { type: "item.completed", item: { id: "i-2", type: "agent_message", text: "STATUS: done" } },
    { type: "turn.completed", usage: { input_tokens: 50, cached_input_tokens: 15, output_tokens: 10 } },
  ],
  opencode: [
    { type: "step_start", timestamp: 1_794_775_202_775, sessionID: "s-1", part: { type: "step-start" } },
    {
      type: "tool_use",
      sessionID: "s-1",
      part: { tool: "bash", callID: "t-1", state: { status: "completed", input: { command: "ls" }, output: "a.ts" } },
    },
    stepFinish("tool-calls", { input: 20, read: 5, output: 5 }),
    { type: "step_start", sessionID: "s-1", part: {} },
    { type: "text", sessionID: "s-1", part: { type: "text", text: "STATUS: done" } },
    { type: "text", sessionID: "s-1", part: { type: "text", text: "a reminder", synthetic: true } },
    stepFinish("stop", { input: 15, read: 10, output: 5 }),
  ],
  gemini: [
    { type: "init", session_id: "s-1", model: "gemini-2.5-pro" },
    { type: "message", role: "user", content: "do it" },
    { type: "message", role: "assistant", content: "I look.", delta: true },
    { type: "tool_use", tool_name: "run_shell_command", tool_id: "t-1", parameters: { command: "ls" } },
    { type: "tool_result", tool_id: "t-1", status: "success", output: "a.ts" },
    { type: "message", role: "assistant", content: "STATUS", delta: true },
    { type: "message", role: "assistant", content: ": done", delta: true },
    { type: "result", status: "success", stats: { input_tokens: 50, cached: 15, input: 35, output_tokens: 10 } },
  ],
  qwen: [
    { type: "system", subtype: "init", session_id: "s-1", model: "qwen3", qwen_code_version: "0.24.4" },
    { type: "stream_event", event: { type: "goal_state" } },
    assistant({ type: "tool_use", id: "t-1", name: "run_shell_command", input: { command: "ls" } }),
    { type: "user", message: { content: [{ type: "tool_result", tool_use_id: "t-1", content: "a.ts" }] } },
    assistant({ type: "text", text: "STATUS: done" }),
    {
      type: "result",
      subtype: "success",
      is_error: false,
      result: "STATUS: done",
      usage: { input_tokens: 35, output_tokens: 10, cache_read_input_tokens: 15 },
    },
  ],
  copilot: [
    { type: "session.tools_updated", data: { model: "gpt-4" }, ephemeral: true },
    { type: "assistant.turn_start", data: {} },
    { type: "assistant.message_delta", data: { deltaContent: "ST" }, ephemeral: true },
    { type: "assistant.message", data: { model: "gpt-4", content: "", toolRequests: [{ toolCallId: "t-1" }] } },
    { type: "tool.execution_start", data: { toolCallId: "t-1", toolName: "bash", arguments: { command: "ls" } } },
    { type: "tool.execution_complete", data: { toolCallId: "t-1", success: true, result: { content: "a.ts" } } },
    { type: "assistant.message", data: { model: "gpt-4", content: "STATUS: done", toolRequests: [] } },
    { type: "result", sessionId: "s-1", exitCode: 0, usage: { premiumRequests: 0 } },
  ],
  goose: [
    gooseMessage("assistant", "m-1", { type: "text", text: "I look." }),
    gooseMessage("assistant", "m-1", {
      type: "toolRequest",
      id: "t-1",
      toolCall: { status: "success", value: { name: "shell", arguments: { command: "ls" } } },
    }),
    gooseMessage("user", "m-2", {
      type: "toolResponse",
      id: "t-1",
      toolResult: { status: "success", value: { content: [{ type: "text", text: "a.ts" }], isError: false } },
    }),
    gooseMessage("assistant", "m-3", { type: "text", text: "STATUS" }),
    gooseMessage("assistant", "m-3", { type: "text", text: ": done" }),
    { type: "complete", total_tokens: 60, input_tokens: 50, output_tokens: 10 },
  ],
  acp: [
    acp(">", { id: 0, method: "initialize", params: {} }),
    acp("<", { id: 0, result: { protocolVersion: 1, agentInfo: { name: "any", version: "1.2.3" } } }),
    acp(">", { id: 1, method: "session/new", params: {} }),
    acp("<", { id: 1, result: { sessionId: "s-1", models: { currentModelId: "some-model" } } }),
    acp(">", { id: 2, method: "session/prompt", params: {} }),
    acpUpdate({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "I look." } }),
    acpUpdate({ sessionUpdate: "tool_call", toolCallId: "t-1", title: "ls", rawInput: { command: "ls" } }),
    acp("<", {
      id: 0,
      method: "session/request_permission",
      params: {
        toolCall: { toolCallId: "t-1", title: "ls" },
        options: [
          { optionId: "yes", kind: "allow_once" },
          { optionId: "no", kind: "reject_once" },
        ],
      },
    }),
    acp(">", { id: 0, result: { outcome: { outcome: "selected", optionId: "yes" } } }),
    acpUpdate({
      sessionUpdate: "tool_call_update",
      toolCallId: "t-1",
      status: "completed",
      content: [{ type: "content", content: { type: "text", text: "a.ts" } }],
    }),
    acpUpdate({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "STATUS" } }),
    acpUpdate({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: ": done" } }),
    acpUpdate({ sessionUpdate: "usage_update", used: 60, size: 1000, cost: { amount: 0.3, currency: "USD" } }),
    acp("<", {
      id: 2,
      result: {
        stopReason: "end_turn",
        usage: { inputTokens: 35, cachedReadTokens: 15, outputTokens: 10, totalTokens: 60 },
      },
    }),
  ],
};

/** The reading of every transcript above. */
export const done = { ok: true, kind: null, text: "STATUS: done", denials: 0, message: "", resetsAt: null } as const;

export interface Listened {
  readonly reading: StreamReading;
  readonly events: readonly AgentEvent[];
}

export function listen(
  newReader: NewReader,
  printed: readonly object[] | Uint8Array,
  exit: ProcessExit = { code: 0 },
  now = 0,
): Listened {
  const events: AgentEvent[] = [];
  const stream = agentStream(
    newReader(() => now),
    (event) => events.push(event),
  );
  stream.write(printed instanceof Uint8Array ? printed : bytesOf(printed));
  return { reading: stream.end(exit), events };
}

export function bytesOf(lines: readonly object[]): Buffer {
  return Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

function assistant(block: object): object {
  return { type: "assistant", message: { model: "m", content: [block] }, parent_tool_use_id: null };
}

/** Reports cache writes and reasoning separately; both are counted. */
function stepFinish(reason: string, used: { input: number; read: number; output: number }): object {
  const cache = { read: used.read, write: 5 };
  const tokens = { input: used.input - 5, output: used.output - 2, reasoning: 2, cache };
  return { type: "step_finish", sessionID: "s-1", part: { reason, tokens, cost: 0.15 } };
}

function gooseMessage(role: string, id: string, content: object): object {
  return { type: "message", message: { id, role, content: [content], metadata: {} } };
}

function acp(dir: string, m: object): object {
  return { t: 1, dir, m: { jsonrpc: "2.0", ...m } };
}

function acpUpdate(update: object): object {
  return acp("<", { method: "session/update", params: { sessionId: "s-1", update } });
}
