// A free branch name. Owns: naming the branch of a run before the run exists, so that the first event has its name.

import { AppError } from "../../domain/error.ts";
import { git, gitLine } from "../git/git.ts";
import { alternatives, assertBranchName, branchFor } from "./branch-name.ts";

/** Reads the branches once; the name then depends only on the number of the run. */
export async function freeBranch(repo: string, task: string): Promise<(number: number) => string> {
  const listed = await gitLine(repo, ["for-each-ref", "--format=%(refname:short)", "refs/heads/pawl/"]);
  const taken = new Set(listed.split("\n"));
  return (number) => {
    for (const name of alternatives(branchFor(number, task))) if (!taken.has(name)) return name;
    return branchFor(number, `${task} ${taken.size}`);
  };
}

/** Refuses a name that the caller chose if it is invalid or taken. */
export async function assertFreeBranch(repo: string, name: string): Promise<void> {
  await assertBranchName(repo, name);
  const found = await git(repo, ["show-ref", "--verify", "--quiet", `refs/heads/${name}`], { allowFailure: true });
  if (found.code !== 0) return;
  throw new AppError("USAGE", `there is a branch ${name} already; a run works on one of its own`, {
    hint: "choose another name, or leave it out; --base names what the work starts from",
  });
}
