// A frame of `pawl watch`. Owns: the lines of the whole screen for a state and a size; each view has its lines, and all share the last
// line with the keys.

import type { WatchDocument } from "../../contracts/watch-document.ts";
import { fit, wrap } from "../../transcript/cells.ts";
import { plainText } from "../../transcript/plain-text.ts";
import type { ShownLine } from "../../transcript/rendering.ts";
import type { Size } from "../output/live-lines.ts";
import { listedRuns, overviewLines } from "./overview.ts";
import { type AnswerView, selectedIndex, type WatchState } from "./watch-state.ts";

export interface FrameParts {
  readonly document: WatchDocument;
  /** The text of the open run: its status, or its log for this width. */
  readonly text: readonly ShownLine[];
}

/** As many lines as the screen has rows, or less. */
export function frameOf(
  state: WatchState,
  { document, text }: FrameParts,
  { columns, rows }: Size,
): readonly ShownLine[] {
  const height = Math.max(1, rows - 1);
  const body = bodyOf(state, { document, text }, { columns, rows: height });
  const filled = [...body, ...Array.from({ length: Math.max(0, height - body.length) }, () => emptyLine)];
  const foot: ShownLine = { tone: "dim", text: fit(plainText(state.message) || keysOf(state), columns) };
  return rows < 2 ? body.slice(0, rows) : [...filled.slice(0, height), foot];
}

const emptyLine: ShownLine = { tone: "plain", text: "" };

function bodyOf(state: WatchState, { document, text }: FrameParts, size: Size): readonly ShownLine[] {
  const { view } = state;
  switch (view.kind) {
    case "list":
      return listLines(state, document, size);
    case "help":
      return help.map((line) => ({ tone: "plain", text: fit(line, size.columns) }));
    case "details":
    case "diff":
      return windowOf(text, size, state.scroll);
    case "logs":
      // A log is read from its end.
      return windowOf(text, size, text.length - size.rows + state.scroll);
    case "answer":
      return answerLines(view, size);
  }
}

function listLines(state: WatchState, document: WatchDocument, { columns, rows }: Size): readonly ShownLine[] {
  const lines = overviewLines(document, columns - 2);
  const selected = selectedIndex(state, listedRuns(document));
  const at = lines.findIndex(({ item }) => item === selected);
  const from = Math.max(0, Math.min(at - Math.floor(rows / 2), lines.length - rows));
  return lines.slice(from, from + rows).map(({ tone, text }, index) => {
    const mark = from + index === at ? "› " : "  ";
    return { tone, text: fit(mark + text, columns) };
  });
}

function windowOf(lines: readonly ShownLine[], { columns, rows }: Size, from: number): readonly ShownLine[] {
  const start = Math.max(0, Math.min(from, lines.length - rows));
  return lines.slice(start, start + rows).map(({ tone, text }) => ({ tone, text: fit(text, columns) }));
}

function answerLines({ run, option, note, at }: AnswerView, { columns, rows }: Size): readonly ShownLine[] {
  const need = run.need;
  const wrapped = (text: string) =>
    plainText(text)
      .split("\n")
      .flatMap((line) => wrap(line, columns));
  const options = (need?.options ?? []).map((name, index): ShownLine => {
    const isChosen = index === option;
    return { tone: isChosen ? "strong" : "plain", text: fit(`${isChosen ? "›" : " "} ${plainText(name)}`, columns) };
  });
  const field = `${at === "note" ? "›" : " "} note: ${plainText(note)}${at === "note" ? "▏" : ""}`;
  const chosen = plainText(need?.options[option] ?? "");
  const ask = at === "confirm" ? [line("warning", `Answer "${chosen}"? y: yes, any other key: no`)] : [];
  const below = [
    emptyLine,
    ...options,
    ...wrapped(field)
      .slice(-3)
      .map((text) => line("plain", text)),
    ...ask,
  ];
  const above = [
    ...wrapped(`#${run.number} ${run.workflow}: ${run.task.split("\n", 1)[0] ?? ""}`).map((text) => line("dim", text)),
    ...wrapped(`? ${need?.text ?? ""}`).map((text) => line("strong", text)),
  ];
  const about = (need?.about ?? "") === "" ? [] : wrapped(need?.about ?? "").map((text) => line("plain", `| ${text}`));
  const room = Math.max(0, rows - above.length - below.length);
  // What the question is about may be long; its options must be visible.
  const shown = about.length > room ? [...about.slice(0, Math.max(0, room - 1)), line("dim", "| …")] : about;
  return [...above, ...shown.slice(0, room), ...below]
    .slice(-rows)
    .map(({ tone, text }) => ({ tone, text: fit(text, columns) }));
}

function line(tone: ShownLine["tone"], text: string): ShownLine {
  return { tone, text };
}

function keysOf({ view }: WatchState): string {
  switch (view.kind) {
    case "list":
      return "↑↓ choose  ⏎ details  l logs  d diff  a answer  p pause/resume  ? keys  q quit";
    case "answer":
      return "↑↓ choose  tab note  ⏎ answer  esc back";
    case "help":
    case "details":
    case "diff":
    case "logs":
      return "↑↓ scroll  q back";
  }
}

const help = [
  "pawl watch: all runs, what needs you first",
  "",
  "  ↑ ↓, k j    choose a run",
  "  enter       where it stands, as `pawl status`",
  "  l           what its agents did, as `pawl logs --follow`",
  "  d           what it changed, as `pawl diff`",
  "  a           answer its question, with a note",
  "  p           pause it: running attempts end; or resume it in the background",
  "  q           back, and quit",
];
