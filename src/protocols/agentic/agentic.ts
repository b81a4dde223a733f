// The agentic coding protocol: an orchestrator and executors that talk by the files of a project's `.ai/` folder.

import { storyId } from "../../domain/ids.ts";
import type { StorySpec } from "../../domain/story.ts";
import { withSize } from "../../workflows/rules/story-size.ts";
import { leadRole } from "../../workflows/rules/team-roles.ts";
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
  showsParts: true,
  hasFolder: true,
  checksDecide: true,
  storiesFor: (task) => [oneStory(task)],

  begin: ({ id, place }) => {
    if (place.shared !== undefined) keepFound(aiFolder(place.shared), id);
  },

  excludes: excludedIn,

  ownFiles: ({ place }) => (place.shared === undefined ? [] : [place.shared]),

  values: agenticValues,

  environment: ({ attempt }) => (attempt.part === leadRole ? agentTeamsOn : {}),

  prepare: prepareFolder,

  async collect(work, workspace, session) {
    // Every command loads this file, and a reader of YAML is large.
    const { collectedFrom, leftBy } = await import("./collected.ts");
    const left = leftBy({ ...work, session }, sessionFolder(work.run.header, workspace));
    return collectedFrom(left, work.attempt, work.run);
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

/** What turns on teams that a session leads itself; they are experimental there. */
const agentTeamsOn = { CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: "1" };

/** A task without a queue of stories is one story. */
function oneStory(task: string): StorySpec {
  const [first = ""] = task.split("\n", 1);
  const title = first.length > 72 ? `${first.slice(0, 71).trimEnd()}…` : first;
  return withSize({ id: storyId("US-001"), title, description: task, acceptanceCriteria: [], dependsOn: [] });
}
