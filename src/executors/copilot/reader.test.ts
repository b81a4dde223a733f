import { expect, test } from "vitest";
import { listen, transcripts } from "../../../test/support/transcripts.ts";
import { copilotReader } from "./reader.ts";
import { copilotTokens } from "./usage-file.ts";

const run = transcripts["copilot"] ?? [];
const error = { type: "session.error", data: { errorType: "rate_limit", message: "retried 5 times", statusCode: 429 } };
const result = (exitCode: unknown) => ({ type: "result", sessionId: "s-1", exitCode });

test("[EX20] its error and its own exit code both count", () => {
  expect(listen(copilotReader, [error, result(1)], { code: 1 }).reading).toMatchObject({
    ok: false,
    kind: "rate_limit",
  });
  expect(listen(copilotReader, [error, result(0)], { code: 0 }).reading).toMatchObject({
    ok: false,
    kind: "rate_limit",
  });
  expect(listen(copilotReader, [result(2)], { code: 0 }).reading).toMatchObject({ ok: false, kind: "other" });
});

test("[EX18] an error after which it went on and answered is not its end", () => {
  expect(listen(copilotReader, [error, ...run]).reading.ok).toBe(true);
});

test("[EX22] told to stop it says that all is well and dies by the signal: killed", () => {
  expect(listen(copilotReader, run, { signal: "SIGTERM" }).reading).toMatchObject({ ok: false, kind: "killed" });
});

test("[EX23] a tool that it may not use is a denial", () => {
  const message = "Permission denied and could not request permission from user";
  const denied = {
    type: "tool.execution_complete",
    data: { toolCallId: "t-3", success: false, error: { message, code: "denied" } },
  };
  expect(listen(copilotReader, [denied, ...run]).reading).toMatchObject({ ok: true, denials: 1 });
});

test("[EX28] a retry is told with its kind", () => {
  const retry = { type: "assistant.turn_retry", data: { reason: "rate_limit" }, ephemeral: true };
  expect(listen(copilotReader, [retry]).events).toMatchObject([{ type: "retry", kind: "rate_limit" }]);
});

test("[EX24] its tokens are in the usage file, over all models; half a file is none", () => {
  const usage = { inputTokens: 3600, outputTokens: 102, cacheReadTokens: 1500, cacheWriteTokens: 0 };
  const file = JSON.stringify({ modelMetrics: { "gpt-4": { usage }, "gpt-5": { usage: { outputTokens: 8 } } } });
  expect(copilotTokens(file)).toEqual({ inputTokens: 2100, cacheReadTokens: 1500, outputTokens: 110 });
  for (const broken of [file.slice(0, 40), "", "null", "[]", '{"modelMetrics":3}'])
    expect(copilotTokens(broken)).toBeNull();
  expect(copilotTokens('{"modelMetrics":{"m":null}}')).toEqual({ inputTokens: 0, cacheReadTokens: 0, outputTokens: 0 });
});
