import { expect, test } from "vitest";
import { listen, transcripts } from "../../../test/support/transcripts.ts";
import { gooseReader } from "./reader.ts";

const run = transcripts["goose"] ?? [];
const says = (...texts: readonly string[]) => [
  ...texts.map((text) => ({
    type: "message",
    message: { id: "m", role: "assistant", content: [{ type: "text", text }] },
  })),
  { type: "complete", total_tokens: null, input_tokens: null, output_tokens: null },
];

test("[EX25] an error that it tells as if the model had said it is an error, though it exits with 0", () => {
  const error =
    "Ran into this error: Authentication error: Status: 401 Unauthorized.\n\nPlease retry if you think this is transient.";
  expect(listen(gooseReader, says(error)).reading).toMatchObject({ ok: false, kind: "auth" });
  expect(listen(gooseReader, says("I look at it and", error)).reading).toMatchObject({
    ok: false,
    kind: "auth",
    message: "Authentication error: Status: 401 Unauthorized.",
  });
  expect(listen(gooseReader, says("Ran into this error: Server error")).reading).toMatchObject({ ok: false });
  const spaces = `Ran into this error: ${" ".repeat(400_000)}`;
  expect(listen(gooseReader, says(spaces)).reading.ok).toBe(false);
});

test("[EX25] a model that tells of an error has not failed", () => {
  const text = "The tests ran into trouble. I ran into this error: 401. It is fixed.\nSTATUS: done";
  expect(listen(gooseReader, says(text)).reading).toMatchObject({ ok: true, text });
  const quoted = "The log says `Ran into this error: x`. Fixed.";
  expect(listen(gooseReader, says(quoted)).reading.ok).toBe(true);
});

test("[EX25] its turn limit is told as an answer, too", () => {
  const text = "I've reached the maximum number of actions I can do without user input. Would you like me to continue?";
  expect(listen(gooseReader, says(text)).reading).toMatchObject({ ok: false, kind: "max_turns" });
});

test("[EX19] its banner is no event", () => {
  const banner = Buffer.from(
    "\n    __( O)>  ● new session · openai gpt-4o\n   \\____)    20261115_7\n     L L     goose is ready\n",
  );
  const printed = Buffer.concat([banner, Buffer.from(run.map((line) => JSON.stringify(line)).join("\n"))]);
  expect(listen(gooseReader, printed).reading).toMatchObject({ ok: true, text: "STATUS: done" });
});
