// Taking a story back. Owns: when the commit of an integrated story may be reverted, its turn among the integrations, and the record.

import type { RevertDocument } from "../../contracts/run-documents.ts";
import { hasStoryTrees } from "../../domain/definition.ts";
import { AppError } from "../../domain/error.ts";
import type { StoryId } from "../../domain/ids.ts";
import type { Header, Run } from "../../domain/run.ts";
import { whyNotRevertible } from "../../engine/stories/reverting.ts";
import { transition } from "../../runtime/transition/transition.ts";
import { integratedCommits } from "../../runtime/trees/integrated-commits.ts";
import { integrationPermit, integrationTarget, intentFile, ownFiles } from "../../runtime/trees/places.ts";
import { type Revert, revertCommit } from "../../workspaces/integration/revert.ts";
import type { Application, Session } from "../application.ts";
import { findRun, storyIn, wholeRun } from "../references.ts";

export interface RevertOptions {
  /** Also if other stories depend on it. */
  readonly yes?: boolean | undefined;
  readonly author?: string | undefined;
}

export async function revert(
  app: Application,
  reference: string,
  story: string,
  { yes = false, author = app.author }: RevertOptions = {},
): Promise<RevertDocument> {
  return await app.change(null, async ({ parts }) => {
    const { id, number } = await findRun(parts.store, reference);
    const run = await wholeRun(parts.store, { id });
    const entry = storyIn(run.header, number, story);
    const { kind, repo } = run.header.place;
    const no = (why: string, hint: string, details: readonly string[] = []) =>
      new AppError("REFUSED", `nothing was changed: ${why}`, { hint, details });
    const look = `\`pawl stories ${number}\` shows the stories`;
    const why = whyNotRevertible(entry);
    if (why !== null) throw no(why, look);
    if (!hasStoryTrees(run.header.definition) || kind !== "worktree" || repo === null)
      throw no(`the stories of run #${number} are not integrated one by one`, "`git revert` takes a commit back");
    const commit = (await integratedCommits(parts.store, id)).get(entry.id);
    if (commit === undefined) throw no(`story ${story} is done and has no commit: it changed nothing`, look);
    const dependents = dependentsOf(run.header, entry.id);
    if (dependents.length > 0 && !yes) {
      const listed = dependents.map(({ id: other, status }) => `${other} (${status})`);
      throw no(
        `other stories depend on ${story}`,
        `if they can do without it: pawl revert ${number} ${story} --yes`,
        listed,
      );
    }
    const reverted = await inTurn(parts, run, () => revertIn(parts, run, entry.id, commit));
    if (reverted.result === "conflict") {
      const hint = `take it back by hand: \`git revert ${commit.slice(0, 12)}\` on ${reverted.on}`;
      throw no(`later work on ${reverted.on} changed the same lines`, hint, reverted.files);
    }
    if (reverted.result === "refused") throw no(reverted.why, reverted.hint);
    const { by, on, notes } = reverted;
    const command = { type: "revert_story", of: entry.id, commit: reverted.commit, by, on } as const;
    const decision = await transition(parts, id, { ...command, at: parts.clock.now(), author });
    if (!decision.accepted) throw no(decision.why, look);
    return {
      run: id,
      number,
      story: entry.id,
      commit: reverted.commit,
      by,
      on,
      dependents: dependents.map((d) => d.id),
      notes,
    };
  });
}

async function revertIn(parts: Session["parts"], run: Run, story: StoryId, commit: string): Promise<Revert> {
  const target = integrationTarget(run);
  const file = intentFile(parts, target);
  return await revertCommit({ ...target, story, commit, ignoring: ownFiles(parts, run), intentFile: file });
}

/** All that depend on it, also by way of others. */
function dependentsOf({ stories }: Header, story: StoryId): Header["stories"] {
  const found = new Set<StoryId>([story]);
  for (let before = 0; before !== found.size; ) {
    before = found.size;
    for (const { id, dependsOn } of stories) if (dependsOn.some((other) => found.has(other))) found.add(id);
  }
  return stories.filter(({ id, status, reverted }) => {
    return id !== story && found.has(id) && status !== "cancelled" && reverted === undefined;
  });
}

const lookEveryMs = 100;
const longestTurnMs = 600_000;

/**
 * Waits until no integration into the base is under way. One that begins afterwards finds the base moved and starts over; a checkout
 * is moved by one process at a time (workspaces/integration/forward.ts).
 */
async function inTurn<T>({ store, clock }: Session["parts"], run: Run, act: () => Promise<T>): Promise<T> {
  const key = integrationPermit(run);
  for (let waitedMs = 0; ; waitedMs += lookEveryMs) {
    const [holder] = await store.permitHolders(key);
    if (holder === undefined) return await act();
    if (waitedMs >= longestTurnMs) {
      throw new AppError("WORKSPACE_BUSY", `${holder.attempt.story} has been integrating for ten minutes`, {
        hint: "nothing was changed; `pawl why` says what it does; try again when it has ended",
      });
    }
    await clock.sleep(lookEveryMs);
  }
}
