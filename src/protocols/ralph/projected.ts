// The files of Dynamic Ralph that show a run: the state file, scratch entries, archived scratch files, and `passes` in the PRD.

import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { AppError, errorText } from "../../domain/error.ts";
import type { Event } from "../../domain/event.ts";
import type { StoryId } from "../../domain/ids.ts";
import type { Run } from "../../domain/run.ts";
import type { StorySpec } from "../../domain/story.ts";
import { readInside, writeInside } from "../../system/files/inside.ts";
import { isInside } from "../../system/files/paths.ts";
import { readRegular } from "../../system/files/regular-file.ts";
import { type Content, writeWhole } from "../../system/files/whole-file.ts";
import type { ProjectedFiles } from "../files/projection.ts";
import type { ImportedState } from "./imported-state.ts";
import { PassMarks } from "./pass-marks.ts";
import { appendScratch, archiveScratch } from "./scratch.ts";
import { importedName, type Shared, sharedIn, storyScratch } from "./shared.ts";
import { StateProjection } from "./state-file.ts";

export class RalphFiles implements ProjectedFiles {
  readonly dir: string;
  readonly lock: string;
  readonly #shared: Shared;
  readonly #prd: string | null;
  readonly #warn: (text: string) => void;
  #state: StateProjection;
  readonly #marks = new PassMarks();
  /** Stories that are done, or taken back, and not yet marked in the PRD. */
  readonly #passes = new Map<StoryId, boolean>();

  constructor(dir: string, prd: string | null, warn: (text: string) => void) {
    this.#shared = sharedIn(dir);
    this.dir = this.#shared.dir;
    this.lock = this.#shared.stateLock;
    this.#prd = prd;
    this.#state = this.#stateWith(null);
    this.#warn = warn;
  }

  async prepare(): Promise<void> {
    const imported = await readImported(join(this.dir, importedName), this.#warn);
    if (imported !== null) this.#state = this.#stateWith(imported);
  }

  #stateWith(imported: ImportedState | null): StateProjection {
    return new StateProjection({ prdFile: this.#prd === null ? "" : basename(this.#prd), imported });
  }

  follow(event: Event): void {
    this.#state.apply(event);
  }

  async writeEntry(event: Event, mark: string): Promise<void> {
    if (event.type === "edit_refused" && event.story !== null) {
      const entry = `## Workflow edit refused (${event.by})\n\nNothing was changed: ${event.why}`;
      await appendScratch(storyScratch(this.#shared, event.story), entry, { mark });
    }
    if (event.type === "step_failed" && event.story !== null) {
      const entry = `- ${event.story} failed at ${event.step}: ${event.reason.split("\n", 1)[0]?.slice(0, 500)}`;
      await appendScratch(this.#shared.scratchFile, entry, { mark });
    }
    if (event.type === "story_changed" && event.status === "done") {
      // Nothing of it is there.
      if (!event.leftOut) this.#passes.set(event.of, true);
      archiveScratch(this.#shared, event.of);
    }
    if (event.type === "story_reverted") this.#passes.set(event.of, false);
  }

  /** A run that begins may have a thousand stories that are done already. */
  endEntries(): void {
    if (this.#passes.size === 0) return;
    this.#markPasses();
    this.#passes.clear();
  }

  files(run: Run, specs: readonly StorySpec[]): Readonly<Record<string, Content>> {
    return { [this.#shared.stateFile]: this.#state.pieces(run, specs) };
  }

  /** Only the value of `passes` changes in the user's file. */
  #markPasses(): void {
    if (this.#prd === null) return;
    if (!existsSync(this.#prd))
      throw new AppError("INPUT_MISSING", `${this.#prd} is not there, so it does not say what is done`, {
        hint: "Pawl knows it all the same, and writes it when the file is there again",
      });
    const text = readRegular(this.#prd, { links: "follow" });
    const marked = this.#marks.mark(text, this.#passes);
    if (marked === text) return;
    // A link that the user made stays one. In the shared folder an agent may have made it.
    if (isInside(this.#prd, this.dir)) writeInside(this.dir, this.#prd, marked);
    else writeWhole(this.#prd, marked);
  }
}

/** Agents may write there, so an unreadable file does not stop the run. */
async function readImported(file: string, warn: (text: string) => void): Promise<ImportedState | null> {
  try {
    const text = readInside(dirname(file), file);
    if (text === null) return null;
    const { readState } = await import("./imported-state.ts");
    return readState(text, file);
  } catch (error) {
    warn(`the state file no longer shows what was imported: ${errorText(error)}`);
    return null;
  }
}
