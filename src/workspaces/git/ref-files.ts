// Reads refs from the files in which git keeps them, without a process. Returns null wherever the files alone do not say it: refs that
// are not files, a name for another ref, a file that is being written. Then git is asked.

import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { systemCode } from "../../domain/error.ts";
import { readIfReadable, readOptional } from "../../system/files/text.ts";
import { isCommitId, readHead } from "../../system/git-directory.ts";

/** The refs whose full names start with one of these texts, with the commit that each is at. */
export function refsStarting(commonDir: string, beginnings: readonly string[]): ReadonlyMap<string, string> | null {
  // Repositories whose refs are not files have a HEAD that names nothing.
  if (readHead(commonDir) === null) return null;
  try {
    // Loose refs first: git writes a packed one before it removes the loose one, so none is missed.
    const loose = beginnings.flatMap((beginning) => looseNames(commonDir, beginning));
    const found = new Map(loose.map((name) => [name, readIfReadable(join(commonDir, name))?.trim() ?? ""]));
    const packed = readOptional(join(commonDir, "packed-refs")) ?? "";
    for (const [name, id] of beginnings.flatMap((beginning) => packedRefs(packed, beginning))) {
      // A loose ref counts more. One that is gone since it was listed is packed now, or deleted.
      if (!found.get(name)) found.set(name, id);
    }
    return [...found.values()].every(isCommitId) ? found : null;
  } catch {
    return null;
  }
}

function looseNames(commonDir: string, beginning: string): readonly string[] {
  const directory = beginning.endsWith("/") ? beginning.slice(0, -1) : dirname(beginning);
  return entriesIn(join(commonDir, directory)).flatMap((entry) => {
    const name = `${directory}/${entry.name}`;
    if (!name.startsWith(beginning)) return [];
    if (entry.isDirectory()) return looseNames(commonDir, `${name}/`);
    // Git takes no name that ends so for a ref.
    return entry.isFile() && !name.endsWith(".lock") ? [name] : [];
  });
}

function entriesIn(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw error;
  }
}

/** Found by text, because the file may have many thousand lines. */
function packedRefs(packed: string, beginning: string): readonly (readonly [string, string])[] {
  const found: (readonly [string, string])[] = [];
  for (let at = packed.indexOf(` ${beginning}`); at !== -1; at = packed.indexOf(` ${beginning}`, at + 1)) {
    const id = packed.slice(packed.lastIndexOf("\n", at) + 1, at);
    const end = packed.indexOf("\n", at);
    if (isCommitId(id)) found.push([packed.slice(at + 1, end === -1 ? undefined : end), id]);
  }
  return found;
}
