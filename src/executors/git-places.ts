// What git writes outside of a worktree. Owns: the directories that a sandbox must open for a commit.

import { existsSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";

/** What a commit, a branch or a rebase writes of the repository; its settings and hooks are not among them. */
const written = ["objects", "refs", "logs"];

/** Empty where `dir` is no checkout. */
export function gitPlaces(dir: string): readonly string[] {
  try {
    const dotGit = join(dir, ".git");
    if (statSync(dotGit).isDirectory()) return [dotGit];
    const own = resolve(dir, /^gitdir: (.+)$/m.exec(readFileSync(dotGit, "utf8"))?.[1] ?? "");
    const common = resolve(own, readFileSync(join(own, "commondir"), "utf8").trim());
    return [own, ...written.map((name) => join(common, name)).filter((place) => existsSync(place))];
  } catch {
    return [];
  }
}
