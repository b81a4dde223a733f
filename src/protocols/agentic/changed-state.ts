// What somebody else changed in STATE.json since Pawl wrote it: a note for the next session is taken, everything else is refused with the
// command that does it. Nothing of it is believed.

import { hasEnded } from "../../domain/attempt.ts";
import { errorText } from "../../domain/error.ts";
import type { Run } from "../../domain/run.ts";
import { readInside } from "../../system/files/inside.ts";
import { openJson } from "../files/json-places.ts";
import { type AiFolder, largestFile } from "./ai-folder.ts";
import { stateFields } from "./found-state.ts";

export interface StateChange {
  /** The words of a person for the next session; null: none. */
  readonly note: string | null;
  /** What was refused or restored, one sentence each. */
  readonly refused: readonly string[];
  /** It belongs to another tool: Pawl does not write it. */
  readonly isForeign: boolean;
  /** Its text, where it is not JSON. */
  readonly broken: string | null;
}

const nothing: StateChange = { note: null, refused: [], isForeign: false, broken: null };

/** `written`: what Pawl wrote last; null: it has not written the file yet. */
export function changeIn(folder: AiFolder, written: string | null, run: Run): StateChange {
  let text: string | null;
  try {
    text = readInside(folder.dir, folder.state, largestFile);
  } catch (error) {
    return { ...nothing, refused: [`${errorText(error)}; it is replaced`] };
  }
  if (text === written) return nothing;
  if (text === null) return { ...nothing, refused: ["STATE.json was removed; it is written again"] };
  try {
    openJson(text, folder.state, "");
  } catch (error) {
    return {
      ...nothing,
      broken: text,
      refused: [`${errorText(error)}; it is restored, and its text is in STATE.json.broken`],
    };
  }
  const now = stateFields(text);
  if (now === null) {
    const keys = Object.keys(Object(JSON.parse(text)))
      .slice(0, 6)
      .join(", ");
    const what = `${folder.state} is not of this protocol (it has ${keys || "no fields"}); it is not written again`;
    return { ...nothing, isForeign: true, refused: [what] };
  }
  const before = stateFields(written);
  return before === null ? nothing : { ...nothing, ...differences(before, now, run) };
}

type Fields = Readonly<Record<string, unknown>>;

const results = ["status", "reason", "completed_at", "tests", "failing_tests", "lint_pass", "files_changed"];

const ways: Readonly<Record<string, string>> = {
  step: "steps follow the table; `pawl project retry` or `skip` moves a story",
  attempt: "attempts are counted; `pawl project retry` renews the limit",
  max_attempts: "it is in .ai/step-rules.yaml",
  timeout_min: "it is in .ai/step-rules.yaml",
  blocked_by: "`pawl project add STORY TITLE --after OTHER` sets it",
  project: "`pawl project init --name NAME` sets it",
  dispatched_at: "only Pawl sets it",
};

function differences(before: Fields, now: Fields, run: Run): Pick<StateChange, "note" | "refused"> {
  const differs = (key: string) => JSON.stringify(before[key]) !== JSON.stringify(now[key]);
  const said = now["human_note"];
  const note = differs("human_note") && typeof said === "string" && said.trim() !== "" ? said.trim() : null;
  const others = Object.keys(ways).filter(differs);
  return {
    note,
    refused: [
      ...(differs("story") ? [storyRefused(now["story"], run)] : []),
      ...(results.some(differs) ? [resultRefused(before, now, run)] : []),
      ...others.map((key) => `STATE.json: ${key} ${JSON.stringify(now[key])} was not taken: ${ways[key]}`),
    ],
  };
}

function storyRefused(story: unknown, { header }: Run): string {
  const isKnown = header.stories.some(({ id }) => id === story);
  if (isKnown)
    return `STATE.json: story ${String(story)} was not taken: \`pawl project continue ${String(story)}\` chooses it`;
  return `STATE.json: ${JSON.stringify(story)} is not a story of this project: pawl project add ${String(story)} TITLE`;
}

function resultRefused(before: Fields, now: Fields, run: Run): string {
  const what = `STATE.json: status ${JSON.stringify(now["status"])} was not taken`;
  if (before["status"] === "needs_human")
    return `${what}: answers are given with \`pawl project approve\` or \`pawl project reject --reason CODE\``;
  const attempts = Object.values(run.stories).flatMap((story) => story.attempts);
  if (attempts.some((attempt) => !hasEnded(attempt)))
    return `${what}: the executor wrote it itself; a session reports in HANDOFF.md or executor-result`;
  return `${what}: results come from HANDOFF.md and executor-result`;
}
