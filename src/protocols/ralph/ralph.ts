// The protocol of Dynamic Ralph: stories of a PRD, each a chain that its agents may edit, with scratch files and a state file
// in a shared folder.

import { storyId } from "../../domain/ids.ts";
import type { StorySpec } from "../../domain/story.ts";
import { writeSidecar } from "../files/sidecar.ts";
import type { Protocol, RunFacts } from "../protocol.ts";
import { clearRequest, putAway, readRequest } from "./edit-requests.ts";
import { RalphFiles } from "./projected.ts";
import {
  excludePatterns,
  failureDiff,
  restartDiff,
  type Shared,
  sharedIn,
  stepLogFile,
  storyScratch,
} from "./shared.ts";
import { ralphKeys, ralphValues } from "./values.ts";

export const ralph: Protocol = {
  name: "ralph",
  templateKeys: ralphKeys,
  takesEdits: true,
  needsStories: true,
  // Types repeat in a chain: only the id says which step it is.
  stepIs: "id",
  hasFolder: true,
  storiesFor: (task) => [oneStory(task)],
  async open(request) {
    // Every command loads this file, and the reader of files that others wrote is large.
    const { openPrd } = await import("./prd-plan.ts");
    return await openPrd(request);
  },

  begin(run) {
    const shared = sharedOf(run);
    if (shared !== null) writeSidecar(shared.sidecarFile, { run: run.id, projected: 0 });
  },

  excludes(run) {
    const shared = sharedOf(run);
    const { repo } = run.place;
    return shared === null || repo === null ? [] : excludePatterns(shared, repo);
  },

  ownFiles: ({ place }) => (place.source === undefined ? [] : [place.source]),

  values: ralphValues,

  environment({ run }) {
    const { shared } = run.header.place;
    return shared === undefined ? {} : { RALPH_SHARED_DIR: shared };
  },

  writable({ run }) {
    const { shared } = run.header.place;
    return shared === undefined ? [] : [shared];
  },

  prepare({ run, attempt }) {
    clearRequest(run.header, attempt);
  },

  collect({ run, attempt }) {
    const edits = readRequest(run.header, attempt);
    return edits === undefined ? {} : { edits };
  },

  settled({ run, attempt }, events) {
    const applied = events.some(({ type }) => type === "chain_edited");
    putAway(run.header, attempt, applied);
  },

  logFile(run, { story, step, number }) {
    const shared = sharedOf(run);
    return shared === null || story === null ? null : stepLogFile(shared, story, step, number);
  },

  sharedTexts(run, story) {
    const shared = sharedOf(run);
    if (shared === null) return [];
    return [shared.scratchFile, ...(story === null ? [] : [storyScratch(shared, story)])];
  },

  diffFile(run, { story, step, number, state }) {
    const shared = sharedOf(run);
    if (shared === null || story === null) return null;
    // An attempt that requested one restart too many has failed.
    const restarted = state.phase === "ended" && state.taken?.key === "edit" && state.taken.to !== "fail";
    return restarted ? restartDiff(shared, story, step, number) : failureDiff(shared, story, step, number);
  },

  project({ place }, warn) {
    return place.shared === undefined ? null : new RalphFiles(place.shared, place.source ?? null, warn);
  },
};

function sharedOf({ place }: RunFacts): Shared | null {
  return place.shared === undefined ? null : sharedIn(place.shared);
}

/** A task without a PRD becomes a single story. */
function oneStory(task: string): StorySpec {
  const [first = ""] = task.split("\n", 1);
  const title = first.length > 72 ? `${first.slice(0, 71).trimEnd()}…` : first;
  return { id: storyId("oneshot"), title, description: task, acceptanceCriteria: [], dependsOn: [] };
}
