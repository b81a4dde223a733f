// The decisions about where the work stands: of the project, of a phase, and after a milestone. What cannot be told is unknown, with
// the seed's code, and a person is asked.

import type { Evidence } from "../../../domain/evidence.ts";
import type { StoryId } from "../../../domain/ids.ts";
import type { Header, Run } from "../../../domain/run.ts";
import { isUnbegun, type StorySpec } from "../../../domain/story.ts";
import type { DecisionRead, DecisionWork } from "../../protocol.ts";
import { type Phase, phaseIn, phaseStory } from "./phase-plan.ts";
import { milestoneOf, phaseStanding, type Standing, standingOf } from "./position.ts";
import { type ProjectFolder, projectFolder } from "./project-folder.ts";
import { type LifecycleState, type Milestone, named, readProjectState, StateUnclear } from "./project-state.ts";
import { projectStateFile, stateOf } from "./state-file.ts";

/** What a person chose for a session, as keys of its context. */
export const choiceKeys = { phase: "wanted_phase", all: "all_phases" } as const;

/** What is missing of a project, in the words of its position. */
const wholeProject = ["brainstorm", "init", "roadmap", "complete"];

export function readLocate({ run, workspace }: DecisionWork): DecisionRead {
  const folder = projectFolder(workspace);
  const choice = choiceOf(run.header);
  const standing = standingOf(folder, choice.phase === null ? {} : { phase: choice.phase });
  const { why, milestone, phase } = standing;
  const { evidence } = standing;
  if (standing.kind === "unclear") return unknown(standing.code, why, evidence);
  const outputs = { ...(milestone === null ? {} : { milestone }), ...(phase === null ? {} : { phase }) };
  // What the project lacks is no complaint about the work of the step that is inserted.
  const found = { why, evidence, outputs, feedback: "" };
  const { position } = standing;
  const value = position === "milestone-audit" ? "audit" : wholeProject.find((word) => word === position);
  if (value !== undefined) return { ...found, value };
  const [first, ...later] = storiesOf(folder, standing, choice.all);
  const isTaken = ({ id }: Pick<StorySpec, "id">) => takenIn(run.header, id);
  // The run would drop a story that it has, and the milestone would be audited without it.
  if (first !== undefined && isTaken(first)) return unknown("E002", takenWords(standing, first), evidence);
  return { ...found, value: "phases", stories: [first ?? [], later.filter((story) => !isTaken(story))].flat() };
}

/** Whether the run has worked on this story before: a run has each name once, in whichever case. */
function takenIn({ stories }: Pick<Header, "stories">, id: StoryId): boolean {
  return stories.some((entry) => !isUnbegun(entry) && entry.id.toLowerCase() === id.toLowerCase());
}

function takenWords({ phase, milestone, why }: Standing, { id }: StorySpec): string {
  const again = "mend its files, or take it in a session of its own";
  return `this session has worked on phase ${phase ?? ""} of ${milestone ?? ""} (${id}), which is not finished: ${why}; ${again}`;
}

interface Choice {
  readonly phase: string | null;
  readonly all: boolean;
}

/** The phase that a person named is one of the milestone that the session began with. */
function choiceOf({ context, stories }: Pick<Header, "context" | "stories">): Choice {
  const named = context[choiceKeys.phase] ?? "";
  return { phase: stories.length > 0 || named === "" ? null : named, all: context[choiceKeys.all] === "true" };
}

/** The phase where the project stands, and with `all` every later one of its milestone that is not finished. */
export function storiesOf(
  folder: ProjectFolder,
  { phase }: Pick<Standing, "phase">,
  all: boolean,
): readonly StorySpec[] {
  const state = stateOf(folder);
  const milestone = state === null ? null : milestoneOf(state);
  if (state === null || milestone === null || phase === null) return [];
  const isOpen = (later: string) => {
    const standing = phaseStanding(folder, state, { milestone, phase: later });
    return standing.kind === "unclear" || standing.position !== "finished";
  };
  const later = milestone.phases.slice(milestone.phases.indexOf(phase) + 1).filter((each) => all && isOpen(each));
  return [phase, ...later].map((each) => phaseStory({ milestone, phase: each }));
}

