// Finds the password of a connection in the file that PGPASSFILE names, else in ~/.pgpass, as PostgreSQL's own programs do. The driver
// does so too, with a warning that it will not for long.

import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { errorText } from "../../domain/error.ts";

export interface Login {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
}

/** `lacks`: why there is none, with what to do about it. */
export type FoundPassword = { readonly password: string } | { readonly lacks: string; readonly hint: string };

export function passwordFor(login: Login, env: NodeJS.ProcessEnv = process.env): FoundPassword {
  const file = env["PGPASSFILE"] ?? join(homedir(), ".pgpass");
  const read = linesOf(file);
  if ("lacks" in read) return read;
  const { host, port, database, user } = login;
  const wanted = [host.startsWith("/") ? "localhost" : host, String(port), database, user];
  const isFor = (fields: readonly string[]) => wanted.every((value, at) => fields[at] === "*" || fields[at] === value);
  const lines = read.lines.map((line) => fieldsOf(line)).filter(isFor);
  const [first] = lines.flatMap(([, , , , password, ...more]) => (more.length === 0 ? (password ?? []) : []));
  if (first !== undefined) return { password: first };
  return lines.some(({ length }) => length > wanted.length + 1)
    ? { lacks: `the line for it in ${file} has too many colons`, hint: "write : and \\ in a password as \\: and \\\\" }
    : { lacks: `no line of ${file} is for ${wanted.join(":")}`, hint: `add one to it: ${wanted.join(":")}:PASSWORD` };
}

const whereToPut =
  "put one into PAWL_STORE, or into the file that PGPASSFILE names (else ~/.pgpass), which only its owner may read";

type Lines = { readonly lines: readonly string[] } | { readonly lacks: string; readonly hint: string };

/** A file that others can read does not count, as everywhere. */
function linesOf(file: string): Lines {
  try {
    const stats = statSync(file);
    if (!stats.isFile()) return { lacks: `${file} is not a plain file`, hint: whereToPut };
    if (process.platform !== "win32" && (stats.mode & 0o077) !== 0)
      return { lacks: `other users can read ${file}, so it does not count`, hint: `\`chmod 600 ${file}\`` };
    const lines = readFileSync(file, "utf8").split(/\r?\n/);
    return { lines: lines.filter((line) => line !== "" && !line.startsWith("#")) };
  } catch (error) {
    return { lacks: errorText(error), hint: whereToPut };
  }
}

/** Fields are separated by colons; a backslash takes what follows as it is. */
function fieldsOf(line: string): readonly string[] {
  const fields = [""];
  for (const [, escaped, other = ""] of line.matchAll(/\\(.)|(.)/gs)) {
    if (other === ":") fields.push("");
    else fields.push(`${fields.pop()}${escaped ?? other}`);
  }
  return fields;
}
