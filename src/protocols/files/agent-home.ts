// The home of an agent: the directory that it keeps across runs, with its role files, its progress log and the archive.

import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { AgentDefinition } from "../../domain/definition.ts";
import { isSafeId } from "../../domain/ids.ts";
import { writeInside } from "../../system/files/inside.ts";
import { readNamedFile } from "../../system/files/linked-file.ts";
import { readIfReadable } from "../../system/files/text.ts";
import { replaceFile } from "../../system/files/whole-file.ts";

/** From this heading on, AGENTS.md belongs to the agent and survives every reinstall. */
const ownSection = "## Codebase Knowledge";

export interface AgentHome {
  readonly dir: string;
  readonly progressFile: string;
}

export function agentHome(root: string, workflow: string, agent: string, run: string): AgentHome {
  const dir = join(root, workflow, agent);
  return { dir, progressFile: join(dir, `progress-${run}.txt`) };
}

/** Copies the role files into the agent's home. The agent's own section of AGENTS.md stays. */
export function provision(home: AgentHome, agent: AgentDefinition, sourceDir: string): readonly string[] {
  const problems: string[] = [];
  mkdirSync(home.dir, { recursive: true, mode: 0o700 });
  for (const [name, source] of Object.entries(agent.files)) {
    if (!isSafeId(name)) {
      problems.push(`${agent.name}: "${name}" is not a usable file name`);
      continue;
    }
    const text = readNamedFile(sourceDir, source);
    if (text === null)
      problems.push(`${agent.name}: the role file ${source} is missing, or is a link that leads out of its directory`);
    else replaceText(join(home.dir, name), keepOwnSection(text, readIfReadable(join(home.dir, name))));
  }
  return problems;
}

/** Role files in the order of the workflow file. */
export function readRoles(home: AgentHome, agent: AgentDefinition): readonly { name: string; text: string }[] {
  return Object.keys(agent.files).flatMap((name) => {
    const text = readIfReadable(join(home.dir, name));
    return text === null ? [] : [{ name, text }];
  });
}

export function readProgress(places: readonly string[]): string {
  if (places.length === 0) return "(no progress file)";
  for (const place of places) {
    const text = readIfReadable(place);
    if (text !== null) return text;
  }
  return "(no progress yet)";
}

/**
 * Moves the log of a run that is over, from the first of `places` that has one, to `archive/<run>/progress.txt`. With `keep` it is
 * copied. Running it twice is harmless.
 */
export function archiveProgress(
  home: AgentHome,
  run: string,
  { places, keep }: { readonly places: readonly string[]; readonly keep: boolean },
): void {
  const log = places.find((place) => existsSync(place));
  if (log === undefined) return;
  const archive = join(home.dir, "archive", run);
  const text = readIfReadable(log);
  if (text !== null) writeInside(home.dir, join(archive, "progress.txt"), text);
  // A log without the run's name may belong to another run.
  if (!keep && basename(log).includes(run)) rmSync(log, { force: true });
}

function keepOwnSection(fresh: string, present: string | null): string {
  const learned = present === null ? -1 : present.indexOf(ownSection);
  if (present === null || learned < 0) return fresh;
  const cut = fresh.indexOf(ownSection);
  return `${cut < 0 ? fresh.trimEnd() : fresh.slice(0, cut).trimEnd()}\n\n${present.slice(learned)}`;
}

/** Whole-file, since an agent may be reading it. */
function replaceText(file: string, text: string): void {
  if (readIfReadable(file) === text) return;
  replaceFile(file, (draft) => writeFileSync(draft, text, { flag: "wx", mode: 0o600 }));
}
