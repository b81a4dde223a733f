// The agentic coding protocol: an orchestrator and executors that talk by the files of a project's `.ai/` folder.

import { storyId } from "../../domain/ids.ts";
import type { StorySpec } from "../../domain/story.ts";
import type { Protocol } from "../protocol.ts";
import { aiFolder, excludedIn, sessionFolder, worksInPlace } from "./ai-folder.ts";
import { keepFound } from "./found-state.ts";
import { logEnd } from "./hook-log.ts";
import { promptKeys } from "./prompt.ts";
import { prepareFolder } from "./session-folder.ts";
import { AgenticFiles } from "./state-file.ts";
import { agenticValues } from "./values.ts";

export const agentic: Protocol = {
  name: "agentic",
  templateKeys: promptKeys,
  notesKey: "human_instruction",
  feedbackKey: "previous_attempt",
  needsStories: true,
  hasFolder: true,
  checksDecide: true,
  storiesFor: (task) => [oneStory(task)],

  begin: ({ id, place }) => {
    if (place.shared !== undefined) keepFound(aiFolder(place.shared), id);
  },

  excludes: excludedIn,

  ownFiles: ({ place }) => (place.shared === undefined ? [] : [place.shared]),

  values: agenticValues,

  prepare: prepareFolder,

  async collect(work, workspace, session) {
    // Every command loads this file, and a reader of YAML is large.
    const { collectedFrom, leftBy } = await import("./collected.ts");
    return collectedFrom(leftBy({ ...work, session }, sessionFolder(work.run.header, workspace)), work.attempt);
  },

  async arrived(work, workspace, session) {
    const { hasArrived } = await import("./arrived.ts");
    return hasArrived({ ...work, session }, workspace, Date.now());
  },

  settled: logEnd,

  reportFile: (run, workspace) => sessionFolder(run, workspace).handoff,

  project({ place }, warn) {
    return place.shared === undefined ? null : new AgenticFiles(place.shared, worksInPlace({ place }), warn);
  },
};

/** A task without a queue of stories is one story. */
function oneStory(task: string): StorySpec {
  const [first = ""] = task.split("\n", 1);
  const title = first.length > 72 ? `${first.slice(0, 71).trimEnd()}…` : first;
  return { id: storyId("US-001"), title, description: task, acceptanceCriteria: [], dependsOn: [] };
}
