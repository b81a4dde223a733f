// What the end of an agent comes to: with short streams, and with all recorded ones.

import { describe, expect, test } from "vitest";
import { expectedReadings, recordingPath } from "../../../test/support/recordings.ts";
import { performWith, printing, stubAgent } from "../../../test/support/stub-agents.ts";
import { transcripts } from "../../../test/support/transcripts.ts";
import { claude } from "../claude/claude.ts";
import { claudeReader } from "../claude/reader.ts";
import { codex } from "../codex/codex.ts";
import { copilot } from "../copilot/copilot.ts";
import { gemini } from "../gemini/gemini.ts";
import { goose } from "../goose/goose.ts";
import { opencode } from "../opencode/opencode.ts";
import { qwen } from "../qwen/qwen.ts";
import { Denials } from "../stream/denials.ts";
import { executionEndOf } from "./agent-end.ts";
import type { AgentProfile } from "./agent-profile.ts";

const profiles: Readonly<Record<string, AgentProfile>> = { claude, codex, opencode, gemini, qwen, copilot, goose };
const ending = (profile: AgentProfile, lines: readonly object[], then = "") =>
  performWith(stubAgent(profile, `${printing(lines)}${then}`));

test.each(Object.keys(profiles))("[EX30] %s that says that it is done has run, with all that it told", async (name) => {
  const end = await ending(profiles[name] ?? claude, transcripts[name] ?? []);
  expect(end).toMatchObject({ outcome: "ran", text: "STATUS: done", notes: [] });
  expect(end.session).toBe(name === "goose" ? null : "s-1");
  const told = { claude: "2.1.325", qwen: "0.24.4" }[name];
  expect(end.version).toBe(told ?? "99.1.2");
});

test("[WK60] what an agent says about time counts from the time of day that its call names", async () => {
  const message = "You've hit your usage limit. Try again in 2 hours.";
  const lines = [transcripts["codex"]?.[0] ?? {}, { type: "turn.failed", error: { message } }];
  const now = () => Date.UTC(2030, 0);
  const end = await performWith(stubAgent(codex, `${printing(lines)}exit 1`), { now });
  expect(end).toMatchObject({ outcome: "rate_limited", kind: "quota", retryAt: Date.UTC(2030, 0, 1, 2) });
});

test("[EX30] an agent that does not name its model has worked with the one that it was given", async () => {
  const executor = stubAgent(codex, printing(transcripts["codex"] ?? []), { model: "gpt-5.5" });
  expect([(await performWith(executor)).model, (await performWith(executor, { model: "other" })).model]).toEqual([
    "gpt-5.5",
    "other",
  ]);
  const named = stubAgent(claude, printing(transcripts["claude"] ?? []), { model: "opus" });
  expect((await performWith(named)).model).toBe("claude-opus-5-5");
});

test("[EX31] usage is what the model read anew, from its cache, and wrote; money that nobody tells is not counted", async () => {
  const used = async (profile: AgentProfile, name: string) => (await ending(profile, transcripts[name] ?? [])).usage;
  expect(await used(claude, "claude")).toEqual({
    inputTokens: 35,
    cacheReadTokens: 15,
    outputTokens: 10,
    costUsd: 0.3,
  });
  expect(await used(codex, "codex")).toEqual({
    inputTokens: 35,
    cacheReadTokens: 15,
    outputTokens: 10,
    costUsd: 0,
  });
});

test("[EX88] what Qwen reads from its cache is not input as well", async () => {
  expect((await ending(qwen, transcripts["qwen"] ?? [])).usage).toMatchObject({
    inputTokens: 20,
    cacheReadTokens: 15,
    outputTokens: 10,
  });
});

test("[EX31] Copilot's tokens come from the file that it writes", async () => {
  const file = { modelMetrics: { m: { usage: { inputTokens: 70, cacheReadTokens: 30, outputTokens: 5 } } } };
  const text = `while [ "$1" != --usage-output-file ]; do shift; done; echo '${JSON.stringify(file)}' > "$2"`;
  const end = await performWith(stubAgent(copilot, `${text}\n${printing(transcripts["copilot"] ?? [])}`));
  expect(end.usage).toEqual({ inputTokens: 40, cacheReadTokens: 30, outputTokens: 5, costUsd: 0 });
});

const failing = (more: object) => [
  { type: "system", subtype: "init", session_id: "s-1", model: "m", claude_code_version: "2.1.325" },
  { type: "result", is_error: true, usage: { input_tokens: 7 }, total_cost_usd: 0.1, ...more },
];

