// Where a project stands, from what was really written: the state file, the artifacts and the result files in them. Each answer names
// its evidence. What cannot be told is said as such: nothing is guessed.

import type { Evidence } from "../../../domain/evidence.ts";
import { type FoundResult, fileNames, type PhaseRound, phaseRoundOf, resultAt, resultIn } from "./phase-round.ts";
import type { ProjectFolder } from "./project-folder.ts";
import {
  FileUnreadable,
  type LifecycleState,
  type Milestone,
  phaseId,
  readProjectState,
  StateUnclear,
} from "./project-state.ts";

/** The words for a place in the lifecycle. `finished` phases are behind their last decision. */
type PhasePosition =
  | "analyze"
  | "plan"
  | "execute"
  | "verify"
  | "verify-failed"
  | "business-test"
  | "review"
  | "review-failed"
  | "test"
  | "test-failed"
  | "finished";
type ProjectPosition =
  | "brainstorm"
  | "init"
  | "roadmap"
  | Exclude<PhasePosition, "finished">
  | "milestone-audit"
  | "complete";

interface Known<Word> {
  readonly kind: "known";
  readonly position: Word;
  readonly why: string;
  readonly evidence: readonly Evidence[];
}

/** The codes: E002, it cannot be told; E003, the folder of an artifact is missing. */
interface Unclear {
  readonly kind: "unclear";
  readonly code: "E002" | "E003";
  readonly why: string;
  readonly evidence: readonly Evidence[];
}

export type PhaseStanding = Known<PhasePosition> | Unclear;
export type Standing = (Known<ProjectPosition> | Unclear) & {
  readonly milestone: string | null;
  readonly phase: string | null;
};

const stateFile = ".workflow/state.json";
const nowhere = { milestone: null, phase: null };

export function standingOf(folder: ProjectFolder, wanted: { readonly phase?: string } = {}): Standing {
  if (!folder.isDirectory(".workflow") || hasOnlySessions(folder)) {
    if (folder.exists(".workflow") && !folder.isDirectory(".workflow")) {
      const why = ".workflow is not a folder of this project, and links are not followed";
      return { ...unclear("E002", why, [folder.cite(".workflow", "")]), ...nowhere };
    }
    const found = folder.hasSource();
    const why = found ? "there is no .workflow, but there is source" : "there is no .workflow and no source";
    return { ...known(found ? "init" : "brainstorm", why, []), ...nowhere };
  }
  try {
    const text = folder.text(stateFile);
    if (text === null) return { ...known("init", "there is no .workflow/state.json", []), ...nowhere };
    return standingIn(folder, readProjectState(text), wanted.phase === undefined ? undefined : phaseId(wanted.phase));
  } catch (error) {
    if (!(error instanceof StateUnclear)) throw error;
    const file = error instanceof FileUnreadable ? error.file : stateFile;
    const why = `${file} cannot be understood: ${error.message}`;
    return { ...unclear("E002", why, [folder.cite(file, error.place)]), ...nowhere };
  }
}

/** A session makes the folder before anything of the project is in it. */
function hasOnlySessions(folder: ProjectFolder): boolean {
  const names = folder.names(".workflow");
  return names.length > 0 && names.every((name) => name === ".ralph" || name === ".maestro");
}

function standingIn(folder: ProjectFolder, state: LifecycleState, wanted: string | undefined): Standing {
  const milestones = [folder.cite(stateFile, "/milestones")];
  if (state.milestones.length === 0) return { ...known("roadmap", "there are no milestones", milestones), ...nowhere };
  if (folder.text(".workflow/roadmap.md") === null) {
    return {
      ...known("roadmap", "there is no .workflow/roadmap.md", [folder.cite(".workflow/roadmap.md", "")]),
      ...nowhere,
    };
  }
  const milestone = milestoneOf(state);
  if (milestone === null) return { ...known("complete", "every milestone is complete", milestones), ...nowhere };
  const here = (phase: string | null) => ({ milestone: milestone.id, phase });
  if (wanted !== undefined && !milestone.phases.includes(wanted)) {
    const why = `milestone ${milestone.id} has no phase ${wanted}: it has ${milestone.phases.join(", ") || "none"}`;
    return { ...unclear("E002", why, milestones), ...here(null) };
  }
  if (milestone.phases.length === 0) {
    return { ...unclear("E002", `milestone ${milestone.id} has no phases`, milestones), ...here(null) };
  }
  let last: Standing | null = null;
  for (const phase of wanted === undefined ? milestone.phases : [wanted]) {
    const standing = phaseStanding(folder, state, { milestone, phase });
    if (standing.kind === "unclear") return { ...standing, ...here(phase) };
    const { position, why, evidence } = standing;
    if (position !== "finished") return { kind: "known", position, why, evidence, ...here(phase) };
    last = {
      kind: "known",
      position: "milestone-audit",
      why: `phase ${phase} is finished: ${why}`,
      evidence,
      ...here(phase),
    };
  }
  return last ?? { ...unclear("E002", "there is no phase", milestones), ...here(null) };
}

/** The current one unless it is complete; then the first that is not. */
export function milestoneOf({ current, milestones }: LifecycleState): Milestone | null {
  const open = milestones.filter(({ isComplete }) => !isComplete);
  return open.find(({ id }) => id === current) ?? open[0] ?? null;
}

