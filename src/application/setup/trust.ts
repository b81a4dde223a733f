// Trust. Owns: the use case that shows what a repository's own configuration wants to run, and records that the user agrees to it.

import { agents } from "../../app.ts";
import type { TrustDocument } from "../../contracts/machine-documents.ts";
import { commandsOfRules, readConfig } from "../../runtime/config/config.ts";
import { isTrusted, recordTrust, revokeTrust } from "../../runtime/config/trust.ts";
import { realPath } from "../../system/files/paths.ts";
import { inspectRepository } from "../../workspaces/git/repository.ts";
import type { Application } from "../application.ts";

export interface TrustRequest {
  readonly repo?: string | undefined;
  /** Agrees, takes it back, or only looks. */
  readonly act: "agree" | "revoke" | "look";
}

export async function trust(app: Application, { repo = ".", act }: TrustRequest): Promise<TrustDocument> {
  const dir = app.path(repo);
  const { root } = await inspectRepository(dir);
  const { configFile } = app.home;
  const { repositoryCommands } = await readConfig(configFile, root, agents);
  // A project may be a folder of the repository, with rules of its own.
  const rules = realPath(dir) === realPath(root) ? [] : await commandsOfRules(dir);
  const places = [
    { at: root, commands: repositoryCommands },
    { at: dir, commands: rules },
  ].filter(({ at, commands }) => at === root || commands.length > 0);
  for (const { at, commands } of places) {
    if (act === "agree" && commands.length > 0) recordTrust(configFile, at, commands);
    if (act === "revoke") revokeTrust(configFile, at);
  }
  const trusted = places.every(({ at, commands }) => isTrusted(configFile, at, commands));
  return { repo: root, commands: places.flatMap(({ commands }) => commands), trusted };
}

/** Writes files of a repository; what they want to run is agreed to, unless there was something before that was not. */
export async function agreeToWritten<T>(app: Application, repo: string, write: () => T | Promise<T>): Promise<T> {
  const before = await trust(app, { repo, act: "look" });
  const written = await write();
  if (before.trusted) await trust(app, { repo, act: "agree" });
  return written;
}
