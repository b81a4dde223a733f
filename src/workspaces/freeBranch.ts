// A free branch name. Owns: naming a run's branch before the run exists, so that its name is known from the first event on.

import { alternatives, branchFor } from "./branchName.ts";
import { gitLine } from "./git.ts";

/** Looks once; the answer then depends on the run's number alone. */
export async function freeBranch(repo: string, task: string): Promise<(number: number) => string> {
  const listed = await gitLine(repo, ["for-each-ref", "--format=%(refname:short)", "refs/heads/pawl/"]);
  const taken = new Set(listed.split("\n"));
  return (number) => {
    for (const name of alternatives(branchFor(number, task))) if (!taken.has(name)) return name;
    return branchFor(number, `${task} ${taken.size}`);
  };
}
