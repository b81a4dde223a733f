// The files of `.ai/` that show a run: STATE.json with the story at work, one file per story, and its last hand-off.

import { basename, dirname } from "node:path";
import type { Event } from "../../domain/event.ts";
import type { Facts } from "../../domain/report.ts";
import type { Run } from "../../domain/run.ts";
import type { StoryEntry, StoryStatus } from "../../domain/story.ts";
import { readInside, writeInside } from "../../system/files/inside.ts";
import type { ProjectedFiles } from "../files/projection.ts";
import { type AiFolder, aiFolder, largestFile, storyHandoff, storyState } from "./ai-folder.ts";
import { stateFields } from "./found-state.ts";
import { projectSettings } from "./project-settings.ts";
import { storyDocument } from "./state-document.ts";

export class AgenticFiles implements ProjectedFiles {
  readonly dir: string;
  readonly shownToAgents = true;
  readonly #folder: AiFolder;
  readonly #inPlace: boolean;
  /** What is known of the attempts of all stories, by their ids. */
  readonly #facts = new Map<string, Facts>();

  /** The STATE.json that the run found when it started. */
  #found: Readonly<Record<string, unknown>> | null = null;

  constructor(shared: string, inPlace: boolean) {
    this.dir = shared;
    this.#folder = aiFolder(shared);
    this.#inPlace = inPlace;
  }

  async prepare(): Promise<void> {
    this.#found = stateFields(readOrNull(this.#folder));
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

  files(run: Run): Readonly<Record<string, string>> {
    const texts = run.header.stories.map((entry): [string, string] => [
      storyState(this.#folder, entry.id),
      this.#text(run, entry),
    ]);
    const shown = storyAtWork(run.header.stories);
    return {
      ...Object.fromEntries(texts),
      ...(shown === null ? {} : { [this.#folder.state]: this.#text(run, shown) }),
    };
  }

  #text(run: Run, entry: StoryEntry): string {
    const imported = this.#found?.["story"] === entry.id ? this.#found : null;
    const document = storyDocument({ run, project: this.#project(), entry, facts: this.#facts, imported });
    return `${JSON.stringify(document, null, 2)}\n`;
  }

  #project(): string {
    const { project } = this.#found ?? {};
    const own = typeof project === "string" && project !== "" ? project : basename(dirname(this.dir));
    return projectSettings(this.dir, own).name;
  }
}

/** Agents may write there: what cannot be read is left out. */
function readOrNull({ dir, found }: AiFolder): string | null {
  try {
    return readInside(dir, found, largestFile);
  } catch {
    return null;
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
