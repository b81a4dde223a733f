// Runs of a PRD. Owns: whether a PRD starts a run, goes on with one that has its folder, or takes over what another program left
// there.

import { copyFileSync, existsSync, readFileSync, renameSync, rmSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { AppError } from "../../domain/error.ts";
import type { StoryId } from "../../domain/ids.ts";
import type { AdoptedStory, StorySpec } from "../../domain/story.ts";
import type { Prd } from "../../protocols/ralph/prd.ts";
import { readSidecar, type Shared, sharedIn } from "../../protocols/ralph/shared.ts";
import { type ImportedState, readState } from "../../protocols/ralph/state-file.ts";
import type { RunSummary } from "../../store/store.ts";
import type { Parts } from "../parts.ts";

export type PrdPlan =
  | {
      readonly kind: "go_on";
      readonly run: RunSummary;
      readonly added: readonly StorySpec[];
      /** As it was started: who performs it, and how many stories at once. */
      readonly executor: string | null;
      readonly agents: number | null;
    }
  | {
      readonly kind: "start";
      readonly stories: readonly StorySpec[];
      readonly adopted: readonly AdoptedStory[];
      readonly notes: readonly string[];
    };

/** The name under which the state that a run began with is kept: what it says of steps that ran before stays. */
export const importedName = ".pawl-imported.json";

export async function planPrd(parts: Parts, prd: Prd, file: string, dir: string): Promise<PrdPlan> {
  const shared = sharedIn(dir);
  const owner = await ownerOf(parts, shared);
  if (owner !== null && owner.status !== "done" && owner.status !== "cancelled") {
    return await goOn(parts, owner, prd, file);
  }
  const left = existsSync(shared.stateFile);
  if (owner === null && left) return importState(prd, shared);
  const isOpen = prd.stories.some(({ passes }) => !passes);
  if (!isOpen) return { kind: "start", ...given(prd), notes: prd.notes };
  if (left && owner !== null) {
    // Its stories that are done say so in the PRD; its history stays beside the new one.
    renameSync(shared.stateFile, join(shared.dir, `workflow_state.${owner.number}.json`));
  }
  // What an earlier run began with says nothing of this one's stories, even if they have the same ids.
  rmSync(join(shared.dir, importedName), { force: true });
  return { kind: "start", ...given(prd), notes: prd.notes };
}

async function ownerOf(parts: Parts, shared: Shared): Promise<RunSummary | null> {
  const sidecar = readSidecar(shared);
  return sidecar === null ? null : await parts.store.runById(sidecar.run);
}

async function goOn(parts: Parts, run: RunSummary, prd: Prd, file: string): Promise<PrdPlan> {
  const header = (await parts.store.transaction((tx) => tx.load(run.id, () => [])))?.run.header;
  const { place, stories = [], executor = null } = header ?? {};
  if (place?.prd !== undefined && place.prd !== resolve(file)) {
    throw new AppError("REFUSED", `run #${run.number} for ${basename(place.prd)} uses ${place.shared}`, {
      hint: `end it first (\`pawl resume ${run.number}\` or \`pawl cancel ${run.number}\`), or choose another folder with --shared`,
    });
  }
  const known = new Set(stories.map(({ id }) => id));
  const step = header?.definition.steps.find(({ kind }) => kind === "stories");
  const agents = step?.kind === "stories" ? step.concurrency : null;
  return { kind: "go_on", run, added: addedTo(known, prd), executor, agents };
}

/** What is new and not done. What they wait for and was done before the run knew of it is nothing to wait for. */
function addedTo(known: ReadonlySet<StoryId>, prd: Prd): readonly StorySpec[] {
  const passed = new Set(prd.stories.filter(({ passes }) => passes).map(({ id }) => id));
  return prd.stories
    .filter(({ id, passes }) => !known.has(id) && !passes)
    .map((story) => {
      const dependsOn = story.dependsOn.filter((id) => known.has(id) || !passed.has(id));
      return { ...specOf(story), dependsOn };
    });
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

/** What another program, or another home, left: its stories go on where they were. */
function importState(prd: Prd, shared: Shared): PrdPlan {
  const state = readState(readFileSync(shared.stateFile, "utf8"), shared.stateFile);
  copyFileSync(shared.stateFile, join(shared.dir, importedName));
  const plan = planState(state, prd);
  const begun = plan.adopted.filter(({ chain, status }) => chain.length > 0 && status === "waiting").length;
  const done = plan.adopted.filter(({ status }) => status === "done").length;
  const found = `${basename(shared.stateFile)} was found and is taken over: ${done} done, ${begun} go on where they were`;
  return { kind: "start", ...plan, notes: [...prd.notes, found] };
}

/** What a state file knows, told better where its PRD is at hand. */
export function planState(state: ImportedState, prd: Prd | null): Given {
  const plan = prd === null ? { stories: [], adopted: [] } : given(prd);
  const inPrd = new Set(plan.stories.map(({ id }) => id));
  const passed = new Set(plan.adopted.map(({ id }) => id));
  return {
    stories: [...plan.stories, ...state.stories.flatMap(({ spec }) => (inPrd.has(spec.id) ? [] : [spec]))],
    adopted: [...plan.adopted, ...state.stories.flatMap(({ adopted }) => (passed.has(adopted.id) ? [] : [adopted]))],
  };
}

function specOf({ passes: _read, ...spec }: Prd["stories"][number]): StorySpec {
  return spec;
}
