import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { recordingPath } from "../../../test/support/recordings.ts";
import { listen, transcripts } from "../../../test/support/transcripts.ts";
import type { FailureKind } from "../../domain/agent-event.ts";
import { acpReader } from "./reader.ts";

const run = transcripts["acp"] ?? [];
const fromAgent = (m: object) => ({ t: 1, dir: "<", m: { jsonrpc: "2.0", ...m } });
const update = (told: object) => fromAgent({ method: "session/update", params: { update: told } });
const says = (text: string) => update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
const stops = (result: object) => fromAgent({ id: 2, result: { stopReason: "end_turn", ...result } });

test.each<readonly [FailureKind, string]>([
  ["max_turns", "max_turn_requests"],
  ["aborted", "cancelled"],
  ["other", "refusal"],
  ["max_turns", "max_tokens"],
])("[EX25] a turn that stops otherwise than at its end is %s: %s", (kind, stopReason) => {
  expect(listen(acpReader, [...run.slice(0, -1), stops({ stopReason })]).reading).toMatchObject({ ok: false, kind });
});

test.each<readonly [FailureKind, object]>([
  ["auth", { code: -32000, message: "Authentication required" }],
  ["auth", { code: 401, message: "invalid x-api-key" }],
  ["rate_limit", { code: -32603, message: "Internal error", data: { errorKind: "rate_limit" } }],
  ["auth", { code: -32603, message: "Internal error", data: { details: "401 invalid x-api-key, status 401" } }],
  ["server", { code: -32603, message: "Internal error" }],
])("[EX20] an error of the protocol is %s: %j", (kind, error) => {
  expect(listen(acpReader, [...run.slice(0, 5), fromAgent({ id: 2, error })]).reading).toMatchObject({
    ok: false,
    kind,
  });
});

test("[EX25] an API's error that is printed as an answer, at the usual end of the turn, is an error", () => {
  const begun = run.slice(0, 5);
  const status = { sessionUpdate: "session_info_update", _meta: { codex: { threadStatus: { type: "systemError" } } } };
  const codex = [
    ...begun,
    update(status),
    says("exceeded retry limit, last status: 429 Too Many Requests"),
    stops({ usage: null }),
  ];
  expect(listen(acpReader, codex).reading).toMatchObject({ ok: false, kind: "rate_limit" });
  expect(listen(acpReader, codex.toSpliced(5, 1)).reading).toMatchObject({ ok: false, kind: "rate_limit" });
  const copilot = [...begun, says("Error: Authentication failed (HTTP 401)."), stops({})];
  expect(listen(acpReader, copilot).reading).toMatchObject({ ok: false, kind: "auth" });
});

test("[EX25] an answer about errors, with something used or done for it, is an answer", () => {
  const answer = says("Error: the 429 is now handled.");
  const usage = { inputTokens: 5, outputTokens: 9, totalTokens: 14 };
  expect(listen(acpReader, [answer, stops({ usage })]).reading).toMatchObject({ ok: true });
  const tool = update({ sessionUpdate: "tool_call", toolCallId: "t-1", title: "edit" });
  expect(listen(acpReader, [tool, answer, stops({})]).reading).toMatchObject({ ok: true });
  expect(listen(acpReader, [says("STATUS: done"), stops({ usage: null })]).reading).toMatchObject({ ok: true });
});

test("[EX23] a permission that we refused is a denial; one that the agent got is none", () => {
  const refused = run.map(
    (line) => JSON.parse(JSON.stringify(line).replace('"optionId":"yes"}}', '"optionId":"no"}}')) as object,
  );
  const { reading, events } = listen(acpReader, refused);
  expect(reading).toMatchObject({ ok: true, denials: 1 });
  expect(events).toContainEqual({ type: "denied", id: "t-1", name: "ls", message: "ls" });
  expect(listen(acpReader, run).reading.denials).toBe(0);
});

test("[EX19] what we answered with an error is no error of the agent's", () => {
  const ours = { dir: ">", m: { jsonrpc: "2.0", id: 5, error: { code: -32601, message: "not supported" } } };
  expect(listen(acpReader, [...run, ours]).reading.ok).toBe(true);
});

test("[EX19] messages as the agent sends them, without a recording around them, are read alike", () => {
  const bare = run.flatMap((line) => {
    const { dir, m } = line as { readonly dir: string; readonly m: object };
    return dir === "<" ? [m] : [];
  });
  expect(listen(acpReader, bare).reading).toEqual(listen(acpReader, run).reading);
});

test.each([
  ["acp-claude.jsonl", "claude-opus-5-5", [3600, 1500, 102, 0.02232]],
  ["acp-codex.jsonl", "gpt-5.5", [2100, 1500, 102, null]],
  ["acp-copilot.jsonl", null, [2100, 1500, 102, null]],
  ["acp-gemini.jsonl", "gemini-2.5-pro", [3600, 0, 102, null]],
  // Of its last message alone: it tells no more.
  ["acp-opencode.jsonl", "fake/fake-model", [700, 500, 34, 0.00783]],
  ["acp-qwen.jsonl", "$runtime|openai|fake-model(openai)", [2100, 1500, 102, null]],
])("[EX18 EX24] %s was done", (file, model, used) => {
  const { reading } = listen(acpReader, readFileSync(recordingPath(file)));
  expect(reading).toMatchObject({ ok: true, kind: null, text: "Done.\nSTATUS: done", denials: 0, model });
  const { inputTokens, cacheReadTokens, outputTokens, costUsd } = reading.usage;
  expect([inputTokens, cacheReadTokens, outputTokens, costUsd]).toEqual(used);
  expect(reading.session).toMatch(/\w/);
  expect(reading.version).toMatch(/^\d+\./);
});

test("[EX25] a 429 that codex-acp ends as usual is a rate limit", () => {
  const { reading, events } = listen(acpReader, readFileSync(recordingPath("acp-e429-codex.jsonl")));
  expect(reading).toMatchObject({ ok: false, kind: "rate_limit", message: expect.stringContaining("429") });
  expect(events).toContainEqual(expect.objectContaining({ type: "retry", kind: "rate_limit" }));
});
