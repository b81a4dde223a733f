// Trust. Owns: the use case that shows what a repository's own configuration wants to run, and records that the user agrees to it.

import { agents } from "../../app.ts";
import type { TrustDocument } from "../../contracts/machine-documents.ts";
import { readConfig } from "../../runtime/config/config.ts";
import { isTrusted, recordTrust, revokeTrust } from "../../runtime/config/trust.ts";
import { inspectRepository } from "../../workspaces/git/repository.ts";
import type { Application } from "../application.ts";

export interface TrustRequest {
  readonly repo?: string | undefined;
  /** Agrees, takes it back, or only looks. */
  readonly act: "agree" | "revoke" | "look";
}

export async function trust(app: Application, { repo = ".", act }: TrustRequest): Promise<TrustDocument> {
  const { root } = await inspectRepository(app.path(repo));
  const { configFile } = app.home;
  const { repositoryCommands: commands } = await readConfig(configFile, root, agents);
  if (act === "agree" && commands.length > 0) recordTrust(configFile, root, commands);
  if (act === "revoke") revokeTrust(configFile, root);
  return { repo: root, commands, trusted: isTrusted(configFile, root, commands) };
}