describe("[EX32] one outcome for what every agent calls otherwise", () => {
  test.each([
    ["auth", { result: "Invalid API key", api_error_status: 401 }, "blocked", "run `claude` and log in"],
    [
      "context",
      { result: "Prompt is too long", terminal_reason: "prompt_too_long" },
      "blocked",
      "make the step smaller",
    ],
    ["rate_limit", { result: "Request rejected (429)", api_error_status: 429 }, "rate_limited", "Request rejected"],
    ["overloaded", { result: "Overloaded", api_error_status: 529 }, "rate_limited", "Overloaded"],
    ["server", { result: "Internal error", api_error_status: 500 }, "rate_limited", "Internal error"],
    ["network", { result: "Connection dropped", api_error: "connection_failed" }, "rate_limited", "Connection"],
    ["max_turns", { subtype: "error_max_turns", errors: ["Reached 3"] }, "failed", "raise executors.claude.max_turns"],
    ["max_budget", { subtype: "error_max_budget_usd", errors: ["$2"] }, "failed", "raise executors.claude.max_usd"],
    ["other", { errors: ["No conversation found"] }, "failed", "No conversation found (`pawl logs`"],
  ])("%s", async (kind, more, outcome, why) => {
    const end = await ending(claude, failing(more), "exit 1");
    expect(end).toMatchObject({ outcome, kind, why: expect.stringContaining(why) });
    expect("retryAt" in end ? end.retryAt : "none").toBe(outcome === "rate_limited" ? null : "none");
    // What failed has cost something all the same.
    expect(end).toMatchObject({ session: "s-1", model: "m", usage: { inputTokens: 7, costUsd: 0.1 } });
  });

  test("a quota has the time at which it is over", async () => {
    const limit = { type: "rate_limit_event", rate_limit_info: { status: "rejected", resetsAt: 1_893_456_000 } };
    const [init = {}, result = {}] = failing({ result: "You've hit your 5-hour limit", api_error_status: 429 });
    const end = await ending(claude, [init, limit, result], "exit 1");
    expect(end).toMatchObject({ outcome: "rate_limited", kind: "quota", retryAt: 1_893_456_000_000 });
  });

  test("an exit code that contradicts the last event is a failure", async () => {
    const end = await ending(claude, transcripts["claude"] ?? [], "exit 7");
    expect(end).toMatchObject({ outcome: "failed", kind: "exit", why: expect.stringContaining("7") });
  });
});

const nothingPrinted = {
  stdout: "",
  stderr: "",
  stdoutBytes: 0,
  stderrBytes: 0,
  durationMs: 1,
  strays: 0,
  straysLeft: 0,
  sinkError: null,
};
const quietReading = { ...claudeReader(Date.now).end({ code: 0 }), ok: false };
const denial = { type: "system", subtype: "permission_denied", tool_name: "Write", tool_use_id: "t-9", message: "no" };
const refused = { tool_use_id: "t-9", type: "tool_result", content: "no", is_error: true };
const afterDenial = (...rest: readonly object[]) => {
  const [init = {}, ...others] = transcripts["claude"] ?? [];
  const result = others.at(-1) ?? {};
  const untold = { ...result, permission_denials: [{ tool_name: "Write", tool_use_id: "t-9" }] };
  return [init, denial, { type: "user", message: { content: [refused] } }, ...rest, untold];
};
const success = { type: "user", message: { content: [{ type: "tool_result", tool_use_id: "t-2", content: "ok" }] } };

