// Voices of agents that are called with arguments and print events: where Claude Code, Codex and OpenCode find their prompt, their
// role and Pawl's tools, what they may do, and which events they print.

import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import type { OfferedTool } from "../agents/model/conversation.ts";
import { type Address, type Call, type Doing, limitText, tokensOf, usdOfAnswer, type Voice } from "./agent-voice.ts";

type Json = Readonly<Record<string, unknown>>;

const session = randomUUID();
const own = (...names: readonly string[]): readonly OfferedTool[] => names.map((name) => ({ name, namespace: null }));

function print(...events: readonly object[]): void {
  process.stdout.write(events.map((event) => `${JSON.stringify(event)}\n`).join(""));
}

export function claudeVoice(args: readonly string[]): Voice {
  const after = (flag: string) => valueAfter(args, flag);
  const fileAfter = (flag: string) => readIfNamed(after(flag));
  const servers = objectOf(JSON.parse(fileAfter("--mcp-config") || "{}"))["mcpServers"];
  const allowed = (after("--allowedTools") ?? "").split(",");
  const denied = (after("--disallowedTools") ?? "").split(",");
  const denials: object[] = [];
  let said = "";
  const block = (content: object) =>
    print({ type: "assistant", message: { model: "m-1", content: [content] }, parent_tool_use_id: null });

  function may({ doing, tool: { name } }: Call): boolean {
    if (denied.includes(name)) return false;
    if (doing.does === "complete") return allowed.includes("mcp__pawl");
    if (doing.does === "write") return after("--permission-mode") === "acceptEdits";
    const begins = allowed.flatMap((rule) => /^Bash\((.*):\*\)$/.exec(rule)?.[1] ?? []);
    return allowed.includes("Bash") || (doing.does === "shell" && begins.some((one) => doing.command.startsWith(one)));
  }

  return {
    tools: own("Bash", "Write"),
    ours: (name) => ({ name: `mcp__pawl__${name}`, namespace: null }),
    async hear() {
      print({ type: "system", subtype: "init", session_id: session, model: "m-1", claude_code_version: "2.1.325" });
      return { system: fileAfter("--append-system-prompt-file"), prompt: stdin(), mcp: addressIn(servers) };
    },
    async begins(call) {
      block({ type: "tool_use", id: call.id, name: call.tool.name, input: call.input });
      return may(call);
    },
    ends({ id, tool, input }, { isAllowed, text }) {
      if (!isAllowed) {
        print({ type: "system", subtype: "permission_denied", tool_name: tool.name, tool_use_id: id, message: text });
        denials.push({ tool_name: tool.name, tool_use_id: id, tool_input: input });
      }
      const result = { type: "tool_result", tool_use_id: id, content: text, is_error: !isAllowed };
      print({ type: "user", message: { role: "user", content: [result] } });
    },
    says(text) {
      block({ type: "text", text });
      said = text;
    },
    leaves(answers) {
      const { fresh, cached, written } = tokensOf(answers);
      const usage = { input_tokens: fresh, cache_read_input_tokens: cached, output_tokens: written };
      const end = { subtype: "success", is_error: false, result: said, terminal_reason: "completed" };
      const cost = { usage, total_cost_usd: answers * usdOfAnswer };
      print({ ...end, ...cost, session_id: session, permission_denials: denials, type: "result" });
    },
    isRateLimited() {
      print({ type: "system", subtype: "api_retry", attempt: 1, error_status: 429, error: "rate_limit" });
      const error = { is_error: true, terminal_reason: "api_error", api_error_status: 429, usage: {} };
      const result = `API Error: Request rejected (429) · ${limitText}`;
      print({ ...error, api_error_type: "rate_limit_error", subtype: "success", result, type: "result" });
    },
  };
}

