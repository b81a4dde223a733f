// Following. Owns: bringing the run's own tree to the commits of its stories, so that the steps after them work on what was built.

import { AppError } from "../../domain/error.ts";
import { git } from "../git/git.ts";
import { headOf } from "../git/head.ts";
import { assertOwned } from "../trees/ownership.ts";
import { type IntegrationTarget, tipOf } from "./tip.ts";

const checkoutTimeoutMs = 600_000;

/** Moves the tree, with the branch that it is on, forward to the tip. False if it has everything already. */
export async function followTip(path: string, target: IntegrationTarget): Promise<boolean> {
  const tree = assertOwned(path);
  const [tip, head] = [await tipOf(target), await headOf(tree.path)];
  if (head === tip) return false;
  const merge = ["merge", "--ff-only", "--quiet", "--no-stat", "--no-autostash", "--no-verify-signatures", tip];
  const merged = await git(tree.path, merge, { allowFailure: true, timeoutMs: checkoutTimeoutMs });
  if (merged.code === 0) return (await headOf(tree.path)) !== head;
  const said = merged.stderr.split("\n").filter((line) => line.trim() !== "");
  throw new AppError("REFUSED", `${path} cannot follow ${target.base} to ${tip.slice(0, 12)}: ${said[0] ?? ""}`, {
    hint: `it has commits or changes that ${target.base} does not have: merge ${tip.slice(0, 12)} there, then \`pawl retry\``,
    details: said.slice(0, 20),
  });
}
