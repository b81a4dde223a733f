// What holds for every reader: with a short transcript of each agent, and with all recorded ones.

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { agents, profileOf } from "../../../test/support/agents.ts";
import { recordingPath, recordings } from "../../../test/support/recordings.ts";
import { bytesOf, done, listen, transcripts } from "../../../test/support/transcripts.ts";
import { acpReader } from "../acp/reader.ts";
import { claudeReader } from "../claude/reader.ts";
import { geminiReader } from "../gemini/reader.ts";
import { fieldsOf } from "./fields.ts";
import type { NewReader } from "./reader.ts";
import type { StreamReading } from "./stream-reading.ts";

const profiles = await Promise.all(agents.kinds.map(profileOf));
const readers: Readonly<Record<string, NewReader>> = {
  ...Object.fromEntries(profiles.map(({ kind, newReader }) => [kind, newReader])),
  acp: acpReader,
};

interface Sample {
  readonly name: string;
  readonly newReader: NewReader;
  readonly lines: readonly object[];
}

const short: readonly Sample[] = Object.entries(readers).map(([name, newReader]) => ({
  name,
  newReader,
  lines: transcripts[name] ?? [],
}));

const recorded: readonly Sample[] = recordings.map((file) => ({
  name: file,
  newReader: readers[file.slice(0, file.indexOf("-"))] ?? claudeReader,
  lines: readFileSync(recordingPath(file), "utf8")
    .split("\n")
    .filter(isObject)
    .map((line) => JSON.parse(line) as object),
}));
const all = [...short, ...recorded];

function isObject(line: string): boolean {
  return line.startsWith("{");
}

test("[EX18 EX24] every agent's short run is done, with what it used", () => {
  const used = Object.fromEntries(
    short.map(({ name, newReader, lines }) => {
      const { reading } = listen(newReader, lines);
      expect({ name, ...reading }).toMatchObject({ name, ...done });
      const { inputTokens, cacheReadTokens, outputTokens, costUsd } = reading.usage;
      return [name, [inputTokens, cacheReadTokens, outputTokens, costUsd]];
    }),
  );
  expect(used).toEqual({
    claude: [35, 15, 10, 0.3],
    codex: [35, 15, 10, null],
    opencode: [35, 15, 10, 0.3],
    gemini: [35, 15, 10, null],
    qwen: [35, 15, 10, null],
    copilot: [0, 0, 0, null],
    goose: [50, 0, 10, null],
    acp: [35, 15, 10, 0.3],
  });
});

test.each(short)(
  "[EX28] $name tells its session, calls, results, texts and end in the common words",
  ({ name, newReader, lines }) => {
    const { events } = listen(newReader, lines);
    const sessions = events.filter((event) => event.type === "session").map(({ id }) => id);
    expect(sessions.at(-1)).toBe(name === "goose" ? undefined : "s-1");
    const call = events.find((event) => event.type === "tool_call");
    const result = events.find((event) => event.type === "tool_result");
    expect(call).toMatchObject({ name: expect.stringMatching(/\w/) });
    expect(result).toEqual({ type: "tool_result", id: call?.id, ok: true, text: "a.ts" });
    const texts = events.filter((event) => event.type === "text").map(({ text }) => text);
    expect(texts.join("")).toMatch(/STATUS: done$/);
    expect(events.at(-1)).toEqual({ type: "result", ok: true, text: "STATUS: done" });
  },
);

test.each(short)("[EX18 EX22] $name: another exit code, and a signal, are no success", ({ newReader, lines }) => {
  expect(listen(newReader, lines, { code: 1 }).reading).toMatchObject({ ok: false, kind: "exit" });
  expect(listen(newReader, lines, { signal: "SIGTERM" }).reading).toMatchObject({ ok: false, kind: "killed" });
  expect(listen(newReader, lines.slice(0, -1), { code: 0 }).reading).toMatchObject({ ok: false, kind: "no_result" });
  expect(listen(newReader, lines.slice(0, -1), { code: 143 }).reading).toMatchObject({ ok: false, kind: "no_result" });
  expect(listen(newReader, [], { signal: "SIGKILL" }).reading).toMatchObject({ ok: false, kind: "killed", text: "" });
});

test.each(all)(
  "[EX19] $name: the order of keys, unknown keys and unknown events mean nothing",
  ({ newReader, lines }) => {
    const plain = listen(newReader, lines).reading;
    const strange = [{}, { type: 7 }, { type: null }, { type: "of.tomorrow", data: [] }, { m: 3 }, { kind: "message" }];
    const disturbed = lines.flatMap((line, index) => [{ ...reversed(line), tomorrow: [index] }, ...strange]);
    expect(listen(newReader, disturbed).reading).toEqual(plain);
  },
);

function reversed(value: object): object {
  return Object.fromEntries(Object.entries(value).toReversed());
}

