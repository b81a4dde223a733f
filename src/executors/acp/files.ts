// Reads and writes text files for an ACP agent that asks its client to, inside the directories that the agent may use. The agent
// could open them itself; a request makes Pawl responsible for the file.

import { lstat, mkdir, readFile, realpath, stat, writeFile } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, resolve, sep } from "node:path";
import { RequestError } from "@agentclientprotocol/sdk";
import { systemCode } from "../../domain/error.ts";
import type { Access } from "../executor.ts";

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
      return linesOf(await readFile(file, "utf8"), line, limit);
    },
    async write(path, content) {
      if (access === "read") throw refused(`${path} may not be written: this step may only read`);
      const file = await inside(path, places);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
    },
  };
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
  return isAbsolute(path) && places.some((place) => isIn(plain, resolve(place))) ? plain : await inside(path, places);
}

function isIn(path: string, place: string): boolean {
  return path === place || path.startsWith(place + sep);
}

/** The real path; a link in the workspace may lead out of it. */
async function inside(path: string, places: readonly string[]): Promise<string> {
  if (!isAbsolute(path)) throw refused(`${path} is not an absolute path`);
  const file = await realPlace(path);
  const roots = await Promise.all(places.map((place) => realpath(place).catch(() => null)));
  if (!roots.some((root) => root !== null && isIn(file, root))) throw refused(`${path} is outside of the workspace`);
  return file;
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
