// Git directories. Owns: reading from files where a tree keeps its git data and what HEAD says. No process is started, because this is
// asked between every two steps. Whether the pointers can be trusted is decided by the callers.

import { statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { realPath } from "./files/paths.ts";
import { readSettled } from "./files/settled-text.ts";

export interface Layout {
  /** The tree's own git directory: HEAD, index, operations in progress. */
  readonly gitDir: string;
  /** What all trees of the repository share: objects, branches, configuration. The same directory in a main checkout. */
  readonly commonDir: string;
}

/** The layout of the tree whose top is `path`; null where files alone do not say it. */
export function layoutOf(path: string): Layout | null {
  const gitDir = gitDirOf(path);
  if (gitDir === null) return null;
  return { gitDir, commonDir: commonDirOfEntry(gitDir) };
}

/** What a git directory shares with those of other trees; itself where it shares nothing. */
export function commonDirOfEntry(gitDir: string): string {
  const shared = readSettled(join(gitDir, "commondir"))?.trim();
  return shared ? resolve(gitDir, shared) : gitDir;
}

/** The `.git` file that the git directory of a linked tree points back to; null where it points to none. */
export function dotGitOfEntry(gitDir: string): string | null {
  const pointer = readSettled(join(gitDir, "gitdir"))?.trim();
  return pointer ? resolve(gitDir, pointer) : null;
}

/** The tree that the git directory of a linked tree belongs to; null where it names none. */
export function treeOfEntry(gitDir: string): string | null {
  const dotGit = dotGitOfEntry(gitDir);
  return dotGit && realPath(dirname(dotGit));
}

/** What HEAD names: a commit, or the full name of a branch (`refs/heads/…`). */
export type Head = { readonly commit: string } | { readonly ref: string };

/** HEAD of a git directory; null where the file does not say it, as in repositories whose refs are not files. */
export function readHead(gitDir: string): Head | null {
  return headIn(readSettled(join(gitDir, "HEAD")));
}

/** The commit of HEAD as the files say it; null where git must be asked. */
export function commitOfHead(layout: Layout): string | null {
  let head = readHead(layout.gitDir);
  // A branch may itself be a name for another one; git allows five such links.
  for (let links = 0; head !== null && links < 5; links += 1) {
    if ("commit" in head) return head.commit;
    head = headIn(readRef(layout, head.ref));
  }
  return null;
}

export function isCommitId(text: string): boolean {
  return /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}

function gitDirOf(path: string): string | null {
  const dotGit = join(path, ".git");
  const stats = statSync(dotGit, { throwIfNoEntry: false });
  if (stats?.isDirectory()) return dotGit;
  const link = stats?.isFile() ? readSettled(dotGit)?.match(/^gitdir: (.+?)\n?$/)?.[1] : undefined;
  return link === undefined ? null : resolve(path, link);
}

function headIn(text: string | null): Head | null {
  const read = text?.trim() ?? "";
  if (isCommitId(read)) return { commit: read };
  const ref = /^ref: (refs\/\S+)$/.exec(read)?.[1];
  // Repositories whose refs are not files keep a stand-in here.
  return ref === undefined || ref.includes("..") || ref === "refs/heads/.invalid" ? null : { ref };
}

function readRef(layout: Layout, ref: string): string | null {
  const loose = readSettled(join(layout.commonDir, ref));
  if (loose !== null && loose !== "") return loose;
  const packed = readSettled(join(layout.commonDir, "packed-refs"));
  const at = packed?.indexOf(` ${ref}\n`) ?? -1;
  return packed && at > 0 ? packed.slice(packed.lastIndexOf("\n", at) + 1, at) : null;
}
