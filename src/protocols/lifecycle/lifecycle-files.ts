// The members of the protocol that are about the files of a session: what shows the run, and what a program that performs a wave reads
// and writes.

import { errorText } from "../../domain/error.ts";
import type { StoryId } from "../../domain/ids.ts";
import { readInside } from "../../system/files/inside.ts";
import type { AttemptFacts, Protocol, ToldReport } from "../protocol.ts";
import { artifactOf, readSessionContext } from "./session/session-context.ts";
import { SessionFiles } from "./session/session-files.ts";
import { largestSessionFile, sessionFolderAt } from "./session/session-folder.ts";
import { stageOf } from "./session/visit.ts";
import { phaseIn } from "./standing/phase-plan.ts";
import { type PhaseStory, phaseOf } from "./standing/phase-story.ts";
import { type ProjectFolder, projectFolder } from "./standing/project-folder.ts";
import { stateOf } from "./standing/state-file.ts";
import { lifecycleValues } from "./values.ts";
import { spawnCall } from "./waves/spawn-call.ts";
import { folderOf, type PreparedWave, prepareWave, rowFiles, settleWave, waveOf } from "./waves/wave-attempt.ts";
import { hasResult, readResult, type WaveResult } from "./waves/wave-csv.ts";

type FileMembers = Required<
  Pick<Protocol, "environment" | "prepare" | "collect" | "arrived" | "settled" | "reportFile" | "project">
>;

export const lifecycleFiles: FileMembers = {
  environment(work) {
    const { shared } = work.run.header.place;
    const folder = folderOf(work);
    const wave = waveOf(work);
    if (folder === null || wave === null) return shared === undefined ? {} : { LIFECYCLE_SHARED_DIR: shared };
    // Each row of a wave has a program of its own, which must not perform the others.
    const files = rowFiles(folder, wave);
    return {
      LIFECYCLE_SHARED_DIR: folder.dir,
      LIFECYCLE_WAVE_CSV: files.wave,
      LIFECYCLE_WAVE_RESULTS: files.results,
      LIFECYCLE_SPAWN_CALL: JSON.stringify(spawnCall(work, files, 1)),
    };
  },

  prepare(work, workspace) {
    prepareWave(work, (row) => lifecycleValues(row, workspace));
  },

  collect(work, workspace, { isOthers }) {
    const wave = waveOf(work);
    if (folderOf(work) === null) return {};
    const folder = projectFolder(workspace);
    const at = phaseAt(folder, work.attempt.story);
    const context = readSessionContext(folder, at);
    if (wave === null) return { facts: { context } };
    const { size, ...row } = wave;
    const results = resultsOf(work, wave, isOthers);
    const result = results === null ? null : typeof results === "string" ? readResult(results, wave) : results;
    const artifacts = result?.artifacts || (artifactOf(folder, at, stageOf(work.attempt)) ?? "");
    // The results of the whole wave are not written from those of its rows if a program has written them.
    const isReported = results !== null && (size === 1 || isOthers);
    const kept = isReported && typeof results === "string" && results.length <= mostKept ? { results } : {};
    return {
      facts: { context, wave: { ...row, artifacts, isReported, ...kept } },
      ...(result === null ? {} : { told: toldBy(result) }),
    };
  },

  arrived(work, _workspace, { isOthers }) {
    const wave = waveOf(work);
    const results = wave === null ? null : resultsOf(work, wave, isOthers);
    return wave !== null && typeof results === "string" && hasResult(results, wave, wave.size);
  },

  settled: settleWave,

  reportFile: ({ place }) => (place.shared === undefined ? null : sessionFolderAt(place.shared).results("N")),

  project: ({ place }, warn) => (place.shared === undefined ? null : new SessionFiles(place.shared, warn)),
};

/** Longer results stay a file, and are not kept with the end of the attempt. */
const mostKept = 64 * 1024;

/**
 * What a spawner wrote while the attempt ran; null: no file. What cannot be read is a failure, which says why. Another program that
 * performs rows of a wave writes the results of the wave; one that Pawl starts has one row, and its results alone.
 */
function resultsOf(work: AttemptFacts, wave: PreparedWave, isOthers: boolean): string | WaveResult | null {
  const folder = folderOf(work);
  if (folder === null) return null;
  const file = isOthers ? folder.results(wave.number) : rowFiles(folder, wave).results;
  try {
    return readInside(folder.root, file, largestSessionFile);
  } catch (error) {
    return { status: "failed", call: "", summary: "", artifacts: "", error: errorText(error) };
  }
}

function toldBy({ status, summary, error }: WaveResult): ToldReport {
  const said = { notes: [], ...(summary === "" ? {} : { summary }) };
  if (status === "completed") return { ...said, verdict: { kind: "passed" }, feedback: "" };
  const feedback = [error, summary].filter((text) => text !== "").join("\n\n");
  return { ...said, verdict: { kind: "rejected", reason: null }, feedback };
}

/** The state file knows the names that the id of a story had to change. */
function phaseAt(folder: ProjectFolder, story: StoryId | null): PhaseStory | null {
  try {
    const state = stateOf(folder);
    const found = state === null ? null : phaseIn(state, story);
    return found === null ? phaseOf(story) : { milestone: found.milestone.id, phase: found.phase };
  } catch {
    // A state file that is no plain file any more says nothing. The attempt is over, whatever it did to that file.
    return phaseOf(story);
  }
}