describe("[EX33] what was denied is not taken for done", () => {
  test("an agent that is refused and then says that it is done has failed, and the tool is named", async () => {
    const end = await ending(claude, afterDenial());
    expect(end).toMatchObject({
      outcome: "failed",
      kind: "denied",
      why: expect.stringMatching(/^Write was denied, .+\(/),
    });
  });

  test("what to do about it is told in the words of whoever called the agent", async () => {
    const facts = {
      name: "mine",
      agent: { title: "Mine", login: "log in", denied: "allow it with executors.mine.permissions" },
      access: "write" as const,
      end: { ...nothingPrinted, kind: "exited" as const, code: 0 },
      halt: null,
      reading: { ...quietReading, kind: "denied" as const, message: "Write was denied" },
      hasSpoken: true,
      denials: new Denials(),
      model: null,
      version: null,
      notes: [],
      logError: null,
    };
    const why = "Write was denied (allow it with executors.mine.permissions)";
    expect(executionEndOf(facts)).toMatchObject({ outcome: "failed", kind: "denied", why });
  });

  test("one that found another way has run", async () => {
    expect(await ending(claude, afterDenial(success))).toMatchObject({ outcome: "ran", notes: [] });
  });

  test("one that is told so only by its last event is judged by when it happened", async () => {
    const lines = afterDenial(success).filter((line) => line !== denial);
    expect(await ending(claude, lines)).toMatchObject({ outcome: "ran" });
    expect(
      await ending(
        claude,
        lines.filter((line) => line !== success),
      ),
    ).toMatchObject({ outcome: "failed" });
  });

  test("the tool is named also by an agent that tells only the number of its call", async () => {
    const [, turn = {}, , , started = {}, , , result = {}] = transcripts["copilot"] ?? [];
    const no = { toolCallId: "t-1", success: false, error: { code: "denied", message: "no" } };
    const end = await ending(copilot, [turn, started, { type: "tool.execution_complete", data: no }, result]);
    expect(end).toMatchObject({ outcome: "failed", kind: "denied", why: expect.stringMatching(/^bash was denied/) });
  });

  test("whoever may only read may be denied and judge all the same; the attempt says that it tried", async () => {
    const reading = stubAgent(claude, printing(afterDenial()), { access: "read" });
    const end = await performWith(reading);
    expect(end).toMatchObject({ outcome: "ran", notes: ["it may only read, and tried to do more: Write was denied"] });
    const patch = "echo 'ERROR patch rejected: writing is blocked by read-only sandbox' >&2";
    const codexEnd = await performWith(stubAgent(codex, `${patch}; ${printing(transcripts["codex"] ?? [])}`), {
      access: "read",
    });
    expect(codexEnd.notes.join()).toContain("tried to do more: ERROR patch rejected");
  });
});

describe("[EX34] a death that we did not cause is a failure of the agent, however it is told", () => {
  const begun = (transcripts["claude"] ?? []).slice(0, 3);

  test("by a signal, and by the exit code that stands for one", async () => {
    const killed = await ending(codex, (transcripts["codex"] ?? []).slice(0, 2), "kill -9 $$");
    expect(killed).toMatchObject({ outcome: "failed", kind: "killed", session: "s-1" });
    expect(killed).toHaveProperty("why", "it died by SIGKILL, which Pawl did not send");
    const told = await ending(claude, begun, "exit 143");
    expect(told).toMatchObject({ outcome: "failed", kind: "killed", session: "s-1" });
    expect(await ending(claude, begun, "exit 134")).toHaveProperty("why", expect.stringContaining("SIGABRT"));
  });

  test("and by the agent itself, which was interrupted and exits with 0", async () => {
    const result = {
      type: "result",
      is_error: true,
      subtype: "error_during_execution",
      terminal_reason: "aborted_tools",
    };
    expect(await ending(claude, [...begun, result])).toMatchObject({ outcome: "failed", kind: "aborted" });
  });
});

describe("[EX35] whoever ends without his last event has not run", () => {
  test("half a line, and nothing more", async () => {
    const [first = {}] = transcripts["claude"] ?? [];
    const end = await ending(claude, [first], `printf '{"type":"result","is_error":fal'; exit 1`);
    expect(end).toMatchObject({ outcome: "failed", kind: "no_result", why: expect.stringMatching(/^exit code 1 \(/) });
  });

  test("exit code 0 and not a word", async () => {
    const end = await performWith(stubAgent(gemini, "echo 'bye' >&2"));
    expect(end).toMatchObject({ outcome: "failed", kind: "no_result", why: expect.stringContaining(": bye (") });
  });

  test("an error before the first event says what kind it is; later it may be about anything", async () => {
    const text = "echo 'Error: not logged in' >&2; exit 1";
    expect(await performWith(stubAgent(copilot, text))).toMatchObject({ outcome: "blocked", kind: "auth" });
    const gemini41 = await performWith(stubAgent(gemini, "echo 'Invalid auth method selected.' >&2; exit 41"));
    expect(gemini41).toMatchObject({ outcome: "blocked", why: expect.stringContaining(": Invalid auth method") });
    const later = await ending(claude, (transcripts["claude"] ?? []).slice(0, 3), text);
    expect(later).toMatchObject({
      outcome: "failed",
      kind: "no_result",
      why: expect.stringContaining("not logged in"),
    });
  });
});

const expected = expectedReadings.join("\n");
const samples = [...expected.matchAll(/^(\w+)(-\S+\.jsonl) +exit=(\S+) +ok=(\w+) +kind=(\S+) +denials=(\d+)/gm)]
  .filter(([, agent = ""]) => agent in profiles)
  .map(([, agent = "", rest = "", exit = "", ok, kind = "", denials]) => ({
    agent,
    file: `${agent}${rest}`,
    exit,
    ok: ok === "true",
    kind,
    isDenied: denials !== "0",
  }));

test.each(samples)("[EX32 EX34] the recorded $file ($kind)", async ({ agent, file, exit, ok, kind, isDenied }) => {
  const leave = exit.startsWith("SIG") ? `kill -s ${exit.slice(3)} $$` : `exit ${exit}`;
  const end = await performWith(stubAgent(profiles[agent] ?? claude, `cat '${recordingPath(file)}'; ${leave}`));
  const failed =
    exit === "143" ? { outcome: "failed", kind: "killed" } : { outcome: outcomesByKind[kind] ?? "failed", kind };
  const done = isDenied ? { outcome: "failed", kind: "denied" } : { outcome: "ran" };
  expect(end).toMatchObject(ok ? done : failed);
});

const outcomesByKind: Readonly<Record<string, string>> = {
  auth: "blocked",
  context: "blocked",
  rate_limit: "rate_limited",
  quota: "rate_limited",
  network: "rate_limited",
};

test("there is a recording of every agent", () => {
  expect([...new Set(samples.map(({ agent }) => agent))].toSorted()).toEqual(Object.keys(profiles).toSorted());
});
