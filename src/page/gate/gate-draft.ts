// What a person has written about a gate and not sent. Owns: keeping it in this browser, one draft for each gate, so that neither a
// reload nor work that moved loses it. What it reads back is checked: it may come from another version of the page.

import { type ReadonlySignal, signal } from "@preact/signals";
import { isSamePlace, type LineComment, type LinePlace } from "../diff/line-comment.ts";

export interface GateWords {
  readonly note: string;
  readonly option: string | null;
  readonly reason: string | null;
  readonly comments: readonly LineComment[];
  /** The files that were viewed, with the mark of their text. */
  readonly viewed: Readonly<Record<string, string>>;
}

export const noWords: GateWords = { note: "", option: null, reason: null, comments: [], viewed: {} };

const prefix = "pawl.gate.";
const keptMs = 60 * 24 * 60 * 60 * 1_000;
const pauseMs = 200;

/** The part of localStorage that it uses. */
export type DraftStorage = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

export class GateDraft {
  readonly #words = signal<GateWords>(noWords);
  readonly #isKept = signal(true);
  readonly #key: string;
  readonly #storage: DraftStorage;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(gate: string, storage: DraftStorage) {
    this.#key = prefix + gate;
    this.#storage = storage;
    removeOld(storage);
    this.readAgain();
  }

  get words(): ReadonlySignal<GateWords> {
    return this.#words;
  }

  /** False: the browser has no room for it, or keeps nothing. */
  get isKept(): ReadonlySignal<boolean> {
    return this.#isKept;
  }

  get key(): string {
    return this.#key;
  }

  set(changes: Partial<GateWords>): void {
    this.#words.value = { ...this.#words.value, ...changes };
    this.#timer ??= setTimeout(() => this.keep(), pauseMs);
  }

  /** One comment for each line; an empty text removes it. */
  comment(comment: LineComment): void {
    const others = this.#words.value.comments.filter((each) => !isSamePlace(each, comment));
    this.set({ comments: comment.text.trim() === "" ? others : [...others, comment] });
  }

  remove(place: LinePlace): void {
    this.set({ comments: this.#words.value.comments.filter((each) => !isSamePlace(each, place)) });
  }

  setViewed(path: string, mark: string | null): void {
    const { [path]: _, ...others } = this.#words.value.viewed;
    this.set({ viewed: mark === null ? others : { ...others, [path]: mark } });
  }

  /** It was sent, or is not wanted any more. */
  clear(): void {
    this.#words.value = { ...noWords, viewed: this.#words.value.viewed };
    this.keep();
  }

  /** Writes what was changed lately, now. */
  keep(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    try {
      this.#storage.setItem(this.#key, JSON.stringify({ ...this.#words.value, at: Date.now() }));
      this.#isKept.value = true;
    } catch {
      this.#isKept.value = false;
    }
  }

  /** Another tab has changed it. */
  readAgain(): void {
    this.#words.value = wordsIn(readItem(this.#storage, this.#key));
  }
}

function readItem(storage: DraftStorage, key: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(storage.getItem(key) ?? "null");
    return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}

function wordsIn({ note, option, reason, comments, viewed }: Readonly<Record<string, unknown>>): GateWords {
  return {
    note: typeof note === "string" ? note : "",
    option: typeof option === "string" ? option : null,
    reason: typeof reason === "string" ? reason : null,
    comments: Array.isArray(comments) ? comments.filter(isComment) : [],
    viewed: typeof viewed === "object" && viewed !== null ? textsIn(viewed) : {},
  };
}

function textsIn(value: object): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(value).filter(([, text]) => typeof text === "string"));
}

function isComment(value: unknown): value is LineComment {
  if (typeof value !== "object" || value === null) return false;
  const { path, side, line, text, quote } = value as Readonly<Record<string, unknown>>;
  const areTexts = [path, text, quote].every((each) => typeof each === "string");
  return areTexts && (side === "old" || side === "new") && Number.isInteger(line);
}

/** Drafts of questions that nobody looked at for two months. */
function removeOld(storage: DraftStorage): void {
  const keys = Array.from({ length: storage.length }, (_, i) => storage.key(i) ?? "").filter((key) =>
    key.startsWith(prefix),
  );
  for (const key of keys) {
    const { at } = readItem(storage, key);
    if (typeof at !== "number" || at < Date.now() - keptMs) storage.removeItem(key);
  }
}
