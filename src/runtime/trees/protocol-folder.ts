// The shared folder of a run: where it lies, that it can be written, and that git does not see it.

import { accessSync, constants, existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { AppError, errorText } from "../../domain/error.ts";
import type { RunId } from "../../domain/ids.ts";
import type { Run, RunPlace } from "../../domain/run.ts";
import type { CompleteProtocol } from "../../protocols/complete-protocol.ts";
import { defaultFolder } from "../../protocols/files/folder.ts";
import type { RunFacts } from "../../protocols/protocol.ts";
import { realPath } from "../../system/files/paths.ts";
import { excludeLocally } from "../../workspaces/git/exclude.ts";
import { inspectRepository } from "../../workspaces/git/repository.ts";
import { pathMatcher } from "../../workspaces/trees/path-patterns.ts";
import type { Parts } from "../parts.ts";
import type { GivenStories } from "../run-request.ts";

/** What a run's place says about the files of its protocol. */
export function protocolPlace(
  parts: Pick<Parts, "home">,
  { hasFolder }: CompleteProtocol,
  run: RunId,
  given: GivenStories | null,
): Pick<RunPlace, "shared" | "source"> {
  const folder = given?.shared ?? ownFolder(parts, run);
  return {
    ...(hasFolder ? { shared: resolve(folder) } : {}),
    ...(given?.source ? { source: resolve(given.source) } : {}),
  };
}

/** The shared folder of a run for which no person chose one; it goes with the run. */
export function ownFolder({ home }: Pick<Parts, "home">, run: RunId): string {
  return resolve(home.dir, "shared", run);
}

/** Makes the folder, keeps the protocol's files out of git, and lets the protocol prepare them. */
export async function beginFiles(protocol: CompleteProtocol, run: RunFacts): Promise<void> {
  const { shared } = run.place;
  if (shared !== undefined) makeFolder(shared);
  await excludeProtocolFiles(protocol, run);
  await protocol.begin(run);
}

/** Again for each tree that is made: an older Pawl may have recorded the run, and people edit git's exclude list. */
export async function excludeProtocolFiles(protocol: Pick<CompleteProtocol, "excludes">, run: RunFacts): Promise<void> {
  const { repo } = run.place;
  const patterns = protocol.excludes(run);
  if (repo !== null && patterns.length > 0) await excludeLocally(repo, patterns);
}

/** Which files of a tree are the protocol's: they are never committed. Null: it has none. */
export function keptOutOf({ protocols }: Pick<Parts, "protocols">, { header }: Pick<Run, "header">) {
  const patterns = protocols.of(header.definition).excludes(header);
  return patterns.length === 0 ? null : pathMatcher(patterns);
}

/** The shared folder that a person names, by whatever path, or else `.pawl/PROTOCOL` in the repository. */
export async function chooseFolder(protocol: string, repo: string, wanted: string | null): Promise<string> {
  const facts = await inspectRepository(resolve(repo));
  if (wanted !== null) return usable(realPath(resolve(repo, wanted)));
  if (!facts.isBare) return usable(defaultFolder(facts.root, protocol));
  throw new AppError(
    "REPOSITORY_UNUSABLE",
    `${relative(".", facts.root) || facts.root} is bare: it has no place for shared files`,
    {
      hint: "name a folder for them with --shared DIR",
    },
  );
}

/** Before anything is recorded: the folder can be made, or exists and can be written. */
export function usable(dir: string): string {
  let at = dir;
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at);
  try {
    if (!statSync(at).isDirectory()) throw new Error("it is not a directory");
    accessSync(at, constants.W_OK);
    return dir;
  } catch (error) {
    throw unusable(dir, error);
  }
}

export function makeFolder(dir: string): void {
  try {
    mkdirSync(dir, { recursive: true });
  } catch (error) {
    throw unusable(dir, error);
  }
}

function unusable(dir: string, error: unknown): AppError {
  const why = errorText(error);
  return new AppError("USAGE", `the shared files cannot be in ${dir}: ${why}`, {
    hint: "choose a folder that can be written with --shared DIR",
  });
}