export function readStand({ attempt, workspace }: DecisionWork): DecisionRead {
  const folder = projectFolder(workspace);
  return inPhase(folder, attempt.story, (state, at) => {
    const standing = phaseStanding(folder, state, at);
    const { evidence } = standing;
    if (standing.kind === "unclear") return unknown(standing.code, standing.why, evidence);
    return { value: standing.position, why: standing.why, evidence };
  });
}

/**
 * The one that was just completed is never the next. One that is still open continues with the phases that are left; without such a
 * phase, its completion was not written, and a person is asked.
 */
export function readMilestone({ run, workspace }: DecisionWork): DecisionRead {
  const folder = projectFolder(workspace);
  const done = run.header.context["milestone"] ?? null;
  return withState(folder, (state) => {
    const evidence = [folder.cite(projectStateFile, "/milestones")];
    const next = milestoneOf(state);
    const left = phaseLeftOpen(folder, state, run);
    if (left !== null && next?.id !== done)
      return unknown("E002", `${projectStateFile} says that ${done ?? ""} is complete, but ${left}`, evidence);
    if (next === null)
      return state.milestones.length === 0
        ? unknown("E002", `${projectStateFile} has no milestones any more`, evidence)
        : { value: "complete", why: "every milestone is complete", evidence };
    if (next.id !== done)
      return { value: "more", why: `${done ?? "this one"} is done; ${next.id} comes next`, evidence, feedback: "" };
    if (left !== null) return { value: "more", why: left, evidence, feedback: "" };
    return unknown("E002", `${projectStateFile} does not say that milestone ${next.id} is complete`, evidence);
  });
}

/**
 * The first phase of the milestone that the session works on which neither the files nor this session have finished, in words. Of
 * a milestone whose artifacts were archived nothing can be told.
 */
function phaseLeftOpen(folder: ProjectFolder, state: LifecycleState, { header }: Run): string | null {
  const milestone = state.milestones.find(({ id }) => id === header.context["milestone"]);
  if (milestone === undefined || !hasArtifacts(state, milestone)) return null;
  for (const phase of milestone.phases) {
    const { id } = phaseStory({ milestone, phase });
    if (header.stories.some((entry) => entry.id === id && entry.status === "done")) continue;
    const standing = phaseStanding(folder, state, { milestone, phase });
    if (standing.kind === "known" && standing.position !== "finished")
      return `phase ${phase} of ${milestone.id} is not finished: ${standing.why}`;
  }
  return null;
}

function hasArtifacts(state: LifecycleState, { id }: Milestone): boolean {
  return state.artifacts.some(({ milestone }) => milestone !== null && named(state.milestones, milestone)?.id === id);
}

/** With the phase of a story, as the state file knows it. */
export function inPhase(
  folder: ProjectFolder,
  story: Parameters<typeof phaseIn>[1],
  read: (state: LifecycleState, at: Phase) => DecisionRead,
): DecisionRead {
  return withState(folder, (state) => {
    const at = phaseIn(state, story);
    if (at !== null) return read(state, at);
    const evidence = [folder.cite(projectStateFile, "/milestones")];
    return unknown("E002", `${projectStateFile} has no phase ${story ?? ""} any more`, evidence);
  });
}

function withState(folder: ProjectFolder, read: (state: LifecycleState) => DecisionRead): DecisionRead {
  try {
    const text = folder.text(projectStateFile);
    if (text === null) return unknown("E002", `${projectStateFile} is missing`, [folder.cite(projectStateFile, "")]);
    return read(readProjectState(text));
  } catch (error) {
    if (!(error instanceof StateUnclear)) throw error;
    const why = `${projectStateFile} cannot be understood: ${error.message}`;
    return unknown("E002", why, [folder.cite(projectStateFile, error.place)]);
  }
}

/** A question for a person, with the code that the seed has for it. */
export function unknown(code: "E002" | "E003" | "E004", why: string, evidence: readonly Evidence[]): DecisionRead {
  return { value: "unknown", why, evidence, feedback: `${code}: ${why}`, facts: { code } };
}
