// Work of sessions that the checkout does not have yet. A session that starts there would do it again.

import { findWorkBranch } from "../../runtime/trees/work-branch.ts";
import type { Store } from "../../store/store.ts";
import { branchCommit, headOf } from "../../workspaces/git/head.ts";
import { isIn } from "../../workspaces/integration/ancestry.ts";
import type { LifecycleProject } from "./project.ts";
import { allSessions, type KnownSession, worksInProject } from "./sessions.ts";

/** One sentence for each session whose branch is not part of the checkout. What was cancelled is not wanted. */
export async function unmergedWork(store: Store, project: LifecycleProject): Promise<readonly string[]> {
  const own = (await allSessions(store, project)).filter((session) => !worksInProject(session));
  const said = await Promise.all(own.map(async (session) => await unmergedOf(session, project)));
  return said.flatMap((text) => text ?? []);
}

async function unmergedOf({ id, run, summary }: KnownSession, { root }: LifecycleProject): Promise<string | null> {
  const { end } = run.header;
  if (end?.status === "cancelled") return null;
  const branch = await findWorkBranch(run.header, summary.number);
  const commit = branch === null ? null : await branchCommit(root, branch);
  if (branch === null || commit === null || (await isIn(root, commit, await headOf(root)))) return null;
  const instead = end?.status === "done" ? `git merge ${branch}` : "pawl lifecycle execute";
  return `the work of ${id} is on branch ${branch}, which this checkout does not have: a new session may do it again. Instead: ${instead}`;
}
