// Objects and refs that only Pawl uses. Owns: writing a commit that keeps a state, and the ref that keeps the commit, without a process.
// The files are those that git itself would write.

import { createHash, randomUUID } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { deflateSync } from "node:zlib";
import { readIfReadable } from "../../system/files/text.ts";
import { readHead } from "../../system/git-directory.ts";
import { changeRefs } from "./refs.ts";

export interface OwnCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
}

// A fixed author and date, so that the same state always has the same id.
const author = "Pawl <pawl@localhost> 1 +0000";

/** Writes the commit as a loose object and returns its id, which is the one that git gives the same commit. */
export function writeCommit(commonDir: string, { tree, parents, message }: OwnCommit): string {
  const lines = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${author}`,
    `committer ${author}`,
    "",
    `${message}\n`,
  ];
  const body = Buffer.from(lines.join("\n"));
  const object = Buffer.concat([Buffer.from(`commit ${body.length}\0`), body]);
  const id = createHash(tree.length === 64 ? "sha256" : "sha1")
    .update(object)
    .digest("hex");
  const objects = join(commonDir, "objects");
  const directory = join(objects, id.slice(0, 2));
  const file = join(directory, id.slice(2));
  if (existsSync(file)) return id;
  if (mkdirSync(directory, { recursive: true }) !== undefined) {
    // In a repository that several people share, they must be able to write there too.
    chmodSync(directory, statSync(objects).mode);
  }
  // A name that `git gc` removes, if this process is killed here.
  const draft = join(directory, `tmp_obj_${randomUUID()}`);
  writeFileSync(draft, deflateSync(object), { flag: "wx", mode: 0o444, flush: true });
  renameSync(draft, file);
  return id;
}

/** Makes a ref below `refs/pawl/` that keeps the object. Git does it where refs are not files, or where a lock is in the way. */
export async function keepObject(commonDir: string, ref: string, id: string): Promise<void> {
  const file = join(commonDir, ref);
  if (readIfReadable(file)?.trim() === id) return;
  if (readHead(commonDir) === null || !writeRef(file, id)) await changeRefs(commonDir, [`update ${ref} ${id}`]);
}

/** As git does it: the lock is the new file, and its rename is the change. */
function writeRef(file: string, id: string): boolean {
  const lock = `${file}.lock`;
  let isOurs = false;
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(lock, "", { flag: "wx" });
    isOurs = true;
    writeFileSync(lock, `${id}\n`, { flush: true });
    renameSync(lock, file);
    return true;
  } catch {
    if (isOurs) rmSync(lock, { force: true });
    return false;
  }
}
