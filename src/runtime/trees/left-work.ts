// What steps leave uncommitted. Owns: whether Pawl commits it, when, and under which name.

import { type Attempt, type EndedAttempt, hasEnded } from "../../domain/attempt.ts";
import type { Header, Run } from "../../domain/run.ts";
import { byProducts, type IsByProduct } from "../../workspaces/trees/by-products.ts";
import { commitLeftWork, type LeftCommit } from "../../workspaces/trees/left-work.ts";
import type { Parts } from "../parts.ts";

type LeftWorkPorts = Pick<Parts, "store" | "log">;

/** Whether what a step leaves is committed before the next one begins, rather than at the end of the run. */
export function commitsBetweenSteps({ definition }: Pick<Header, "definition">): boolean {
  return definition.workspace.uncommitted !== "keep";
}

/** Which new files are what tools leave behind. */
export function byProductsOf({ definition }: Pick<Header, "definition">): IsByProduct {
  return byProducts(definition.workspace.byProducts);
}

/**
 * Commits what the last attempt in the tree left, if it passed: what a rejected or broken one left is continued by its next attempt.
 * False if nothing was committed.
 */
export async function commitLeftBefore(parts: LeftWorkPorts, run: Run, path: string): Promise<boolean> {
  const last = await lastIn(parts, run, path);
  if (last === null || last.state.outcome !== "completed" || last.state.verdict?.kind === "rejected") return false;
  return (await commitLeftBy(parts, run, path, last)).result === "committed";
}

/** At the end of a run everything is committed, whatever the last attempt in the tree said. */
export async function commitLeftAtEnd(parts: LeftWorkPorts, run: Run, path: string): Promise<LeftCommit> {
  return await commitLeftBy(parts, run, path, await lastIn(parts, run, path));
}

/** Under the name of the step that left it. */
export async function commitLeftBy(
  parts: Pick<Parts, "log">,
  { header }: Run,
  path: string,
  by: Pick<Attempt, "name" | "story"> | null,
): Promise<LeftCommit> {
  const message = messageOf(header, by);
  const left = await commitLeftWork({ path, message, isByProduct: byProductsOf(header) });
  if (left.result === "committed")
    parts.log("workspace.committed", { run: header.id, step: by?.name ?? null, commit: left.commit });
  return left;
}

/** The attempt that ended last in this tree, of whatever story. */
async function lastIn({ store }: LeftWorkPorts, { header }: Run, path: string): Promise<EndedAttempt | null> {
  const whole = await store.wholeRun(header.id);
  if (whole === null) return null;
  const attempts = [whole.header, ...Object.values(whole.stories)].flatMap((scope) => scope.attempts);
  const here = attempts.filter(hasEnded).filter(({ state }) => state.workspace === path);
  return here.toSorted((a, b) => a.state.endedAt - b.state.endedAt).at(-1) ?? null;
}

const longestSubject = 72;

function messageOf(header: Header, by: Pick<Attempt, "name" | "story"> | null): string {
  const title = header.stories.find(({ id }) => id === by?.story)?.title ?? header.task;
  const line = title.split("\n", 1)[0]?.trim() ?? "";
  const subject = [...(by === null ? [] : [by.name]), ...(by?.story ? [by.story] : []), line].join(": ");
  const short = subject.length > longestSubject ? `${subject.slice(0, longestSubject - 1).toWellFormed()}…` : subject;
  return `${short}\n\nThe agent left this uncommitted; Pawl committed it.\n`;
}
