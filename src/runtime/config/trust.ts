// Trust in a repository's commands. Owns: which texts of which repository the user has agreed to. A repository comes from anywhere; what
// its `.pawl/config.yml` wants to run is run only after its user has seen it once.

import { dirname, join } from "node:path";
import { AppError } from "../../domain/error.ts";
import { readJson, writeJson } from "../../system/files/json-file.ts";
import { realPath } from "../../system/files/paths.ts";
import { makePrivateDirectory } from "../../system/private-home.ts";
import { sha256Of } from "../../system/sha256.ts";

/** A command of the repository's own configuration. */
export interface RepositoryCommand {
  /** `project.test`, `workspace.setup`. */
  readonly key: string;
  readonly command: string;
}

/** Beside the user's configuration. */
function recordFile(homeFile: string): string {
  return join(dirname(homeFile), "trusted.json");
}

type TrustRecord = Readonly<Record<string, string>>;

export function isTrusted(homeFile: string, repo: string, commands: readonly RepositoryCommand[]): boolean {
  return commands.length === 0 || readRecord(homeFile)[realPath(repo)] === digest(commands);
}

/** The repositories that the user has agreed to, by their real paths. */
export function trustedRepositories(homeFile: string): readonly string[] {
  return Object.keys(readRecord(homeFile));
}

/** Agrees to these commands of the repository, in place of those that were agreed to before. */
export function recordTrust(homeFile: string, repo: string, commands: readonly RepositoryCommand[]): void {
  const file = recordFile(homeFile);
  makePrivateDirectory(dirname(file));
  writeJson(file, { ...readRecord(homeFile), [realPath(repo)]: digest(commands) } satisfies TrustRecord);
}

/** Takes the agreement back; false: there was none. */
export function revokeTrust(homeFile: string, repo: string): boolean {
  const { [realPath(repo)]: known, ...rest } = readRecord(homeFile);
  if (known !== undefined) writeJson(recordFile(homeFile), rest);
  return known !== undefined;
}

export function untrusted(repo: string, commands: readonly RepositoryCommand[]): AppError {
  const count = commands.length === 1 ? "a command" : `${commands.length} commands`;
  return new AppError("UNTRUSTED", `${repo} wants to run ${count} that you have not agreed to`, {
    details: commands.map(({ key, command }) => `${key}: ${command}`),
    hint: "look at them, then `pawl trust` agrees for this repository and this text, or `--trust` for one run",
  });
}

function readRecord(homeFile: string): TrustRecord {
  const record = readJson(recordFile(homeFile));
  return typeof record === "object" && record !== null ? (record as TrustRecord) : {};
}

function digest(commands: readonly RepositoryCommand[]): string {
  return sha256Of(JSON.stringify(commands.map(({ key, command }) => [key, command])));
}
