import { expect, test } from "vitest";
import { listen, transcripts } from "../../../test/support/transcripts.ts";
import type { FailureKind } from "../../domain/agent-event.ts";
import { claudeReader } from "./reader.ts";

const run = transcripts["claude"] ?? [];
const failed = { type: "result", subtype: "success", is_error: true, total_cost_usd: 0, usage: {} };

const results: readonly (readonly [FailureKind, object])[] = [
  ["auth", { api_error_status: 401, api_error_type: "authentication_error", result: "Invalid API key" }],
  ["auth", { terminal_reason: "api_error", result: "Not logged in · Please run /login" }],
  ["rate_limit", { api_error_status: 429, api_error_type: "rate_limit_error", result: "API Error: rejected" }],
  ["overloaded", { api_error_status: 529, api_error_type: "overloaded_error", result: "API Error: Overloaded" }],
  ["network", { api_error_status: null, api_error: "connection_failed", terminal_reason: "api_error", result: "x" }],
  ["context", { api_error_status: 400, api_error_type: "invalid_request_error", terminal_reason: "prompt_too_long" }],
  ["max_turns", { subtype: "error_max_turns", errors: ["Reached maximum number of turns (3)"] }],
  ["max_budget", { subtype: "error_max_budget_usd", errors: ["Reached maximum budget ($0.02)"] }],
  ["aborted", { subtype: "error_during_execution", terminal_reason: "aborted_tools" }],
  ["other", { subtype: "error_during_execution", errors: ["No conversation found with session ID: 1"] }],
];

test.each(results)(
  "[EX20 EX25] a result with an error is %s, also where it calls itself a success: %j",
  (kind, result) => {
    const { reading } = listen(claudeReader, [...run.slice(0, -1), { ...failed, ...result }], { code: 1 });
    expect(reading).toMatchObject({ ok: false, kind });
  },
);

test("[EX18] a result that does not say whether it is an error is not taken for done", () => {
  expect(listen(claudeReader, [{ type: "result", subtype: "success", result: "STATUS: done" }]).reading.ok).toBe(false);
});

test("[EX20] interrupted, it exits with 0 and is aborted all the same", () => {
  const result = { ...failed, subtype: "error_during_execution", terminal_reason: "aborted_tools" };
  expect(listen(claudeReader, [result], { code: 0 }).reading).toMatchObject({ ok: false, kind: "aborted" });
});

test("[EX21] a subscription's limit is a quota, and its event says until when", () => {
  const limit = { status: "rejected", resetsAt: 1_893_456_000, rateLimitType: "five_hour" };
  const result = { ...failed, api_error_status: 429, result: "API Error: Request rejected (429)" };
  const told = listen(claudeReader, [{ type: "rate_limit_event", rate_limit_info: limit }, result], { code: 1 });
  expect(told.reading).toMatchObject({ kind: "quota", resetsAt: Date.UTC(2030, 0) });
  expect(told.events[0]).toEqual({ type: "limit", status: "rejected", name: "five_hour", resetsAt: Date.UTC(2030, 0) });
  const words = { ...result, result: "You've hit your 5-hour limit · resets Jan 1, 2030, 12am (UTC)" };
  expect(listen(claudeReader, [words], { code: 1 }).reading).toMatchObject({
    kind: "quota",
    resetsAt: Date.UTC(2030, 0),
  });
});

test("[EX21] a warning about a limit is told and stops nothing", () => {
  const info = { status: "allowed_warning", resetsAt: 1_894_000_000, rateLimitType: "five_hour", utilization: 0.92 };
  const { reading, events } = listen(claudeReader, [{ type: "rate_limit_event", rate_limit_info: info }, ...run]);
  expect(reading).toMatchObject({ ok: true, resetsAt: null });
  expect(events[0]).toMatchObject({ type: "limit", status: "warning", resetsAt: 1_894_000_000_000 });
});

test("[EX23] a denial is counted once, whether it is told at once, at the end, or both", () => {
  const denied = {
    type: "system",
    subtype: "permission_denied",
    tool_name: "Write",
    tool_use_id: "t-1",
    message: "no",
  };
  const denials = [
    { tool_name: "Write", tool_use_id: "t-1" },
    { tool_name: "Bash", tool_use_id: "t-2" },
    { tool_name: "X" },
  ];
  const last = { ...run.at(-1), permission_denials: denials };
  const { reading, events } = listen(claudeReader, [denied, ...run.slice(0, -1), last]);
  expect(reading).toMatchObject({ ok: true, kind: null, denials: 3 });
  expect(events.filter(({ type }) => type === "denied")).toHaveLength(3);
});

test("[EX28] what it waits for is told with its kind", () => {
  const retry = { type: "system", subtype: "api_retry", attempt: 1, retry_delay_ms: 2000 };
  const { events } = listen(claudeReader, [
    { ...retry, error_status: 429, error: "rate_limit" },
    { ...retry, error_status: 401, error: "authentication_failed" },
    { ...retry, error_status: null, error: "unknown" },
  ]);
  expect(events).toMatchObject([
    { type: "retry", kind: "rate_limit", attempt: 1, waitMs: 2000, message: "429 rate_limit" },
    { type: "retry", kind: "auth" },
    { type: "retry", kind: "network" },
  ]);
});

test("[EX26] an API's error and a sub-agent's words are not what the agent said", () => {
  const error = {
    type: "assistant",
    message: { model: "<synthetic>", content: [{ type: "text", text: "API Error" }] },
    is_api_error_message: true,
  };
  const sub = {
    type: "assistant",
    message: { model: "m", content: [{ type: "text", text: "found it" }] },
    parent_tool_use_id: "t-9",
  };
  expect(listen(claudeReader, [...run.slice(0, 2), sub, error], { code: 143 }).reading.text).toBe("I look.");
});

test("[EX18] it goes on after a result, for a background task: the last result counts, and the usage of all", () => {
  expect(listen(claudeReader, [...run, ...run.slice(0, 2)]).reading).toMatchObject({ ok: false, kind: "no_result" });
  const { reading } = listen(claudeReader, [...run, ...run]);
  expect(reading).toMatchObject({
    ok: true,
    usage: { inputTokens: 70, cacheReadTokens: 30, outputTokens: 20, costUsd: 0.3 },
  });
});

test("[EX28] session, model and version are kept", () => {
  expect(listen(claudeReader, run).reading).toMatchObject({
    session: "s-1",
    model: "claude-opus-5-5",
    version: "2.1.325",
  });
});

test("[EX24] an agent that dies has used what its messages say, each counted once; a result replaces that", () => {
  const says = (id: string, output: number) => ({
    type: "assistant",
    message: { id, model: "m", usage: { input_tokens: 5, cache_read_input_tokens: 2, output_tokens: output } },
  });
  const [first = {}] = run;
  const lines = [first, says("a", 1), says("a", 3), says("b", 4)];
  const { reading } = listen(claudeReader, lines, { signal: "SIGKILL" });
  expect(reading.usage).toMatchObject({ inputTokens: 10, cacheReadTokens: 4, outputTokens: 7 });
  expect(listen(claudeReader, [...lines, ...run]).reading.usage).toMatchObject({ inputTokens: 35, outputTokens: 10 });
  const many = Array.from({ length: 200 }, (_, index) => says(`m-${index}`, 1));
  expect(listen(claudeReader, [first, ...many], { signal: "SIGKILL" }).reading.usage.outputTokens).toBe(200);
});
