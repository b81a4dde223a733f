import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { recordingPath, recordings } from "../../../test/support/recordings.ts";
import { agents } from "../../app.ts";
import { readerFor } from "../../executors/recorded-formats.ts";
import { cellsOf } from "../../transcript/cells.ts";
import type { LogEntry } from "../../transcript/entry.ts";
import { linesOfEntry } from "../../transcript/rendering.ts";
import { Transcript } from "../../transcript/transcript.ts";

async function transcriptOf(kind: string | null, root: string | null = null): Promise<Transcript> {
  const newReader = kind === null ? null : await readerFor(kind, agents);
  return new Transcript({ reader: newReader && newReader(() => 0), root });
}

async function entriesOf(kind: string | null, text: string | Uint8Array, root?: string): Promise<readonly LogEntry[]> {
  const transcript = await transcriptOf(kind, root);
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  return [...transcript.write(bytes), ...transcript.end()];
}

const shown = (entries: readonly LogEntry[], width = Number.POSITIVE_INFINITY) =>
  entries.flatMap((entry) => linesOfEntry(entry, width)).map(({ text }) => text);

const lines = (...events: readonly unknown[]) => events.map((event) => `${JSON.stringify(event)}\n`).join("");
const says = (...content: readonly object[]) => ({ type: "assistant", message: { id: "m", content } });
const uses = (name: string, input: unknown, id = "t") => says({ type: "tool_use", id, name, input });
const gets = (content: string, more: object = {}, id = "t") => ({
  type: "user",
  message: { content: [{ type: "tool_result", tool_use_id: id, content, ...more }] },
});

const hello = recordings.filter((file) => file.endsWith("-hello.jsonl"));

test("[TE1] the recordings of all agents show their turns, words, calls, results and end", async () => {
  expect(hello.length).toBeGreaterThanOrEqual(7);
  for (const file of hello) {
    const text = shown(await entriesOf(file.split("-")[0] ?? "", readFileSync(recordingPath(file)))).join("\n");
    expect.soft(text, file).toMatch(/── turn 1[^]*I will write the file\.\n● .*hello\.txt/);
    expect.soft(text, file).toMatch(/── turn 2[^]*● .*cat hello\.txt\n {2}✓ [12] lines?\n {4}hello/);
    expect.soft(text, file).toMatch(/── turn 3[^]*\nDone\.\nSTATUS: done\n(?:session .*\n)?✓ ended · 3 turns/);
  }
});

test("[TE1] Claude Code's transcript, line by line", async () => {
  const root = "/home/dev/project";
  expect(shown(await entriesOf("claude", readFileSync(recordingPath("claude-hello.jsonl")), root))).toEqual([
    "session claude-opus-5-5 2.1.325",
    "── turn 1 · 1.7k tokens",
    "I will write the file.",
    "● Write hello.txt (+1 −0)",
    "    + hello",
    "── turn 2 · 3.4k tokens",
    "● Bash cat hello.txt",
    "  ✓ 1 line",
    "    hello",
    "── turn 3 · 5.1k tokens",
    "Done.",
    "STATUS: done",
    "✓ ended · 3 turns · 5.2k tokens · $0.02",
  ]);
});

test("[TE1 TE2 TE6] no recording has a line that is too wide, has a control character, or fails, whoever's reader is used", async () => {
  for (const file of recordings)
    for (const kind of [...agents.kinds, "acp", null]) {
      if (!file.startsWith(`${kind}-`) && file !== "claude-hello.jsonl") continue;
      for (const text of shown(await entriesOf(kind, readFileSync(recordingPath(file))), 40)) {
        expect(cellsOf(text)).toBeLessThanOrEqual(40);
        expect(text).not.toMatch(/\p{Cc}/u);
      }
    }
});

test("[TE2] how a stream is cut into pieces changes nothing", async () => {
  const bytes = readFileSync(recordingPath("gemini-hello.jsonl"));
  const whole = shown(await entriesOf("gemini", bytes));
  for (const size of [1, 7, 64, 1_000]) {
    const transcript = await transcriptOf("gemini");
    const entries: LogEntry[] = [];
    for (let at = 0; at < bytes.length; at += size) entries.push(...transcript.write(bytes.subarray(at, at + size)));
    expect(shown([...entries, ...transcript.end()])).toEqual(whole);
  }
});

test("[TE2] what is no event is shown as it is, also half an event, and unknown events by their type", async () => {
  const printed = `a banner\n[pawl] progress: 50 %\n{"type":"assistant","mes\n${lines(
    { type: "brand_new", subtype: "thing", message: "quota" },
    { type: "system", subtype: "init", model: "m", session_id: "s" },
    { type: "later" },
    { type: "later" },
    { type: "other_one" },
  )}no line end`;
  expect(shown(await entriesOf("claude", printed))).toEqual([
    "a banner",
    "[pawl] progress: 50 %",
    '{"type":"assistant","mes',
    '· brand_new/thing {"type":"brand_new","subtype":"thing","message":"quota"}',
    "session m",
    "· later ×2, other_one",
    "no line end",
  ]);
  expect(shown(await entriesOf(null, '{"type":"result"}\n\n  text\n'))).toEqual(['{"type":"result"}', "", "  text"]);
});

