import { expect, test } from "vitest";
import { listen, transcripts } from "../../../test/support/transcripts.ts";
import { qwenReader } from "./reader.ts";

const run = transcripts["qwen"] ?? [];

test("[EX20] its error is beside the result", () => {
  const error = { message: "[API Error: 401 invalid x-api-key]" };
  const result = { type: "result", subtype: "error_during_execution", is_error: true, usage: {}, error };
  expect(listen(qwenReader, [result], { code: 1 }).reading).toMatchObject({ kind: "auth", message: error.message });
});

test("[EX22] at its turn limit it prints no result and exits with 53; other codes tell nothing", () => {
  expect(listen(qwenReader, run.slice(0, -1), { code: 53 }).reading.kind).toBe("max_turns");
  expect(listen(qwenReader, run.slice(0, -1), { code: 55 }).reading.kind).toBe("no_result");
});

test("[EX28] it tells its own version", () => {
  expect(listen(qwenReader, run).reading).toMatchObject({ version: "0.24.4", model: "qwen3" });
});
