// Decides whether a PRD starts a run, continues the run that owns its folder, or imports the state of another program.

import { existsSync, renameSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { AppError, systemCode } from "../../domain/error.ts";
import type { Event } from "../../domain/event.ts";
import type { StoryId } from "../../domain/ids.ts";
import type { AdoptedStory, StorySpec } from "../../domain/story.ts";
import { readInside, writeInside } from "../../system/files/inside.ts";
import { readSidecar, shownOf } from "../files/sidecar.ts";
import type { ContinueOpening, EarlierRun, FoundRun, Opening, OpenRequest, RunLookup } from "../protocol.ts";
import { type ImportedState, readState } from "./imported-state.ts";
import { type Prd, readPrd } from "./prd.ts";
import { changesIn, openSpecs, specOf } from "./prd-changes.ts";
import type { PrdStory } from "./prd-story.ts";
import { importedName, type Shared, sharedIn } from "./shared.ts";

export async function openPrd({ file, path, text, only, folder, runs }: OpenRequest): Promise<Opening> {
  const written = readPrd(text, file);
  const shared = sharedIn(folder);
  // One that cannot be read is refused before anything starts.
  readSidecar(shared.sidecarFile);
  const placed = await runs.at({ folder, file: path });
  const ofFile = placed.filter((run) => run.file === path);
  const open = [...ofFile, ...placed].find(({ isOver }) => !isOver);
  const owner = open === undefined ? null : await runs.find(open.id);
  if (owner !== null) {
    const chosen = { ...written, stories: chosenStories(written, only) };
    return await continued(owner, { file, path, written, chosen }, runs);
  }
  const [earlier] = ofFile;
  const whole = earlier === undefined ? written : await withFinished(written, file, earlier, runs);
  const prd = { ...whole, stories: chosenStories(whole, only) };
  const left = existsSync(shared.stateFile);
  const before = placed.find((run) => run.folder === folder);
  const start = { kind: "start", task: taskOf(prd, file), notes: prd.notes } as const;
  if (before === undefined && left) return { ...start, ...importState(prd, shared) };
  if (prd.stories.every(({ passes }) => passes)) return { ...start, ...given(prd) };
  // The PRD marks stories that the earlier run finished. Its history stays in the folder beside the new one.
  if (before !== undefined) putAside(shared.stateFile, join(shared.dir, `workflow_state.${before.number}.json`));
  // The imported state of an earlier run does not apply to this run's stories, even if their ids are the same.
  rmSync(join(shared.dir, importedName), { force: true });
  return { ...start, ...given(prd) };
}

/**
 * A story that an earlier run finished has passed, also if that never reached the file: its driver died first, or the file cannot
 * be written or is not there. Where the file did say so once, a person has taken it back. A story with other words is another story,
 * and so is every story of another repository at the same place.
 */
async function withFinished(prd: Prd, file: string, earlier: EarlierRun, runs: RunLookup): Promise<Prd> {
  const run = await runs.find(earlier.id);
  if (run === null || !(await runs.beganHere(run))) return prd;
  const shown = earlier.folder === null ? null : shownOf(earlier.folder, earlier.id);
  const unseen = new Set(doneIn(await runs.eventsAfter(earlier.id, shown ?? 0)));
  if (unseen.size === 0) return prd;
  const specs = new Map((await runs.specs(earlier.id)).map((spec) => [spec.id, spec]));
  const isFinished = (story: PrdStory) => unseen.has(story.id) && sameWords(story, specs.get(story.id));
  const found = prd.stories.filter((story) => !story.passes && isFinished(story)).map(({ id }) => id);
  if (found.length === 0) return prd;
  const note = `done in run #${earlier.number}, though ${file} does not say so: ${found.join(", ")}; to do one again, change its text`;
  const stories = prd.stories.map((story) => (found.includes(story.id) ? { ...story, passes: true } : story));
  return { ...prd, stories, notes: [...prd.notes, note] };
}

/** Without those that were taken back. */
function doneIn(events: readonly Event[]): readonly StoryId[] {
  const reverted = new Set(events.flatMap((event) => (event.type === "story_reverted" ? [event.of] : [])));
  const isDone = (event: Event) => event.type === "story_changed" && event.status === "done" && !event.leftOut;
  const done = events.flatMap((event) => (event.type === "story_changed" && isDone(event) ? [event.of] : []));
  return done.filter((id) => !reverted.has(id));
}

function sameWords(one: StorySpec, other: StorySpec | undefined): boolean {
  const words = ({ title, description, acceptanceCriteria }: StorySpec) =>
    JSON.stringify([title, description, acceptanceCriteria]);
  return other !== undefined && words(one) === words(other);
}

/** Two processes may start the same PRD at once: then the other one has done it. */
function putAside(file: string, target: string): void {
  try {
    renameSync(file, target);
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
  }
}

interface PrdOfRun {
  readonly file: string;
  readonly path: string;
  readonly written: Prd;
  /** Only the stories that were asked for. */
  readonly chosen: Prd;
}

async function continued(run: FoundRun, prd: PrdOfRun, runs: RunLookup): Promise<ContinueOpening> {
  const { place, stories } = run.header;
  const { path } = prd;
  if (place.source !== undefined && place.source !== path) {
    throw new AppError("REFUSED", `run #${run.number} for ${basename(place.source)} uses ${place.shared}`, {
      hint: `end it first (\`pawl resume ${run.number}\` or \`pawl cancel ${run.number}\`), or choose another folder with --shared`,
    });
  }
  const known = new Set(stories.map(({ id }) => id));
  const specs = await runs.specs(run.header.id);
  const imported = place.shared !== undefined && existsSync(join(place.shared, importedName));
  const changes = changesIn({ run, specs, file: prd.file, prd: prd.written, keepsUnknown: imported });
  return {
    kind: "continue",
    run,
    added: [...changes.replaced, ...addedTo(known, prd.chosen)],
    dropped: changes.dropped,
    done: changes.done,
    notes: changes.notes,
  };
}

/** Stories that are new and not done. */
function addedTo(known: ReadonlySet<StoryId>, prd: Prd): readonly StorySpec[] {
  return openSpecs(known, prd).filter(({ id }) => !known.has(id));
}

interface Given {
  readonly stories: readonly StorySpec[];
  readonly adopted: readonly AdoptedStory[];
}

function given(prd: Prd): Given {
  const adopted = prd.stories
    .filter(({ passes }) => passes)
    .map(({ id }): AdoptedStory => ({ id, status: "done", chain: [] }));
  return { stories: prd.stories.map(specOf), adopted };
}

/** Imports the state that another program, or another home, left: its stories resume where they were. */
function importState(prd: Prd, shared: Shared): Given & { readonly notes: readonly string[] } {
  const text = readInside(shared.dir, shared.stateFile) ?? "";
  const state = readState(text, shared.stateFile);
  writeInside(shared.dir, join(shared.dir, importedName), text);
  const plan = planState(state, prd);
  const begun = plan.adopted.filter(({ chain, status }) => chain.length > 0 && status === "waiting").length;
  const done = plan.adopted.filter(({ status }) => status === "done").length;
  const found = `${basename(shared.stateFile)} was found and is imported: ${done} done, ${begun} in progress`;
  return { ...plan, notes: [...prd.notes, found] };
}

/** The stories of a state file, with the details of its PRD if there is one. */
export function planState(state: ImportedState, prd: Prd | null): Given {
  const plan = prd === null ? { stories: [], adopted: [] } : given(prd);
  const inPrd = new Set(plan.stories.map(({ id }) => id));
  const passed = new Set(plan.adopted.map(({ id }) => id));
  return {
    stories: [...plan.stories, ...state.stories.flatMap(({ spec }) => (inPrd.has(spec.id) ? [] : [spec]))],
    adopted: [...plan.adopted, ...state.stories.flatMap(({ adopted }) => (passed.has(adopted.id) ? [] : [adopted]))],
  };
}

function chosenStories(prd: Prd, wanted: readonly string[]): Prd["stories"] {
  if (wanted.length === 0) return prd.stories;
  const unknown = wanted.filter((id) => !prd.stories.some((story) => story.id === id));
  if (unknown.length > 0) {
    throw new AppError("NOT_FOUND", `the PRD has no story ${unknown.join(", ")}`, {
      hint: `it has: ${prd.stories.map(({ id }) => id).join(", ")}`,
    });
  }
  const chosen = prd.stories.filter(({ id, passes }) => passes || wanted.includes(id));
  for (const { id, dependsOn } of chosen) {
    const missing = dependsOn.filter((other) => !chosen.some((story) => story.id === other));
    if (missing.length > 0) {
      throw new AppError("USAGE", `${id} depends on ${missing.join(", ")}, which neither passes nor is chosen`, {
        hint: `choose it too: --story ${[...missing, ...wanted].join(" ")}`,
      });
    }
  }
  return chosen;
}

/** The task of the run, as it is in every prompt. */
export function taskOf(prd: Prd, file: string): string {
  return prd.title.trim() === "" ? `Work through ${file}` : prd.title;
}
