// Checks the names of a run before a guest makes paths and refs of them. The store is not the guest's own: a damaged or changed row must
// not lead out of its home.

import type { Attempt } from "../../domain/attempt.ts";
import { AppError } from "../../domain/error.ts";
import { isSafeId } from "../../domain/ids.ts";
import type { Run } from "../../domain/run.ts";
import { isCommitId } from "../../system/git-directory.ts";

/** Throws before anything of the run is made here. Looks at the run and at those of its stories that were loaded. */
export function assertSound({ header, stories }: Run): void {
  const { id: run, place } = header;
  assertThat(isWord(run), run, "the id", run);
  for (const commit of [place.base, place.baseAt ?? null])
    assertThat(commit === null || isCommitId(commit), run, "the commit it starts from", commit);
  for (const branch of [place.baseName, place.branch])
    assertThat(branch === null || isPlainRef(branch), run, "the branch", branch);
  for (const { id, slot } of header.stories) {
    assertThat(isWord(id), run, "the id of a story", id);
    assertThat(slot === undefined || isCount(slot), run, `the slot of story ${id}`, slot);
  }
  for (const { chain, attempts } of [header, ...Object.values(stories)]) {
    for (const { id } of chain) assertThat(isStepId(id), run, "the id of a step", id);
    for (const attempt of attempts) assertAttempt(run, attempt);
  }
}

function assertAttempt(run: string, { id, story, step, part, number }: Attempt): void {
  assertThat(isWord(id), run, "the id of an attempt", id);
  assertThat(story === null || isWord(story), run, `the story of attempt ${id}`, story);
  assertThat(isStepId(step), run, `the step of attempt ${id}`, step);
  assertThat(part === undefined || isWord(part), run, `the part of attempt ${id}`, part);
  assertThat(isCount(number), run, `the number of attempt ${id}`, number);
}

function assertThat(isSound: boolean, run: string, what: string, found: unknown): void {
  if (isSound) return;
  const name = isWord(run) ? run : shown(run);
  throw new AppError("STORE_DAMAGED", `run ${name} is damaged: ${what} is ${shown(found)}`, {
    hint: "this worker takes nothing of it; find out on the host what has changed the store, and cancel the run or restore a backup",
  });
}

function shown(found: unknown): string {
  return found === undefined ? "missing" : JSON.stringify(found).slice(0, 80);
}

function isWord(id: unknown): boolean {
  return typeof id === "string" && isSafeId(id);
}

/** A step that was added later has a number behind its name. */
function isStepId(id: unknown): boolean {
  return typeof id === "string" && /^[A-Za-z0-9][\w.~-]{0,99}$/.test(id) && !id.includes("..");
}

/** Git itself looks at the rest of it. */
function isPlainRef(name: unknown): boolean {
  return typeof name === "string" && name.length <= 200 && !/^[-/]|\.\.|\p{Cc}/u.test(name);
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) > 0;
}
