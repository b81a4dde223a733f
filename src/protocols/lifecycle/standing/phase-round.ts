// The newest round of a phase: which result files say something about the work as it is now. A fix round plans, executes and verifies
// again, often on the same day and sometimes in the same folder. What an older round left there does not count.

import type { Evidence } from "../../../domain/evidence.ts";
import { type ResultReading, reading } from "../readers/reading.ts";
import { type ResultKind, resultReaders } from "../readers/result-readers.ts";
import { artifactDir, namesFolder } from "./artifact-dir.ts";
import type { ProjectFolder } from "./project-folder.ts";
import { type Artifact, type LifecycleState, type Milestone, named, phaseId } from "./project-state.ts";

export interface PhaseRound {
  /** The newest of analyze, plan, execute and verify. */
  readonly main: Artifact;
  /** `main`, and the results that were recorded after it: oldest first. */
  readonly artifacts: readonly PlacedArtifact[];
  /** The results of older rounds, oldest first. */
  readonly older: readonly PlacedArtifact[];
}

export interface PlacedArtifact {
  readonly artifact: Artifact;
  /** From the project's root; null: it is missing. */
  readonly dir: string | null;
  readonly tried: readonly string[];
}

export interface FoundResult {
  /** Null: there is no such file. */
  readonly reading: ResultReading | null;
  readonly evidence: readonly Evidence[];
  /** The artifact that it belongs to, by its place in the round: a greater one is newer. -1: there is no such file. */
  readonly at: number;
}

const mainTypes = new Set(["analyze", "plan", "execute", "verify"]);
/** The artifacts that have a result of each kind, by what skills call them. */
const typesOf: Readonly<Record<ResultKind, readonly string[]>> = {
  verification: ["verify"],
  review: ["review"],
  "business-test": ["business-test"],
  uat: ["test", "uat"],
  "test-results": ["test", "uat"],
};
const resultTypes = new Set(Object.values(typesOf).flat());
export const fileNames: Readonly<Record<ResultKind, readonly string[]>> = {
  verification: ["verification.json"],
  review: ["review.json"],
  "business-test": ["business-test-results.json", "business-test-report.json"],
  uat: ["uat.md"],
  "test-results": [".tests/test-results.json", "test-results.json"],
};
export const noResult: FoundResult = { reading: null, evidence: [], at: -1 };

/** Null: the phase has no completed artifact. */
export function phaseRoundOf(
  folder: ProjectFolder,
  state: LifecycleState,
  { milestone, phase }: { readonly milestone: Milestone; readonly phase: string },
): PhaseRound | null {
  const isOwn = (artifact: Artifact) => isOf(state, artifact, milestone) && artifact.phase === phase;
  const own = state.artifacts.filter((artifact) => isOwn(artifact) && isCounted(artifact));
  const start = own.findLastIndex(({ type }) => mainTypes.has(type));
  const main = own[start];
  if (main === undefined) return null;
  const results = own.slice(0, start).filter(({ type }) => resultTypes.has(type));
  // The folder of another phase, or of an older round, is none that an artifact without a folder of its own could have meant.
  const others = [...state.artifacts.filter((artifact) => !isOwn(artifact)), ...results];
  const namedBy = (all: readonly Artifact[]) =>
    new Set(all.flatMap(({ path }) => artifactDir(folder, { path, phase: null }).dir ?? []));
  const taken = namedBy(others);
  const takenByAny = namedBy(state.artifacts);
  const placed = (artifact: Artifact) => ({
    artifact,
    ...artifactDir(folder, artifact, namesFolder(artifact.path) ? takenByAny : taken),
  });
  return {
    main,
    artifacts: own.slice(start).map(placed),
    older: results.map((artifact) => ({
      artifact,
      ...artifactDir(folder, artifact, namesFolder(artifact.path) ? takenByAny : undefined),
    })),
  };
}

/**
 * The newest file of a kind in the round: of an artifact of that kind, else in the folder of any other one. A folder that an older
 * round used as well may have its files still, so what nobody recorded since does not count there.
 */
export function resultIn(folder: ProjectFolder, round: PhaseRound, kind: ResultKind): FoundResult {
  const { artifacts, older } = round;
  const used = new Set(older.map(({ dir }) => dir));
  const ofKind = ({ artifact }: PlacedArtifact) => typesOf[kind].includes(artifact.type);
  const unused = ({ dir }: PlacedArtifact) => !used.has(dir);
  return (
    newest(folder, artifacts, { kind, counts: ofKind }) ??
    newest(folder, artifacts, { kind, counts: unused }) ??
    noResult
  );
}

/** The file of a kind that one artifact has. */
export function resultAt(folder: ProjectFolder, placed: PlacedArtifact, kind: ResultKind): FoundResult {
  return newest(folder, [placed], { kind, counts: () => true }) ?? noResult;
}

function newest(
  folder: ProjectFolder,
  artifacts: readonly PlacedArtifact[],
  { kind, counts }: { readonly kind: ResultKind; readonly counts: (placed: PlacedArtifact) => boolean },
): FoundResult | null {
  for (const [at, placed] of [...artifacts.entries()].toReversed()) {
    if (placed.dir === null || !counts(placed)) continue;
    for (const file of fileNames[kind].map((name) => `${placed.dir}/${name}`)) {
      const text = textOf(folder, file);
      if (text === null) continue;
      const found = typeof text === "string" ? readFor(placed.artifact, kind, text) : text;
      const places = found.places.length === 0 ? [""] : found.places;
      return { reading: found, evidence: places.map((place) => folder.cite(file, place)), at };
    }
  }
  return null;
}

/** A copy of another phase's result, or one that was written there by mistake, says nothing about this phase. */
function readFor({ phase }: Artifact, kind: ResultKind, text: string): ResultReading {
  const found = resultReaders[kind](text);
  if (found.verdict === "unknown" || phase === null || kind === "uat") return found;
  const { phase: said } = Object(JSON.parse(text.trim())) as Readonly<Record<string, unknown>>;
  const other = phaseId(String(said));
  if (other === phase || !/^\d+$/.test(other) || !/^\d+$/.test(phase)) return found;
  return reading("unknown", `it speaks of phase ${other}, not of phase ${phase}`, ["/phase"]);
}

/** What is there and is no readable file counts as a file that says nothing, not as none. */
function textOf(folder: ProjectFolder, file: string): string | ResultReading | null {
  try {
    return folder.text(file);
  } catch (error) {
    return reading("unknown", error instanceof Error ? error.message : String(error));
  }
}

function isOf(state: LifecycleState, { milestone }: Artifact, { id }: Milestone): boolean {
  return milestone !== null && named(state.milestones, milestone)?.id === id;
}

function isCounted({ type }: Artifact): boolean {
  return mainTypes.has(type) || resultTypes.has(type);
}
