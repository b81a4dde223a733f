import { expect, test } from "vitest";
import { listen, transcripts } from "../../../test/support/transcripts.ts";
import { geminiReader } from "./reader.ts";

const run = transcripts["gemini"] ?? [];
const failed = (error: object) => ({
  type: "result",
  status: "error",
  error,
  stats: { input_tokens: 20, output_tokens: 1 },
});

test("[EX20 EX24] a result with an error is what its message says, and what it used counts", () => {
  const message = '[API Error: {"error":{"code":401,"message":"invalid x-api-key","status":"INTERNAL"}}]';
  const { reading } = listen(geminiReader, [failed({ type: "unknown", message })], { code: 145 });
  expect(reading).toMatchObject({ ok: false, kind: "auth", usage: { inputTokens: 20, outputTokens: 1 } });
  const turns = failed({ type: "FatalTurnLimitedError", message: "Reached max session turns for this session." });
  expect(listen(geminiReader, [turns], { code: 53 }).reading.kind).toBe("max_turns");
});

test("[EX22] what it exits with before it prints anything has a meaning; 0 without a result has none", () => {
  expect(listen(geminiReader, [], { code: 41 }).reading.kind).toBe("auth");
  expect(listen(geminiReader, [], { code: 53 }).reading.kind).toBe("max_turns");
  expect(listen(geminiReader, run.slice(0, -1), { code: 0 }).reading.kind).toBe("no_result");
});

test("[EX23] a tool that its policy denies is a denial", () => {
  const error = { type: "policy", message: "Tool execution denied by policy." };
  const denied = { type: "tool_result", tool_id: "t-1", status: "error", error };
  expect(listen(geminiReader, [denied, ...run]).reading).toMatchObject({ ok: true, denials: 1 });
});

test("[EX26] pieces are joined until something is done with a tool", () => {
  const [, , piece = {}, call = {}, result = {}] = run;
  expect(listen(geminiReader, [piece, piece]).reading.text).toBe("I look.I look.");
  for (const between of [call, result])
    expect(listen(geminiReader, [piece, between, piece]).reading.text).toBe("I look.");
});
