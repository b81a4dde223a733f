// The state of `pawl watch`. Owns: what each key does: a pure function of the state, the key and the runs that are listed.

import type { WatchedRun } from "../../contracts/watch-document.ts";
import type { Key } from "./keys.ts";

type View =
  | { readonly kind: "list" }
  | { readonly kind: "help" }
  | { readonly kind: "details"; readonly run: WatchedRun }
  | { readonly kind: "diff"; readonly run: WatchedRun }
  | { readonly kind: "logs"; readonly run: WatchedRun }
  | AnswerView;

export interface AnswerView {
  readonly kind: "answer";
  readonly run: WatchedRun;
  readonly option: number;
  readonly note: string;
  readonly at: "options" | "note" | "confirm";
}

export interface WatchState {
  readonly view: View;
  /** The run, and its gate; null: the first of the list. */
  readonly selected: string | null;
  /** Lines above the end of a log, or below the beginning of a text. */
  readonly scroll: number;
  /** What the last act did. */
  readonly message: string;
}

export const watchBegin: WatchState = { view: { kind: "list" }, selected: null, scroll: 0, message: "" };

/** What the state cannot do by itself. */
export type WatchAct =
  | { readonly kind: "quit" }
  | { readonly kind: "suspend" }
  | { readonly kind: "open"; readonly run: WatchedRun }
  | { readonly kind: "pause" | "resume"; readonly run: WatchedRun }
  | { readonly kind: "answer"; readonly gate: string; readonly option: string; readonly note: string };

export interface Pressed {
  readonly state: WatchState;
  readonly act: WatchAct | null;
}

const longestNote = 2_000;

function keyOf({ id, need }: WatchedRun): string {
  return `${id} ${need?.gate ?? ""}`;
}

/** The selected run stays selected while others come and go. */
export function selectedIndex({ selected }: WatchState, items: readonly WatchedRun[]): number {
  return Math.max(
    0,
    items.findIndex((run) => keyOf(run) === selected),
  );
}

export function press(state: WatchState, key: Key, items: readonly WatchedRun[]): Pressed {
  if (key === "interrupt") return { state, act: { kind: "quit" } };
  if (key === "suspend") return { state, act: { kind: "suspend" } };
  const { view } = state;
  if (view.kind === "answer") return pressInAnswer(state, view, key);
  if (view.kind === "list") return pressInList({ ...state, message: "" }, key, items);
  return pressInText(state, key);
}

const only = (state: WatchState): Pressed => ({ state, act: null });
const show = (state: WatchState, view: View): Pressed => only({ ...state, view, scroll: 0, message: "" });

function pressInList(state: WatchState, key: Key, items: readonly WatchedRun[]): Pressed {
  const index = selectedIndex(state, items);
  const run = items[index];
  const select = (at: number): Pressed => {
    const next = items[Math.min(items.length - 1, Math.max(0, at))];
    return only(next === undefined ? state : { ...state, selected: keyOf(next) });
  };
  switch (typeof key === "string" ? key : key.char) {
    case "q":
      return { state, act: { kind: "quit" } };
    case "?":
      return show(state, { kind: "help" });
    case "up":
    case "k":
      return select(index - 1);
    case "down":
    case "j":
      return select(index + 1);
    case "enter":
      if (run === undefined) return only(state);
      return { state: show(state, { kind: "details", run }).state, act: { kind: "open", run } };
    case "d":
      if (run === undefined) return only(state);
      return { state: show(state, { kind: "diff", run }).state, act: { kind: "open", run } };
    case "l":
      if (run === undefined) return only(state);
      return { state: show(state, { kind: "logs", run }).state, act: { kind: "open", run } };
    case "p":
      return run === undefined ? only(state) : steer(state, run);
    case "a":
      if (run?.need?.kind !== "gate") return only({ ...state, message: "This run asks nothing." });
      return show(state, { kind: "answer", run, option: 0, note: "", at: "options" });
    default:
      return only(state);
  }
}

function steer(state: WatchState, run: WatchedRun): Pressed {
  if (run.endedAt !== null) return only({ ...state, message: `Run #${run.number} is over.` });
  const isStill = run.status === "paused" || run.driver === null;
  return { state, act: { kind: isStill ? "resume" : "pause", run } };
}

function pressInText(state: WatchState, key: Key): Pressed {
  switch (typeof key === "string" ? key : key.char) {
    case "q":
    case "escape":
    case "enter":
      return show(state, { kind: "list" });
    case "up":
    case "k":
      return only({ ...state, scroll: state.scroll - 1 });
    case "down":
    case "j":
      return only({ ...state, scroll: state.scroll + 1 });
    case "page up":
      return only({ ...state, scroll: state.scroll - 10 });
    case "page down":
      return only({ ...state, scroll: state.scroll + 10 });
    default:
      return only(state);
  }
}

function pressInAnswer(state: WatchState, view: AnswerView, key: Key): Pressed {
  const options = view.run.need?.options ?? [];
  const change = (changes: Partial<AnswerView>) => only({ ...state, view: { ...view, ...changes } });
  const word = typeof key === "string" ? key : key.char;
  if (key === "escape") return show(state, { kind: "list" });
  if (view.at === "confirm") {
    const [gate, option] = [view.run.need?.gate ?? null, options[view.option]];
    if (word !== "y" || gate === null || option === undefined) return change({ at: "options" });
    return { state: show(state, { kind: "list" }).state, act: { kind: "answer", gate, option, note: view.note } };
  }
  if (key === "enter") return options.length === 0 ? only(state) : change({ at: "confirm" });
  if (key === "tab") return change({ at: view.at === "options" ? "note" : "options" });
  if (view.at === "note") {
    if (key === "backspace") return change({ note: Array.from(view.note).slice(0, -1).join("") });
    return typeof key === "string" ? only(state) : change({ note: (view.note + key.char).slice(0, longestNote) });
  }
  if (word === "q") return show(state, { kind: "list" });
  const step = word === "up" || word === "k" ? -1 : word === "down" || word === "j" ? 1 : 0;
  return change({ option: Math.min(options.length - 1, Math.max(0, view.option + step)) });
}
