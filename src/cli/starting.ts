// Starting from the command line. Owns: what `run`, `prd run` and `agent run` share: who performs it, what the caller gives, and what is
// said of a run that is only recorded.

import { resolve } from "node:path";
import { engineKeys } from "../domain/context.ts";
import { AppError } from "../domain/error.ts";
import { agentName } from "../domain/ids.ts";
import { absoluteExecutor } from "../executors/inline-command.ts";
import { readScript } from "../executors/script.ts";
import type { Parts } from "../runtime/parts.ts";
import type { LoadedWorkflow } from "../runtime/runs/workflow-library.ts";
import type { Console } from "./console.ts";
import { readText } from "./input.ts";

/** Who performs the agents of a run. */
export interface Performer {
  readonly executor?: string;
  readonly script?: string;
}

export function announce(console: Console, workflow: LoadedWorkflow, started: { run: string; number: number }): void {
  if (console.json)
    return console.document({ run: { id: started.run, number: started.number, workflow: workflow.definition.id } });
  console.print(started.run);
  console.say(
    `Run #${started.number} is recorded. \`pawl resume ${started.number}\` drives it; agents may pull its steps.`,
  );
}

export function chosenExecutor(options: Performer): string | null {
  if (options.script !== undefined) {
    const file = resolve(options.script);
    readScriptFile(file);
    return `scripted:${file}`;
  }
  return options.executor === undefined ? null : absoluteExecutor(options.executor, process.cwd());
}

function readScriptFile(file: string): void {
  readScript(readText(file), file);
}

/** Before anything is recorded: a run that nobody can perform helps nobody. */
export async function assertExecutors(
  parts: Parts,
  { definition }: LoadedWorkflow,
  executor: string | null,
): Promise<void> {
  const names = new Set<string>();
  for (const agent of Object.keys(definition.agents)) {
    const able = parts.executors.namesFor({ executor, definition }, agentName(agent));
    if (able.length === 0) {
      throw new AppError("EXECUTOR_MISSING", `nobody is configured to be the agent "${agent}"`, {
        hint: "give one with --executor NAME or --executor 'command: PROGRAM', set default_executor in the configuration, or use --detach and let agents pull",
      });
    }
    for (const name of able) if (name !== "pull") names.add(name);
  }
  for (const name of names) {
    const missing = await (await parts.executors.get(name)).missing();
    if (missing) throw new AppError("EXECUTOR_MISSING", missing.what, { hint: missing.hint });
  }
}

export function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

/** `a=1,b=2` is two values; a comma that no KEY= follows belongs to the value. */
export function readContext(given: readonly string[]): Readonly<Record<string, string>> {
  const pairs = given.flatMap((text) => text.split(/,(?=[A-Za-z_][A-Za-z0-9_]*=)/)).map(readPair);
  for (const [key] of pairs) {
    if (key === "branch" || !engineKeys.has(key)) continue;
    const hint =
      key === "repo" ? "--repo DIR names the repository; agents work in a tree of their own" : "choose another name";
    throw new AppError("USAGE", `--context cannot set ${key}: Pawl itself sets it`, { hint });
  }
  return Object.fromEntries(pairs);
}

function readPair(text: string): readonly [string, string] {
  const match = /^([A-Za-z_][A-Za-z0-9_]*)=([^]*)$/.exec(text);
  if (match?.[1] === undefined)
    throw new AppError("USAGE", `"${text}" is not KEY=VALUE`, { hint: "for example --context ticket=ABC-12" });
  return [match[1].toLowerCase(), match[2] ?? ""];
}

export function readCount(text: string | undefined, option = "--concurrency"): number | null {
  if (text === undefined) return null;
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= 64) return count;
  throw new AppError("USAGE", `${option} ${text} is not a number from 1 to 64`, {
    hint: "leave it out for the configured number",
  });
}
