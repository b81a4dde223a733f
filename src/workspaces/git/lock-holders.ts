// Gits that may hold a lock in a repository. Owns: which of those that run may work there; one of which this cannot be told counts.

import { statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { realPath } from "../../system/files/paths.ts";
import { commonDirOfEntry, layoutOf } from "../../system/git-directory.ts";
import { type RunningProgram, runningPrograms } from "../../system/process/programs.ts";

/** The identities of the gits that may hold a lock in the repository with this shared directory. */
export async function gitsIn(commonDir: string): Promise<ReadonlySet<string>> {
  const shared = realPath(commonDir);
  const found = await runningPrograms(/^git(?:-|$)/);
  return new Set(
    found
      .filter(({ words }) => !words.slice(1).some((word) => servants.test(word)))
      .filter((program) => mayWorkIn(program, shared))
      .map(({ pid, startedAt }) => `${pid} ${startedAt}`),
  );
}

// These run for hours beside a repository and never take a lock of it.
const servants = /^(?:fsmonitor--daemon|credential-cache--daemon|daemon|cat-file|check-attr|check-ignore)$/;

function mayWorkIn({ cwd, words, variables }: RunningProgram, shared: string): boolean {
  if (cwd === null) return true;
  const valueOf = (name: string) =>
    variables.find((variable) => variable.startsWith(`${name}=`))?.slice(name.length + 1);
  if (valueOf("GIT_COMMON_DIR") !== undefined) return true;
  const named = gitDirIn(words) ?? valueOf("GIT_DIR");
  if (named === undefined) return repositoryAbove(cwd) === shared;
  // A relative name is meant from where git was started, and git may have left that place.
  const places = [cwd, valueOf("PWD") ?? cwd].map((start) => repositoryAt(resolve(start, named)));
  return places.includes(shared) || places.includes(null);
}

/** What `--git-dir` says in front of the command of git; behind it the word means something else. */
function gitDirIn(words: readonly string[]): string | undefined {
  for (let at = 1; words[at]?.startsWith("-"); at += 1) {
    const word = words[at] ?? "";
    if (word === "--git-dir") return words[at + 1];
    if (word.startsWith("--git-dir=")) return word.slice("--git-dir=".length);
    if (withValue.has(word)) at += 1;
  }
  return undefined;
}

/** Options of git whose value is the next word. */
const withValue = new Set([
  "-C",
  "-c",
  "--work-tree",
  "--namespace",
  "--config-env",
  "--attr-source",
  "--super-prefix",
]);

/** What git would find from this directory: the shared directory of the repository, or the repository that it lies in. */
function repositoryAbove(start: string): string | null {
  for (let dir = start; ; dir = dirname(dir)) {
    const layout = layoutOf(dir);
    if (layout !== null) return realPath(layout.commonDir);
    const bare = repositoryAt(dir);
    if (bare !== null) return bare;
    if (dirname(dir) === dir) return null;
  }
}

/** The shared directory of the repository whose git directory this is; null: it is none. */
function repositoryAt(gitDir: string): string | null {
  const commonDir = commonDirOfEntry(gitDir);
  const isOne = ["HEAD", "objects", "refs"].every((name) => statSync(join(commonDir, name), { throwIfNoEntry: false }));
  return isOne ? realPath(commonDir) : null;
}
