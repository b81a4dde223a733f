// The lifecycle protocol: a project that keeps its state in `.workflow/`, whose skills are agents and whose decisions are read from
// the files that they leave.

import { join } from "node:path";
import type { DecisionReader, Protocol } from "../protocol.ts";
import { lifecycleFiles } from "./lifecycle-files.ts";
import type { ResultKind } from "./readers/result-readers.ts";
import { excludedFiles, projectOf } from "./standing/workflow-folder.ts";
import { callKeys, lifecycleValues } from "./values.ts";

const phasePositions = [
  "analyze",
  "plan",
  "execute",
  "verify",
  "verify-failed",
  "business-test",
  "review",
  "review-failed",
  "test",
  "test-failed",
  "finished",
];

/** Readers of files are loaded when something is read: every command loads this file. */
function resultDecision(kind: ResultKind, also?: ResultKind): DecisionReader {
  const read: DecisionReader["read"] = async (work) =>
    (await import("./standing/result-decisions.ts")).readResultDecision(work, kind, also);
  return { values: ["proceed", "fix"], read };
}

export const lifecycle: Protocol = {
  name: "lifecycle",
  templateKeys: callKeys,
  feedbackKey: "gap_summary",
  needsStories: true,
  showsParts: true,
  formsWaves: true,
  hasFolder: true,
  readers: {
    locate: {
      values: ["brainstorm", "init", "roadmap", "phases", "audit", "complete"],
      plans: true,
      read: async (work) => (await import("./standing/position-readers.ts")).readLocate(work),
    },
    stand: {
      values: phasePositions,
      read: async (work) => (await import("./standing/position-readers.ts")).readStand(work),
    },
    verification: resultDecision("verification"),
    "business-test": resultDecision("business-test"),
    review: resultDecision("review"),
    uat: resultDecision("uat", "test-results"),
    milestone: {
      values: ["more", "complete"],
      read: async (work) => (await import("./standing/position-readers.ts")).readMilestone(work),
    },
  },

  excludes: excludedFiles,

  ownFiles: ({ place }) => {
    const project = projectOf(place);
    return project === null ? [] : [join(project, ".workflow")];
  },

  values: lifecycleValues,

  // A spawner leaves its results in the folder of the session.
  writable: ({ run }) => [run.header.place.shared ?? []].flat(),

  ...lifecycleFiles,
};
