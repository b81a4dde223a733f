// Branch names. Owns: naming the branch of a run, and refusing names that git would not accept.

import { AppError } from "../../domain/error.ts";
import { isSafeId } from "../../domain/ids.ts";
import { git } from "../git/git.ts";

const maxLength = 60;

/** `pawl/<number>-<slug>`: at most 60 characters, safe on every file system; the number alone for a task without Latin letters. */
export function branchFor(number: number, task: string): string {
  const stem = `pawl/${number}`;
  const slug = slugOf(task, maxLength - stem.length - 1);
  return slug === "" ? stem : `${stem}-${slug}`;
}

/** Throws unless git accepts exactly `name` as the name of a new branch. */
export async function assertBranchName(repo: string, name: string): Promise<void> {
  // Most names can be checked without a process.
  if (name.length <= 200 && name !== "HEAD" && name.split("/").every(isSafeId)) return;
  // Git accepts names such as `@{-1}` that mean another branch; they are refused.
  const plain = name.length <= 200 && !name.includes("\0") && !name.startsWith("-") && name !== "@";
  const checked = plain ? await git(repo, ["check-ref-format", "--branch", name], { allowFailure: true }) : null;
  if (checked?.code === 0 && checked.stdout.trim() === name) return;
  throw new AppError("INPUT_INVALID", `${JSON.stringify(name.slice(0, 80))} is not a valid branch name`, {
    hint: "use letters, digits, `-`, `_` and `/`, for example `feature/login`",
  });
}

/** The name itself, then the name with `-2`, `-3` … for the case that it is taken. */
export function* alternatives(name: string): Generator<string> {
  yield name;
  for (let suffix = 2; suffix < 1000; suffix += 1) yield `${name}-${suffix}`;
}

function slugOf(task: string, maxLength: number): string {
  const words = task
    .normalize("NFKD")
    .replace(/\p{Mark}/gu, "")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
  let slug = "";
  for (const word of words) {
    const longer = slug === "" ? word : `${slug}-${word}`;
    if (longer.length > maxLength) break;
    slug = longer;
  }
  return slug === "" ? (words[0] ?? "").slice(0, maxLength) : slug;
}
