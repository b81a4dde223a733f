// The members of the protocol that are about the files of a session: what shows the run, and what a program that performs a wave reads
// and writes.

import { errorText } from "../../domain/error.ts";
import type { StoryId } from "../../domain/ids.ts";
import { readInside } from "../../system/files/inside.ts";
import type { AttemptFacts, Protocol, ToldReport } from "../protocol.ts";
import { artifactOf, readSessionContext } from "./session/session-context.ts";
import { SessionFiles } from "./session/session-files.ts";
import { largestSessionFile, sessionFolderAt } from "./session/session-folder.ts";
import { phaseIn } from "./standing/phase-plan.ts";
import { type PhaseStory, phaseOf } from "./standing/phase-story.ts";
import { type ProjectFolder, projectFolder } from "./standing/project-folder.ts";
import { stateOf } from "./standing/state-file.ts";
import { lifecycleValues } from "./values.ts";
import { spawnCall } from "./waves/spawn-call.ts";
import { folderOf, forgetWave, prepareWave, waveOf } from "./waves/wave-attempt.ts";
import { hasResults, readResult, type WaveResult } from "./waves/wave-csv.ts";

type FileMembers = Required<
  Pick<Protocol, "environment" | "prepare" | "collect" | "arrived" | "settled" | "reportFile" | "project">
>;

export const lifecycleFiles: FileMembers = {
  environment(work) {
    const { shared } = work.run.header.place;
    const folder = folderOf(work);
    const wave = waveOf(work);
    if (folder === null || wave === null) return shared === undefined ? {} : { LIFECYCLE_SHARED_DIR: shared };
    return {
      LIFECYCLE_SHARED_DIR: folder.dir,
      LIFECYCLE_WAVE_CSV: folder.wave(wave.number),
      LIFECYCLE_WAVE_RESULTS: folder.results(wave.number),
      LIFECYCLE_SPAWN_CALL: JSON.stringify(spawnCall(work, folder, wave.number)),
    };
  },

  prepare(work, workspace) {
    if (folderOf(work) !== null) prepareWave(work, lifecycleValues(work, workspace));
  },

  collect(work, workspace) {
    const wave = waveOf(work);
    if (folderOf(work) === null) return {};
    const folder = projectFolder(workspace);
    const at = phaseAt(folder, work.attempt.story);
    const context = readSessionContext(folder, at);
    if (wave === null) return { facts: { context } };
    const results = resultsOf(work, wave.number);
    const result = results === null ? null : typeof results === "string" ? readResult(results, wave) : results;
    const artifacts = result?.artifacts || (artifactOf(folder, at, work.attempt.name) ?? "");
    const kept = typeof results === "string" && results.length <= mostKept ? { results } : {};
    return {
      facts: { context, wave: { ...wave, artifacts, isReported: results !== null, ...kept } },
      ...(result === null ? {} : { told: toldBy(result) }),
    };
  },

  arrived(work) {
    const wave = waveOf(work);
    const results = wave === null ? null : resultsOf(work, wave.number);
    return typeof results === "string" && hasResults(results);
  },

  settled: ({ attempt }) => forgetWave(attempt.id),

  reportFile: ({ place }) => (place.shared === undefined ? null : sessionFolderAt(place.shared).results("N")),

  project: ({ place }, warn) => (place.shared === undefined ? null : new SessionFiles(place.shared, warn)),
};

/** Longer results stay a file, and are not kept with the end of the attempt. */
const mostKept = 64 * 1024;

/** What a spawner wrote while the attempt ran; null: no file. What cannot be read is a failure, which says why. */
function resultsOf(work: AttemptFacts, number: number): string | WaveResult | null {
  const folder = folderOf(work);
  if (folder === null) return null;
  try {
    return readInside(folder.root, folder.results(number), largestSessionFile);
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