export function codexVoice(args: readonly string[]): Voice {
  const settings = new Map(args.flatMap((word, index) => (word === "--config" ? [pairOf(args[index + 1] ?? "")] : [])));
  const setting = (name: string) => {
    const value = settings.get(name);
    return typeof value === "string" ? value : "";
  };

  /** An item has the id of the call and its input. */
  function itemOf({ id, doing, tool, input }: Call): Json {
    if (doing.does === "complete")
      return { id, type: "mcp_tool_call", server: tool.namespace, tool: tool.name, arguments: input };
    if (doing.does === "write") return { id, type: "file_change", changes: [{ path: doing.path, kind: "add" }] };
    return { id, type: "command_execution", command: commandOf(doing) };
  }

  return {
    tools: own("exec_command", "apply_patch"),
    ours: (name) => ({ name, namespace: "pawl" }),
    async hear() {
      print({ type: "thread.started", thread_id: session }, { type: "turn.started" });
      const token = process.env[setting("mcp_servers.pawl.bearer_token_env_var")];
      const url = setting("mcp_servers.pawl.url");
      const mcp = url === "" ? null : { url, headers: { Authorization: `Bearer ${token}` } };
      return { system: setting("developer_instructions"), prompt: stdin(), mcp };
    },
    async begins(call) {
      print({ type: "item.started", item: { ...itemOf(call), status: "in_progress" } });
      // Its sandbox prevents a command from writing, not from running.
      return call.doing.does !== "write" || valueAfter(args, "--sandbox") === "workspace-write";
    },
    ends(call, { isAllowed, text }) {
      const content = [{ type: "text", text }];
      const result =
        call.doing.does === "complete" ? { result: { content }, error: null } : { aggregated_output: text };
      print({
        type: "item.completed",
        item: { ...itemOf(call), ...result, status: isAllowed ? "completed" : "declined" },
      });
    },
    says(text) {
      print({ type: "item.completed", item: { id: randomUUID(), type: "agent_message", text } });
    },
    leaves(answers) {
      const { fresh, cached, written } = tokensOf(answers);
      const usage = { input_tokens: fresh + cached, cached_input_tokens: cached, output_tokens: written };
      print({ type: "turn.completed", usage });
    },
    isRateLimited() {
      const message = `rate limit exceeded: ${limitText}`;
      print({ type: "error", message }, { type: "turn.failed", error: { message } });
    },
  };
}

export function opencodeVoice(): Voice {
  const config = objectOf(JSON.parse(process.env["OPENCODE_CONFIG_CONTENT"] ?? "{}"));
  const rules = objectOf(config["permission"]);
  const tell = (type: string, more: object) => print({ type, timestamp: Date.now(), sessionID: session, ...more });
  const { fresh, cached, written } = tokensOf(1);
  const tokens = { input: fresh, output: written, reasoning: 0, cache: { read: cached, write: 0 } };
  const begin = () => tell("step_start", { part: { type: "step-start" } });
  /** Every answer is a step with its own event. */
  const finish = (reason: string) =>
    tell("step_finish", { part: { type: "step-finish", reason, tokens, cost: usdOfAnswer } });

  /** What is not denied is allowed. */
  function may({ doing, tool: { name } }: Call): boolean {
    const ofShell = doing.does === "shell" && rules["bash"] !== undefined;
    const rule = ofShell ? lastThatFits(objectOf(rules["bash"]), doing.command) : lastThatFits(rules, name);
    return rule !== "deny";
  }

  return {
    tools: own("bash", "write"),
    ours: (name) => ({ name: `pawl_${name}`, namespace: null }),
    async hear() {
      const files = (config["instructions"] ?? []) as readonly string[];
      return { system: files.map(readIfNamed).join("\n"), prompt: stdin(), mcp: addressIn(config["mcp"]) };
    },
    async begins(call) {
      begin();
      return may(call);
    },
    ends({ id, tool, input }, { isAllowed, text }) {
      const state = isAllowed ? { status: "completed", output: text } : { status: "error", error: text };
      tell("tool_use", { part: { type: "tool", tool: tool.name, callID: id, state: { ...state, input } } });
      finish("tool-calls");
    },
    says(text) {
      begin();
      tell("text", { part: { type: "text", text } });
    },
    leaves: () => finish("stop"),
    isRateLimited() {
      const data = {
        message: limitText,
        statusCode: 429,
        isRetryable: true,
        responseHeaders: { "retry-after": "1.5" },
      };
      tell("error", { error: { name: "APIError", data } });
    },
  };
}

/** Patterns such as `git log*`; the last matching rule wins, as in OpenCode. */
function lastThatFits(rules: Json, text: string): unknown {
  const fits = (rule: string) => rule === text || (rule.endsWith("*") && text.startsWith(rule.slice(0, -1)));
  return Object.entries(rules).findLast(([rule]) => fits(rule))?.[1];
}

function addressIn(servers: unknown): Address | null {
  const pawl = objectOf(servers)["pawl"];
  return pawl === undefined ? null : (pawl as Address);
}

/** `key="value"`: the TOML that Pawl writes is valid JSON as well. */
function pairOf(text: string): readonly [string, unknown] {
  const at = text.indexOf("=");
  return [text.slice(0, at), JSON.parse(text.slice(at + 1))];
}

function commandOf(doing: Doing): string {
  return doing.does === "shell" ? doing.command : doing.does;
}

function valueAfter(args: readonly string[], flag: string): string | null {
  const at = args.indexOf(flag);
  return at === -1 ? null : (args[at + 1] ?? null);
}

function readIfNamed(file: string | null): string {
  return file === null ? "" : readFileSync(file, "utf8");
}

function stdin(): string {
  return readFileSync(0, "utf8");
}

function objectOf(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {};
}
