import { expect, test } from "vitest";
import { listen, transcripts } from "../../../test/support/transcripts.ts";
import { opencodeReader } from "./reader.ts";

const run = transcripts["opencode"] ?? [];
const saidAt = Date.UTC(2026, 10, 15);
const error = (name: string, data: object) => ({
  type: "error",
  timestamp: saidAt,
  sessionID: "s-1",
  error: { name, data },
});

test("[EX20 EX21] an error ends it: its status, its name, and when to come back", () => {
  const limited = error("APIError", { message: "slow down", statusCode: 429, responseHeaders: { "retry-after": "2" } });
  expect(listen(opencodeReader, [limited], { code: 1 }).reading).toMatchObject({
    kind: "rate_limit",
    resetsAt: saidAt + 2_000,
    usage: { costUsd: 0 },
  });
  const refused = error("APIError", {
    message: "invalid x-api-key",
    statusCode: 401,
    responseHeaders: { "retry-after": "9" },
  });
  expect(listen(opencodeReader, [refused], { code: 1 }).reading).toMatchObject({ kind: "auth", resetsAt: null });
  const tooLong = error("ContextOverflowError", { message: "x" });
  expect(listen(opencodeReader, [tooLong], { code: 1 }).reading.kind).toBe("context");
});

test("[EX18 EX22] an error after which it goes on is not the end; if it then dies, it is the reason", () => {
  const tooLong = error("ContextOverflowError", { message: "too much" });
  expect(listen(opencodeReader, [tooLong, ...run]).reading.ok).toBe(true);
  expect(listen(opencodeReader, [tooLong, ...run.slice(0, 2)], { code: 1 }).reading.kind).toBe("context");
  expect(listen(opencodeReader, [tooLong, ...run.slice(0, -1)], { code: 1 }).reading.kind).toBe("no_result");
});

test("[EX23] a permission that was rejected ends the run with exit code 0: denied, and not done", () => {
  const state = { status: "error", input: {}, error: "The user rejected permission to use this specific tool call." };
  const rejected = { type: "tool_use", sessionID: "s-1", part: { tool: "edit", callID: "t-7", state } };
  const { reading } = listen(opencodeReader, [...run.slice(0, 1), rejected, ...run.slice(2, 3)]);
  expect(reading).toMatchObject({ ok: false, kind: "denied", denials: 1 });
  expect(listen(opencodeReader, [rejected, ...run]).reading).toMatchObject({ ok: true, denials: 1 });
});