/** Not from the readers: what each agent's last event is, when all went well. */
function isLast(line: object): boolean {
  const { type, part, m } = line as Record<string, unknown>;
  const answer = fieldsOf(fieldsOf(m)["result"]);
  return (
    ["result", "turn.completed", "complete"].includes(String(type)) ||
    (type === "step_finish" && fieldsOf(part)["reason"] === "stop") ||
    typeof answer["stopReason"] === "string"
  );
}

test.each(all)(
  "[EX18 EX22] $name, cut at any line and in the middle of it, is not done before its last event",
  ({ newReader, lines }) => {
    const end = lines.findIndex(isLast);
    const until = end === -1 ? lines.length : end;
    for (let count = 0; count <= until; count += 1) {
      const whole = bytesOf(lines.slice(0, count));
      const half = bytesOf(lines.slice(count, count + 1)).subarray(0, -3);
      for (const printed of [whole, Buffer.concat([whole, half])])
        for (const exit of [{ code: 0 }, { code: 1 }, { signal: "SIGKILL" }])
          expect(listen(newReader, printed, exit).reading).toMatchObject({ ok: false, kind: expect.any(String) });
    }
  },
);

test.each(all)(
  "[EX19] $name: no damage makes a reader throw, and every reading is sound",
  ({ name, newReader, lines }) => {
    // There are many recorded ones, and they are long.
    const numRuns = lines === transcripts[name] ? 200 : 15;
    const bytes = bytesOf(lines).subarray(0, 60_000);
    const damage = fc.array(fc.tuple(fc.nat(Math.max(0, bytes.length - 1)), fc.nat(255)), { maxLength: 30 });
    fc.assert(
      fc.property(damage, (changes) => {
        const damaged = Buffer.from(bytes);
        for (const [at, byte] of changes) if (at < damaged.length) damaged[at] = byte;
        expectSound(listen(newReader, damaged).reading);
      }),
      { numRuns },
    );
    const wrong = fc.tuple(fc.nat(Math.max(0, lines.length - 1)), fc.nat(), fc.oneof(fc.jsonValue(), hostile));
    fc.assert(
      fc.property(fc.array(wrong, { minLength: 1, maxLength: 5 }), (changes) => {
        const changed = [...lines];
        for (const [line, place, value] of changes)
          changed[line] = replaced(changed[line] ?? {}, place, value) as object;
        expectSound(listen(newReader, changed.map(Object)).reading);
      }),
      { numRuns },
    );
  },
);

/** Values that have confused programs before. */
const hostile = fc.constantFrom<unknown>(
  -1,
  1e308,
  -1e308,
  Number.MAX_SAFE_INTEGER,
  "\ud800",
  "\0",
  "__proto__",
  [],
  {},
  [[]],
  [null],
  JSON.parse('{"__proto__":{"type":"result"},"constructor":1}'),
);

/** The value in place of the `place`th value inside, counted around. */
function replaced(within: unknown, place: number, value: unknown): unknown {
  if (typeof within !== "object" || within === null) return value;
  const keys = Object.keys(within);
  const key = keys[place % (keys.length + 1)];
  if (key === undefined) return value;
  const copy: Record<string, unknown> = Array.isArray(within) ? ([...within] as never) : { ...within };
  copy[key] = replaced(copy[key], Math.floor(place / (keys.length + 1)), value);
  return copy;
}

function expectSound(reading: StreamReading): void {
  expect(reading.ok).toBe(reading.kind === null);
  expect(reading.ok).toBe(reading.message === "");
  const { inputTokens, cacheReadTokens, outputTokens, costUsd } = reading.usage;
  for (const count of [inputTokens, cacheReadTokens, outputTokens, reading.denials]) {
    expect(count).toBeGreaterThanOrEqual(0);
    expect(Number.isInteger(count)).toBe(true);
  }
  expect(costUsd ?? 0).toBeGreaterThanOrEqual(0);
  expect(new Date(reading.resetsAt ?? 0).toISOString()).toMatch(/^\d{4}-/);
  expect(reading.text.isWellFormed()).toBe(true);
  expect(reading.text).not.toContain("\0");
}

test("[EX26] of an endless answer the end is kept", () => {
  const piece = { type: "message", role: "assistant", content: "x".repeat(100_000), delta: true };
  const last = { ...piece, content: "\nSTATUS: done" };
  const result = { type: "result", status: "success" };
  const { text } = listen(geminiReader, [...Array.from({ length: 40 }, () => piece), last, result]).reading;
  expect(text.length).toBeLessThan(600_000);
  expect(text).toMatch(/^\[the beginning was cut\]\nx+\nSTATUS: done$/);
});

test("every recording was made by an agent that has a reader", () => {
  const agents = new Set(recordings.map((file) => file.slice(0, file.indexOf("-"))));
  expect([...agents].toSorted()).toEqual(Object.keys(readers).toSorted());
});
