// The decisions after a quality step: what the newest result file of the phase says. Where a skill ran before the decision, only a file
// that it wrote counts, in whichever folder of the phase it is. What is missing or unclear is unknown, and a person is asked.

import { scopeOf } from "../../../domain/run.ts";
import type { DecisionRead, DecisionWork } from "../../protocol.ts";
import type { ResultKind } from "../readers/result-readers.ts";
import { isWave, stepIn } from "../session/shown-steps.ts";
import { gapSummary } from "./gap-summary.ts";
import type { Phase } from "./phase-plan.ts";
import {
  type FoundResult,
  fileNames,
  noResult,
  type PhaseRound,
  type PlacedArtifact,
  phaseRoundOf,
  resultAt,
  resultIn,
} from "./phase-round.ts";
import { inPhase, unknown } from "./position-readers.ts";
import { type ProjectFolder, projectFolder } from "./project-folder.ts";
import { projectStateFile } from "./state-file.ts";

/** `also`: another file of the phase that must agree where it is there. */
export function readResultDecision(work: DecisionWork, kind: ResultKind, also?: ResultKind): DecisionRead {
  const folder = projectFolder(work.workspace);
  return inPhase(folder, work.attempt.story, (state, at) => {
    const round = phaseRoundOf(folder, state, at);
    const lost = round?.artifacts.find(({ dir }) => dir === null);
    if (round === null || lost !== undefined) return noFolder(folder, at, lost);
    const since = lastSkillAt(work);
    const look = (each: ResultKind) =>
      since === null ? resultIn(folder, round, each) : writtenSince(folder, round, each, since);
    const found = look(kind);
    const other = also === undefined ? null : look(also);
    const results = [found, ...(other === null || other.reading === null ? [] : [other])];
    if (found.reading !== null || results.length > 1) return decided(folder, results);
    const older = since === null ? found : resultIn(folder, round, kind);
    return older.reading === null ? noFile(kind, round) : stale(older);
  });
}

/** The first failure decides, then the first doubt. Only where every file passed does it lead on. */
function decided(folder: ProjectFolder, results: readonly FoundResult[]): DecisionRead {
  const failed = results.find(({ reading }) => reading?.verdict === "fix");
  if (failed?.reading) {
    const evidence = failed.evidence;
    return { value: "fix", why: failed.reading.why, evidence, feedback: gapSummary(folder, failed) };
  }
  const evidence = results.flatMap((each) => each.evidence);
  const doubtful = results.find(({ reading }) => reading?.verdict !== "proceed");
  if (doubtful === undefined) return { value: "proceed", why: results[0]?.reading?.why ?? "", evidence };
  const why = doubtful.reading?.why ?? "there is no uat.md beside the results of its tests";
  return unknown("E004", why, doubtful.reading === null ? evidence : doubtful.evidence);
}

/** What the skill before the decision wrote. Anything older says nothing about the work as it is now, even if it was recorded anew. */
function writtenSince(
  folder: ProjectFolder,
  { artifacts, older }: PhaseRound,
  kind: ResultKind,
  since: number,
): FoundResult {
  const all = [...older, ...artifacts].toReversed().map((placed) => resultAt(folder, placed, kind));
  const isNew = ({ reading, evidence }: FoundResult) =>
    reading !== null && (folder.writtenAt(evidence[0]?.file ?? "") ?? 0) >= since;
  return all.find(isNew) ?? noResult;
}

function stale({ evidence }: FoundResult): DecisionRead {
  const file = evidence[0]?.file ?? "the result";
  return unknown("E004", `${file} is older than the skill that ran last, and does not speak of its work`, evidence);
}

/** When the skill began that ran last in this scope, or the first of the wave that it ran in, by the time of files; null: none did. */
function lastSkillAt({ run, attempt, aheadMs = 0 }: DecisionWork): number | null {
  const { definition } = run.header;
  const attempts = scopeOf(run, attempt.story)?.attempts ?? [];
  const last = attempts.findLast(({ name }) => isWave(stepIn(definition, attempt.story, name)));
  if (last === undefined) return null;
  const beside = attempts.filter(({ step, visit }) => step === last.step && visit === last.visit);
  const newest = new Map(beside.map(({ part, startedAt }) => [part, startedAt]));
  return Math.min(...newest.values()) - aheadMs;
}

function noFolder(folder: ProjectFolder, { phase }: Phase, lost: PlacedArtifact | undefined): DecisionRead {
  if (lost === undefined) {
    const why = `phase ${phase} has no completed artifact in ${projectStateFile}`;
    return unknown("E003", why, [folder.cite(projectStateFile, "/artifacts")]);
  }
  const tried = lost.tried.join(", ") || "nothing: its path leads outside";
  const why = `the folder of ${lost.artifact.type} is missing; looked for ${tried}`;
  return unknown("E003", why, [folder.cite(projectStateFile, `${lost.artifact.place}/path`)]);
}

function noFile(kind: ResultKind, { artifacts }: PhaseRound): DecisionRead {
  const dirs = [...new Set(artifacts.flatMap(({ dir }) => dir ?? []))];
  const evidence = dirs.map((dir) => ({ file: `${dir}/${fileNames[kind][0]}`, sha256: null, place: null }));
  return unknown("E004", `there is no ${fileNames[kind].join(" or ")} of this round in ${dirs.join(", ")}`, evidence);
}
