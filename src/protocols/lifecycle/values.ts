// The template values of a skill's call: the phase, the user's words, the folders of the phase, and what was found wrong.

import { AppError } from "../../domain/error.ts";
import type { Facts } from "../../domain/report.ts";
import { scopeOf } from "../../domain/run.ts";
import { templateKeys } from "../../prompts/template.ts";
import type { AttemptFacts } from "../protocol.ts";
import { callValues } from "./session/call-values.ts";
import { feedbackIn } from "./session/pending-call.ts";
import { artifactOf, readSessionContext } from "./session/session-context.ts";
import { stageOf } from "./session/visit.ts";
import { phaseIn } from "./standing/phase-plan.ts";
import { phaseOf } from "./standing/phase-story.ts";
import { projectFolder } from "./standing/project-folder.ts";
import { stateOf } from "./standing/state-file.ts";

export const callKeys: readonly string[] = [
  "phase",
  "milestone",
  "intent",
  "gap_summary",
  "scratch_dir",
  "plan_dir",
  "analysis_dir",
  "brainstorm_dir",
];

/** Throws for a call that names something without a value: a skill must not start with a hole in its arguments. */
export function lifecycleValues({ run, attempt, definition }: AttemptFacts, workspace: string): Values {
  const folder = projectFolder(workspace);
  const state = stateOf(folder);
  const found = state === null ? null : phaseIn(state, attempt.story);
  const at = found === null ? phaseOf(attempt.story) : { milestone: found.milestone.id, phase: found.phase };
  const step = scopeOf(run, attempt.story)?.chain.find(({ id }) => id === attempt.step);
  const feedback = feedbackIn(step, attempt.part);
  const newest = artifactOf(folder, at, null);
  const values: Values = {
    ...callValues({ task: run.header.task, at, feedback }),
    ...dirsIn(readSessionContext(folder, at)),
    ...(newest === null ? {} : { scratch_dir: newest }),
  };
  const known: Values = { ...run.header.context, ...values };
  const missing = templateKeys(definition.input).find((key) => callKeys.includes(key) && !known[key]);
  if (missing === undefined) return values;
  throw new AppError("INPUT_INVALID", `${stageOf(attempt)}: the call needs {{${missing}}}, which is not known here`, {
    hint: `its step calls \`${definition.input.trim()}\`; ${hints[missing] ?? "look at .workflow/state.json"}`,
  });
}

type Values = Readonly<Record<string, string>>;

const hints: Readonly<Record<string, string>> = {
  phase: "only a phase of a milestone has one",
  plan_dir: "the phase has no completed plan yet",
  analysis_dir: "the phase has no completed analysis yet",
  scratch_dir: "the phase has no completed artifact yet",
  gap_summary: "no decision has sent the work back",
};

function dirsIn(context: Facts): Values {
  return Object.fromEntries(
    ["plan_dir", "analysis_dir", "brainstorm_dir"].flatMap((key) => {
      const dir = context[key];
      return typeof dir === "string" ? [[key, dir] as const] : [];
    }),
  );
}
