// Reads and writes text files for an ACP agent that asks its client to, inside the directories that the agent may use. The agent
// could open them itself; a request makes Pawl responsible for the file.

import { closeSync, constants, writeFileSync } from "node:fs";
import { lstat, realpath, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, resolve, sep } from "node:path";
import { RequestError } from "@agentclientprotocol/sdk";
import { systemCode } from "../../domain/error.ts";
import { within } from "../../system/files/inside.ts";
import { openRegular, readRegular } from "../../system/files/regular-file.ts";
import type { Access } from "../executor.ts";

const { O_CREAT, O_TRUNC, O_WRONLY } = constants;

/** A longer file is not text that a model reads. */
const longestFile = 8 * 1024 * 1024;

export interface AgentFiles {
  read(path: string, line: number | null, limit: number | null): Promise<string>;
  write(path: string, content: string): Promise<void>;
}

/** `places`: the workspace first, then the other directories. */
export function agentFiles(places: readonly string[], access: Access): AgentFiles {
  return {
    async read(path, line, limit) {
      const file = await readable(path, places);
      const found = await stat(file).catch(() => null);
      if (!found?.isFile()) throw RequestError.resourceNotFound(path);
      if (found.size > longestFile) throw refused(`${path} is longer than ${longestFile / 1024 / 1024} MiB`);
      return linesOf(readRegular(file, { links: "follow", atMost: longestFile, name: path }), line, limit);
    },
    async write(path, content) {
      if (access === "read") throw refused(`${path} may not be written: this step may only read`);
      const { file, root } = await inside(path, places);
      // The agent may put a link there after the look.
      within(root, file, (entered) => overwrite(entered, path, content), { make: true });
    },
  };
}

function overwrite(path: string, name: string, content: string): void {
  const handle = openRegular(path, { flags: O_WRONLY | O_CREAT | O_TRUNC, name });
  try {
    writeFileSync(handle, content);
  } finally {
    closeSync(handle);
  }
}

/** Lines count from 1. */
function linesOf(text: string, line: number | null, limit: number | null): string {
  if (line === null && limit === null) return text;
  const from = Math.max(0, (line ?? 1) - 1);
  const lines = text.split("\n");
  return lines.slice(from, limit === null ? undefined : from + limit).join("\n");
}

/** Reading may follow a link of the workspace anywhere: packages are often linked from elsewhere. */
async function readable(path: string, places: readonly string[]): Promise<string> {
  const plain = resolve(path);
  return isAbsolute(path) && places.some((place) => isIn(plain, resolve(place)))
    ? plain
    : (await inside(path, places)).file;
}

function isIn(path: string, place: string): boolean {
  return path === place || path.startsWith(place + sep);
}

/** The real path; a link in the workspace may lead out of it. */
async function inside(
  path: string,
  places: readonly string[],
): Promise<{ readonly file: string; readonly root: string }> {
  if (!isAbsolute(path)) throw refused(`${path} is not an absolute path`);
  const file = await realPlace(path);
  const roots = await Promise.all(places.map((place) => realpath(place).catch(() => null)));
  const root = roots.find((candidate) => candidate !== null && isIn(file, candidate));
  if (!root) throw refused(`${path} is outside of the workspace`);
  return { file, root };
}

/** Also for a path that does not exist yet: one of its parents does. */
async function realPlace(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const parent = dirname(path);
    const isMissing = systemCode(error) === "ENOENT";
    // A write would follow a dangling link.
    const isLink = (await lstat(path).catch(() => null)) !== null;
    if (!isMissing || isLink || parent === path) throw refused(`${path} cannot be used`);
    return join(await realPlace(parent), basename(path));
  }
}

function refused(why: string): RequestError {
  return RequestError.invalidParams(undefined, why);
}