test("[TE2] no bytes make it fail, and every word of a text is shown", async () => {
  const events = fc.constantFrom("claude", "codex", "opencode", "gemini", "goose", "copilot", "acp", null);
  await fc.assert(
    fc.asyncProperty(events, fc.array(fc.oneof(fc.json(), fc.string())), async (kind, printed) => {
      shown(await entriesOf(kind, printed.join("\n")), 30);
    }),
    { numRuns: 100 },
  );
});

test("[TE3] an edit shows its lines: replaced text, several edits, a new file, a patch; paths are below the tree", async () => {
  const edit = uses("Edit", { file_path: "/tree/a.ts", old_string: "one\ntwo\nsix", new_string: "one\n2\nthree\nsix" });
  expect(shown(await entriesOf("claude", lines(edit), "/tree"))).toEqual([
    "── turn 1",
    "● Edit a.ts (+2 −1)",
    "      one",
    "    - two",
    "    + 2",
    "    + three",
    "      six",
  ]);
  const several = uses("MultiEdit", {
    file_path: "/else/b.ts",
    edits: [
      { old_string: "a", new_string: "b" },
      { old_string: "c", new_string: "" },
    ],
  });
  expect(shown(await entriesOf("claude", lines(several), "/tree")).slice(1)).toEqual([
    "● MultiEdit /else/b.ts (+1 −2)",
    "    - a",
    "    + b",
    "    - c",
  ]);
  const patch = "*** Begin Patch\n*** Update File: c.ts\n@@\n same\n-old\n+new\n*** Add File: d.ts\n+x\n*** End Patch";
  expect(shown(await entriesOf("claude", lines(uses("apply_patch", { input: patch })))).slice(1)).toEqual([
    "● apply_patch c.ts, d.ts (+2 −1)",
    "    c.ts",
    "      same",
    "    - old",
    "    + new",
    "    d.ts",
    "    + x",
  ]);
  const long = shown(await entriesOf("claude", lines(uses("Write", { file_path: "e", content: "x\n".repeat(100) }))));
  expect([long.length, long[1], long.at(-1)]).toEqual([63, "● Write e (+100 −0)", "    … 40 more lines"]);
});

test("[TE4] results say how it went: exit codes, the ends of long output, lines that were read", async () => {
  const output = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`).join("\n");
  const printed = lines(
    uses("Bash", { command: "npm test" }, "a"),
    uses("Read", { file_path: "a.ts" }, "b"),
    gets(`Exit code 3\n${output}`, { is_error: true }, "a"),
    gets("one\ntwo", {}, "b"),
  );
  expect(shown(await entriesOf("claude", printed)).slice(1)).toEqual([
    "● Bash npm test",
    "● Read a.ts",
    "  ✗ Bash npm test: exit code 3",
    ...["Exit code 3", "line 1", "line 2", "… 30 lines …", ...output.split("\n").slice(-8)].map(
      (line) => `    ${line}`,
    ),
    "  ✓ 2 lines",
  ]);
  const item = { id: "i", type: "command_execution", command: "/bin/bash -lc 'make it'", exit_code: 2 };
  const codex = lines({ type: "item.started", item }, { type: "item.completed", item: { ...item, status: "failed" } });
  expect(shown(await entriesOf("codex", codex))).toEqual([
    "── turn 1",
    "● command_execution make it",
    "  ✗ exit code 2",
  ]);
});

test("[TE5] a line of megabytes is cut with a note, and what follows is read", async () => {
  const huge = new TextEncoder().encode("x".repeat(1024 * 1024));
  const transcript = await transcriptOf("claude");
  const entries: LogEntry[] = [];
  for (let count = 0; count < 20; count += 1) entries.push(...transcript.write(huge));
  entries.push(...transcript.write(new TextEncoder().encode(`\n${lines(says({ type: "text", text: "after" }))}`)));
  const text = shown(entries);
  expect(text.map((line) => line.length)).toEqual([4_000, expect.any(Number), expect.any(Number), 5]);
  expect(text.slice(1)).toEqual(["… cut: the line has 20.0 MiB", "── turn 1", "after"]);
});

test("[TE6] escape sequences, controls and marks of direction of an agent do not reach a line", async () => {
  const evil = "x\u001b]0;PWNED\u0007\u001b[2J\u009b31m\u202ertl\rOVER";
  const printed = lines(
    says({ type: "text", text: evil }),
    uses(evil, { command: evil }),
    gets(evil, { is_error: true }),
    uses("Edit", { file_path: evil, old_string: "", new_string: evil }),
    { type: evil },
    { type: "result", is_error: true, result: evil },
  );
  const text = shown(await entriesOf("claude", `${evil}\n[pawl] ${evil}\n${printed}`), 60).join("\n");
  expect(text).toContain("PWNED");
  expect(text).not.toMatch(/(?!\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
});
