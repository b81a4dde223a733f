// Finds the password of a connection in the file that PGPASSFILE names, else in ~/.pgpass, as PostgreSQL's own programs do. The driver
// does so too, with a warning that it will not for long.

import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

export interface Login {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
}

/** null: there is no file, others can read it, or no line is for this login. */
export function passwordFor(
  { host, port, database, user }: Login,
  env: NodeJS.ProcessEnv = process.env,
): string | null {
  const wanted = [host.startsWith("/") ? "localhost" : host, String(port), database, user];
  for (const line of linesOf(env["PGPASSFILE"] ?? join(homedir(), ".pgpass"))) {
    const [password, ...pattern] = fieldsOf(line).toReversed();
    const isFor =
      pattern.length === 4 && pattern.toReversed().every((field, at) => field === "*" || field === wanted[at]);
    if (isFor && password !== undefined) return password;
  }
  return null;
}

/** A file that others can read does not count, as everywhere. */
function linesOf(file: string): readonly string[] {
  try {
    const { mode } = statSync(file);
    if (process.platform !== "win32" && (mode & 0o077) !== 0) return [];
    return readFileSync(file, "utf8")
      .split(/\r?\n/)
      .filter((line) => line !== "" && !line.startsWith("#"));
  } catch {
    return [];
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
