import { expect, test } from "vitest";
import type { WatchDocument, WatchedAgent, WatchedRun } from "../../contracts/watch-document.ts";
import { cellsOf } from "../../transcript/cells.ts";
import { frameOf } from "./frame.ts";
import { type Key, keysIn } from "./keys.ts";
import { listedRuns } from "./overview.ts";
import { press, selectedIndex, type WatchState, watchBegin } from "./watch-state.ts";

const at = "2026-01-01T00:01:03.000Z";
const startedAt = "2026-01-01T00:00:00.000Z";

const run = (number: number, changes: Partial<WatchedRun> = {}): WatchedRun => ({
  id: `run${number}`,
  number,
  workflow: "feature-dev",
  task: "漢字 and more words than a narrow terminal can show on one line",
  status: "running",
  repo: null,
  startedAt,
  endedAt: null,
  driver: "process 1",
  stories: { done: 1, of: 12 },
  costUsd: 0.42,
  estimatedUsd: 0,
  capUsd: 5,
  need: null,
  agents: [],
  ...changes,
});

const agent = (number: number): WatchedAgent => ({
  attempt: `a${number}`,
  story: `US-${number}`,
  step: "implement",
  number: 1,
  executor: "claude",
  startedAt,
  doing: "Edit \u001b]0;evil\u0007src/a.ts",
  turns: 1,
  tokens: 12_345,
  costUsd: 0.01,
  isPartial: false,
});

const gate = {
  kind: "gate",
  text: "merge: Sure?",
  gate: "g.1",
  options: ["approve", "reject"],
  about: "line\n".repeat(40),
} as const;
const document: WatchDocument = {
  at,
  needsYou: [run(1, { status: "held", need: gate })],
  working: [run(2, { agents: Array.from({ length: 12 }, (_, index) => agent(index + 1)) })],
  recent: [run(3, { status: "done", endedAt: at })],
};
const items = listedRuns(document);

const pressed = (state: WatchState, ...keys: readonly Key[]) =>
  keys.reduce((before, key) => press(before.state, key, items), { state, act: null } as ReturnType<typeof press>);
const typed = (text: string): readonly Key[] => Array.from(text, (char) => ({ char }));

test("[TE14] keys are read from bytes, several at once; unknown sequences are none", () => {
  expect(keysIn("\u001b[A\u001b[Bj漢\r\u001b[200~\u0003\u001a\u007f\u0001\u001b")).toEqual([
    "up",
    "down",
    { char: "j" },
    { char: "漢" },
    "enter",
    "interrupt",
    "suspend",
    "backspace",
    "escape",
  ]);
});

test("[TE14] the selection moves, stops at the ends, and stays with its run", () => {
  const { state } = pressed(watchBegin, "down", "down", "down", "up");
  expect(selectedIndex(state, items)).toBe(1);
  expect(selectedIndex(state, [run(9), ...items])).toBe(2);
  expect(pressed(state, { char: "p" }).act).toMatchObject({ kind: "pause", run: { number: 2 } });
  expect(press(state, { char: "p" }, [run(2, { driver: null })]).act).toMatchObject({ kind: "resume" });
  expect(pressed(state, "down", { char: "p" })).toMatchObject({ act: null, state: { message: "Run #3 is over." } });
  expect(pressed(state, { char: "a" })).toMatchObject({ act: null, state: { message: "This run asks nothing." } });
  expect(press(watchBegin, "enter", [])).toEqual({ state: watchBegin, act: null });
  expect(pressed(state, { char: "d" })).toMatchObject({ act: { kind: "open" }, state: { view: { kind: "diff" } } });
  expect(pressed(state, "interrupt").act).toEqual({ kind: "quit" });
});

test("[TE15] an answer counts after its confirmation alone, with the note that was typed", () => {
  const asked = pressed(watchBegin, { char: "a" }, "down", "tab", ...typed("q well漢"), "backspace", "enter");
  expect(asked.act).toBeNull();
  expect(pressed(asked.state, { char: "n" }).state.view).toMatchObject({ kind: "answer", at: "options" });
  expect(pressed(asked.state, "escape").state.view.kind).toBe("list");
  expect(pressed(asked.state, { char: "y" })).toMatchObject({
    act: { kind: "answer", gate: "g.1", option: "reject", note: "q well" },
    state: { view: { kind: "list" } },
  });
});

const sizes = [
  [80, 24],
  [200, 50],
  [20, 5],
  [1, 1],
  [3, 2],
] as const;

test.each(sizes)("[TE13 TE15] every view fits on %d × %d, without control characters", (columns, rows) => {
  const views = [
    watchBegin,
    ...[["a"], ["?"], ["j"], ["j", "j"]].map((keys) => pressed(watchBegin, ...typed(keys.join(""))).state),
  ];
  for (const state of views) {
    const lines = frameOf(state, { document, text: [] }, { columns, rows });
    expect(lines.length).toBeLessThanOrEqual(rows);
    for (const { text } of lines) {
      expect(cellsOf(text)).toBeLessThanOrEqual(columns);
      expect(text).not.toMatch(/\p{Cc}/u);
    }
  }
  const answering = frameOf(views[1] ?? watchBegin, { document, text: [] }, { columns: 80, rows: 24 }).map(
    ({ text }) => text,
  );
  expect(answering).toEqual(expect.arrayContaining(["? merge: Sure?", "| line", "| …", "› approve", "  reject"]));
});

test("[TE13] what needs a person is on top", () => {
  const shown = frameOf(watchBegin, { document, text: [] }, { columns: 80, rows: 24 }).map(({ text }) => text);
  expect(shown.slice(0, 5)).toEqual([
    "  pawl · 1 for you · 1 working · 12 agents",
    "  NEEDS YOU",
    "› ? #1 feature-dev: 漢字 and more words than a…  1 of 12 · $0.42 · held · 1m03s",
    "      ? merge: Sure?",
    "  WORKING",
  ]);
});
