// The files of `.ai/` that show a run: STATE.json with the story at work, one file per story, and its last hand-off.

import { basename, dirname } from "node:path";
import type { Event } from "../../domain/event.ts";
import type { Facts } from "../../domain/report.ts";
import type { Run } from "../../domain/run.ts";
import { isSettled, type StoryEntry, type StoryStatus } from "../../domain/story.ts";
import { appendInside, writeInside } from "../../system/files/inside.ts";
import type { FoundNote, ProjectedFiles } from "../files/projection.ts";
import { type AiFolder, aiFolder, storyHandoff, storyState } from "./ai-folder.ts";
import { isNothing } from "./aliases.ts";
import { changeIn } from "./changed-state.ts";
import { readOrNull, stateFields } from "./found-state.ts";
import { projectSettings } from "./project-settings.ts";
import { storyDocument } from "./state-document.ts";

export class AgenticFiles implements ProjectedFiles {
  readonly dir: string;
  readonly shownToAgents = true;
  readonly #folder: AiFolder;
  readonly #inPlace: boolean;
  readonly #warn: (text: string) => void;
  /** The file is another tool's. */
  #isForeign = false;
  readonly #said = new Set<string>();
  /** What is known of the attempts of all stories, by their ids. */
  readonly #facts = new Map<string, Facts>();

  /** The STATE.json that the run found when it started. */
  #found: Readonly<Record<string, unknown>> | null = null;

  constructor(shared: string, inPlace: boolean, warn: (text: string) => void) {
    this.#warn = warn;
    this.dir = shared;
    this.#folder = aiFolder(shared);
    this.#inPlace = inPlace;
  }

  async prepare(): Promise<void> {
    this.#found = stateFields(readOrNull(this.dir, this.#folder.found));
  }

  follow(event: Event): void {
    if (event.type === "attempt_ended") this.#facts.set(event.attempt, event.facts ?? {});
  }

  /** Also of a session whose tree is gone. An executor that works in place writes the project's HANDOFF.md itself. */
  writeEntry(event: Event): void {
    if (event.type !== "attempt_ended" || event.story === null) return;
    const handoff = event.facts?.["handoff"];
    if (typeof handoff !== "string") return;
    writeInside(this.dir, storyHandoff(this.#folder, event.story), handoff);
    if (!this.#inPlace) writeInside(this.dir, this.#folder.handoff, handoff);
  }

  look(run: Run): readonly FoundNote[] {
    const { dir, written, broken, log } = this.#folder;
    const last = readOrNull(dir, written);
    const shown = storyAtWork(run.header.stories);
    if (shown === null) return [];
    if (last === null) return this.#foundNote(run, shown);
    const change = changeIn(this.#folder, last, run);
    this.#isForeign = change.isForeign;
    if (change.broken !== null) writeInside(dir, broken, change.broken);
    const isKnown = run.header.notes.some(({ text }) => text === change.note);
    const notes = change.note === null || isKnown ? [] : [{ story: shown.id, text: change.note }];
    for (const text of [...change.refused, ...notes.map((note) => `STATE.json: human_note was taken: ${note.text}`)]) {
      if (change.isForeign && this.#said.has(text)) continue;
      this.#said.add(text);
      this.#warn(text);
      appendInside(dir, log, `${new Date().toISOString()} [WARN] [pawl] ${text.replace(/\s+/g, " ")}\n`);
    }
    return notes;
  }

  /** What a person wrote before the run began. */
  #foundNote({ header }: Run, shown: StoryEntry): readonly FoundNote[] {
    const { human_note: said, story } = this.#found ?? {};
    if (typeof said !== "string" || isNothing(said) || header.notes.length > 0) return [];
    const entry = typeof story === "string" ? header.stories.find(({ id }) => id === story) : shown;
    return entry === undefined || isSettled(entry) ? [] : [{ story: entry.id, text: said.trim() }];
  }

  files(run: Run): Readonly<Record<string, string>> {
    const texts = run.header.stories.map((entry): [string, string] => [
      storyState(this.#folder, entry.id),
      this.#text(run, entry),
    ]);
    const shown = storyAtWork(run.header.stories);
    return {
      ...Object.fromEntries(texts),
      ...(shown === null || this.#isForeign ? {} : this.#state(this.#text(run, shown))),
    };
  }

  #state(text: string): Readonly<Record<string, string>> {
    return { [this.#folder.state]: text, [this.#folder.written]: text };
  }

  #text(run: Run, entry: StoryEntry): string {
    const imported = this.#found?.["story"] === entry.id ? this.#found : null;
    const document = storyDocument({ run, project: this.#project(), entry, facts: this.#facts, imported });
    // Other orchestrators take a reason anywhere else for a mistake, and correct the file.
    const reason = document.status === "failing" ? document.reason : null;
    return `${JSON.stringify({ ...document, reason }, null, 2)}\n`;
  }

  #project(): string {
    const { project } = this.#found ?? {};
    const own = typeof project === "string" && project !== "" ? project : basename(dirname(this.dir));
    return projectSettings(this.dir, own).name;
  }
}

const order: readonly StoryStatus[] = ["running", "held", "failed", "waiting", "blocked", "cancelled"];

/** The story that STATE.json shows: the one at work, else the next one, else the last one that was done. */
function storyAtWork(stories: readonly StoryEntry[]): StoryEntry | null {
  for (const status of order) {
    const found = stories.find((entry) => entry.status === status);
    if (found !== undefined) return found;
  }
  return stories.at(-1) ?? null;
}
