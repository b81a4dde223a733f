// Where a project stands, from what was really written: the state file, the artifacts and the result files in them. Each answer names
// its evidence. What cannot be told is said as such: nothing is guessed.

import { artifactDir } from "./artifact-dir.ts";
import type { ProjectFolder } from "./project-folder.ts";
import {
  type Artifact,
  type LifecycleState,
  type Milestone,
  named,
  readProjectState,
  StateUnclear,
} from "./project-state.ts";
import { type ResultReading, reading } from "./readers/reading.ts";
import { type ResultKind, resultReaders } from "./readers/result-readers.ts";

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

interface Evidence {
  /** From the project's root. */
  readonly file: string;
  /** A JSON Pointer, `line N`, or empty for the whole file. */
  readonly place: string;
}

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

type PhaseStanding = Known<PhasePosition> | Unclear;
export type Standing = (Known<ProjectPosition> | Unclear) & {
  readonly milestone: string | null;
  readonly phase: string | null;
};

const stateFile = ".workflow/state.json";
const nowhere = { milestone: null, phase: null };

export function standingOf(folder: ProjectFolder, wanted: { readonly phase?: string } = {}): Standing {
  if (!folder.isDirectory(".workflow")) {
    const found = folder.hasSource();
    const why = found ? "there is no .workflow, but there is source" : "there is no .workflow and no source";
    return { ...known(found ? "init" : "brainstorm", why, []), ...nowhere };
  }
  try {
    const text = folder.text(stateFile);
    if (text === null) return { ...known("init", "there is no .workflow/state.json", []), ...nowhere };
    return standingIn(folder, readProjectState(text), wanted.phase);
  } catch (error) {
    if (!(error instanceof StateUnclear)) throw error;
    const why = `${stateFile} cannot be understood: ${error.message}`;
    return { ...unclear("E002", why, [{ file: stateFile, place: error.place }]), ...nowhere };
  }
}

function standingIn(folder: ProjectFolder, state: LifecycleState, wanted: string | undefined): Standing {
  const milestones = [{ file: stateFile, place: "/milestones" }];
  if (state.milestones.length === 0) return { ...known("roadmap", "there are no milestones", milestones), ...nowhere };
  if (folder.text(".workflow/roadmap.md") === null) {
    return {
      ...known("roadmap", "there is no .workflow/roadmap.md", [{ file: ".workflow/roadmap.md", place: "" }]),
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
function milestoneOf({ current, milestones }: LifecycleState): Milestone | null {
  const open = milestones.filter(({ isComplete }) => !isComplete);
  return open.find(({ id }) => id === current) ?? open[0] ?? null;
}

function phaseStanding(
  folder: ProjectFolder,
  state: LifecycleState,
  { milestone, phase }: { readonly milestone: Milestone; readonly phase: string },
): PhaseStanding {
  const own = state.artifacts.filter((artifact) => isOf(state, artifact, milestone) && artifact.phase === phase);
  const main = own.filter(({ type }) => type in nextOf || type === "verify");
  const newest = main.at(-1);
  if (newest === undefined)
    return known("analyze", `phase ${phase} has no completed artifact`, [{ file: stateFile, place: "/artifacts" }]);
  const evidence = [{ file: stateFile, place: newest.place }];
  const next = nextOf[newest.type];
  if (next !== undefined)
    return known(next, `${newest.type} is the newest completed artifact of phase ${phase}`, evidence);
  return afterVerify(folder, own.slice(own.indexOf(newest)));
}

const nextOf: Readonly<Record<string, PhasePosition>> = { analyze: "plan", plan: "execute", execute: "verify" };

function isOf(state: LifecycleState, { milestone }: Artifact, { id }: Milestone): boolean {
  return milestone !== null && named(state.milestones, milestone)?.id === id;
}

/** What the files say that verify, and what followed it, left. The first of `artifacts` is verify. */
function afterVerify(folder: ProjectFolder, artifacts: readonly Artifact[]): PhaseStanding {
  const found = artifacts.map((artifact) => ({ artifact, ...artifactDir(folder, artifact) }));
  const missing = found.find(({ dir }) => dir === null);
  if (missing) {
    const why = `the folder of ${missing.artifact.type} is missing; looked for ${missing.tried.join(", ") || "nothing: its path leads outside"}`;
    return unclear("E003", why, [{ file: stateFile, place: `${missing.artifact.place}/path` }]);
  }
  const dirs = [...new Set(found.flatMap(({ dir }) => dir ?? []))].toReversed();
  const verification = look(folder, dirs, "verification");
  if (verification.reading === null) {
    return unclear("E002", `there is no ${fileNames.verification[0]} in ${dirs.join(", ")}`, [
      { file: dirs.at(-1) ?? "", place: "" },
    ]);
  }
  const told = (what: Looked, position: PhasePosition) => known(position, what.reading?.why ?? "", what.evidence);
  if (verification.reading.verdict === "unknown") return doubt(verification);
  if (verification.reading.verdict === "fix") return told(verification, "verify-failed");
  const uat = look(folder, dirs, "uat");
  const results = look(folder, dirs, "test-results");
  if (uat.reading !== null) {
    const failed = [uat, results].find((what) => what.reading?.verdict === "fix");
    if (failed) return told(failed, "test-failed");
    if (results.reading?.verdict === "unknown") return doubt(results);
    return told(uat, uat.reading.verdict === "proceed" ? "finished" : "test");
  }
  const review = look(folder, dirs, "review");
  if (review.reading !== null) {
    if (review.reading.verdict === "unknown") return doubt(review);
    return told(review, review.reading.verdict === "fix" ? "review-failed" : "test");
  }
  const business = look(folder, dirs, "business-test");
  if (business.reading?.verdict === "proceed") return told(business, "review");
  return told(business.reading === null ? verification : business, "business-test");
}

interface Looked {
  /** Null: there is no such file. */
  readonly reading: ResultReading | null;
  readonly evidence: readonly Evidence[];
}

const fileNames: Readonly<Record<ResultKind, readonly string[]>> = {
  verification: ["verification.json"],
  review: ["review.json"],
  "business-test": ["business-test-results.json", "business-test-report.json"],
  uat: ["uat.md"],
  "test-results": [".tests/test-results.json", "test-results.json"],
};

/** The newest file of a kind. */
function look(folder: ProjectFolder, dirs: readonly string[], kind: ResultKind): Looked {
  for (const file of dirs.flatMap((dir) => fileNames[kind].map((name) => `${dir}/${name}`))) {
    const text = textOf(folder, file);
    if (text === null) continue;
    const found = typeof text === "string" ? resultReaders[kind](text) : text;
    const places = found.places.length === 0 ? [""] : found.places;
    return { reading: found, evidence: places.map((place) => ({ file, place })) };
  }
  return { reading: null, evidence: [] };
}

/** What is there and is no readable file counts as a file that says nothing, not as none. */
function textOf(folder: ProjectFolder, file: string): string | ResultReading | null {
  try {
    return folder.text(file);
  } catch (error) {
    return reading("unknown", error instanceof Error ? error.message : String(error));
  }
}

function doubt({ reading: found, evidence }: Looked): Unclear {
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