export function phaseStanding(
  folder: ProjectFolder,
  state: LifecycleState,
  where: { readonly milestone: Milestone; readonly phase: string },
): PhaseStanding {
  const { phase } = where;
  const round = phaseRoundOf(folder, state, where);
  if (round === null)
    return known("analyze", `phase ${phase} has no completed artifact`, [folder.cite(stateFile, "/artifacts")]);
  const { main } = round;
  const next = nextOf[main.type];
  if (next === undefined) return afterVerify(folder, round);
  const told = known(next, `${main.type} is the newest completed artifact of phase ${phase}`, [
    folder.cite(stateFile, main.place),
  ]);
  return (next === "verify" ? afterReviewFix(folder, round) : null) ?? told;
}

const nextOf: Readonly<Record<string, PhasePosition>> = { analyze: "plan", plan: "execute", execute: "verify" };

/** A fix that a review asked for is reviewed again and not verified again. Null: this is none, or it was not reviewed yet. */
function afterReviewFix(folder: ProjectFolder, round: PhaseRound): PhaseStanding | null {
  const verify = round.older.findLast(({ artifact }) => artifact.type === "verify");
  const isReviewFix = round.older.at(-1)?.artifact.type === "review";
  const isReviewed = round.artifacts.some(({ artifact }) => artifact.type === "review");
  if (verify === undefined || !isReviewFix || !isReviewed) return null;
  if (resultAt(folder, verify, "verification").reading?.verdict !== "proceed") return null;
  const lost = missingFolder(folder, round);
  return lost ?? (resultIn(folder, round, "review").reading === null ? null : byResults(folder, round));
}

/** What the files say that verify, and what followed it, left. */
function afterVerify(folder: ProjectFolder, round: PhaseRound): PhaseStanding {
  const lost = missingFolder(folder, round);
  if (lost) return lost;
  const verification = resultIn(folder, round, "verification");
  if (verification.reading === null) {
    const dirs = [...new Set(round.artifacts.map(({ dir }) => dir ?? ""))];
    return unclear("E002", `there is no ${fileNames.verification[0]} in ${dirs.join(", ")}`, [
      folder.cite(dirs[0] ?? "", ""),
    ]);
  }
  if (verification.reading.verdict === "unknown") return doubt(verification);
  if (verification.reading.verdict === "fix") return told(verification, "verify-failed");
  return byResults(folder, round) ?? told(verification, "business-test");
}

/** By the result of the last stage that has one; an earlier stage that was done again since, and did not pass, counts more. */
function byResults(folder: ProjectFolder, round: PhaseRound): PhaseStanding | null {
  const stages = (["uat", "review", "business-test"] as const).map((kind) => ({
    kind,
    result: resultIn(folder, round, kind),
  }));
  const stage = stages.find(
    ({ result }, index) =>
      result.reading !== null &&
      stages
        .slice(index + 1)
        .every((earlier) => earlier.result.at <= result.at || earlier.result.reading?.verdict === "proceed"),
  );
  if (stage === undefined) return null;
  const { kind, result } = stage;
  const verdict = result.reading?.verdict;
  if (kind === "business-test") return told(result, verdict === "proceed" ? "review" : "business-test");
  if (kind === "uat") return afterTest(folder, round, result);
  if (verdict === "unknown") return doubt(result);
  return told(result, verdict === "fix" ? "review-failed" : "test");
}

function afterTest(folder: ProjectFolder, round: PhaseRound, uat: FoundResult): PhaseStanding {
  const found = resultIn(folder, round, "test-results");
  // The numbers of an older test say nothing about this one.
  const results = found.at < uat.at ? null : found;
  const failed = [uat, results].find((what) => what?.reading?.verdict === "fix");
  if (failed) return told(failed, "test-failed");
  if (results?.reading?.verdict === "unknown") return doubt(results);
  return told(uat, uat.reading?.verdict === "proceed" ? "finished" : "test");
}

function missingFolder(folder: ProjectFolder, { artifacts }: PhaseRound): Unclear | null {
  const missing = artifacts.find(({ artifact, dir }) => dir === null && nextOf[artifact.type] === undefined);
  if (missing === undefined) return null;
  const { artifact, tried } = missing;
  const why = `the folder of ${artifact.type} is missing; looked for ${tried.join(", ") || "nothing: its path leads outside"}`;
  return unclear("E003", why, [folder.cite(stateFile, `${artifact.place}/path`)]);
}

function told({ reading, evidence }: FoundResult, position: PhasePosition): Known<PhasePosition> {
  return known(position, reading?.why ?? "", evidence);
}

function doubt({ reading: found, evidence }: FoundResult): Unclear {
  return unclear(
    "E002",
    `${evidence[0]?.file ?? "a result file"} does not say how it went: ${found?.why ?? ""}`,
    evidence,
  );
}

function known<Word>(position: Word, why: string, evidence: readonly Evidence[]): Known<Word> {
  return { kind: "known", position, why, evidence };
}

function unclear(code: Unclear["code"], why: string, evidence: readonly Evidence[]): Unclear {
  return { kind: "unclear", code, why, evidence };
}
