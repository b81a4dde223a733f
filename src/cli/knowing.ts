// What a command knows beside a run. Owns: asking with the configuration of the run's own repository, wherever the command is called.

import { agents, configuredExecutors } from "../app.ts";
import { AppError } from "../domain/error.ts";
import type { Run } from "../domain/run.ts";
import type { Known } from "../engine/why.ts";
import { readConfig } from "../runtime/config/config.ts";
import type { Parts } from "../runtime/parts.ts";
import { knownOf } from "../runtime/views/run-facts.ts";

export async function knownHere(parts: Parts, run: Run): Promise<Known> {
  const config = await readConfig(parts.home.configFile, run.header.place.repo, agents).catch((error: unknown) => {
    // A file that is broken now does not keep anybody from looking.
    if (error instanceof AppError) return null;
    throw error;
  });
  return await knownOf(parts, run, config === null ? parts.executors : configuredExecutors(config));
}
