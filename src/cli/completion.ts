// Completion. Owns: which words can stand at a place of a command line. It only looks: without a store there are no runs, none is made,
// and whatever goes wrong, there are just no candidates.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { loaders } from "./loaders.ts";
import { applicationHere } from "./opened.ts";
import type { Console } from "./output/console.ts";

const mostRuns = 50;

/** `pawl complete -- WORD…`, which the scripts of the shells ask. */
export async function printCandidates(argv: readonly string[], console: Console): Promise<void> {
  const found = await candidatesFor(argv.slice(argv.indexOf("--") + 1), console);
  if (found.length > 0) console.print([...new Set(found)].join("\n"));
}

/** `words`: those after `pawl`; the last one is being typed, and may be empty. */
async function candidatesFor(words: readonly string[], console: Console): Promise<readonly string[]> {
  try {
    const typed = words.at(-1) ?? "";
    return (await wordsAt(words.slice(0, -1), typed, console)).filter((word) => word.startsWith(typed));
  } catch {
    return [];
  }
}

async function wordsAt(before: readonly string[], typed: string, console: Console): Promise<readonly string[]> {
  const [name, ...rest] = before;
  if (name === undefined) return [...loaders.keys()];
  const load = loaders.get(name);
  if (load === undefined) return [];
  const program = new Command("pawl");
  (await load()).define(program, console);
  let called = program.commands.find((command) => command.name() === name);
  const given: string[] = [];
  for (const [index, word] of rest.entries()) {
    const sub = given.length === 0 ? called?.commands.find((command) => command.name() === word) : undefined;
    if (sub) called = sub;
    else if (!word.startsWith("-") && !takesValue(called, rest[index - 1])) given.push(word);
  }
  if (called === undefined) return [];
  if (typed.startsWith("-"))
    return [...called.options.flatMap(({ long }) => long ?? []), "--json", "--store", "--help"];
  if (takesValue(called, rest.at(-1))) return await valuesOf(called, rest.at(-1), given[0]);
  if (called.commands.length > 0) return called.commands.map((command) => command.name());
  const { argChoices } = called.registeredArguments[given.length] ?? {};
  if (argChoices) return argChoices;
  const argument = called.registeredArguments[given.length]?.name();
  if (argument === "run") return await runNumbers();
  if (argument === "story") return await storyIds(given[0]);
  if (argument === "gate") return await gateIds();
  if (argument === "run-or-gate") return [...(await runNumbers()), ...(await gateIds())];
  if (argument === "workflow" || argument === "id") return await workflowIds();
  return argument === "name" && name === "executor" ? await executorNames() : [];
}

/** `--store` belongs to every command. */
function takesValue(called: Command | undefined, word: string | undefined): boolean {
  return word === "--store" || (called?.options.some(({ long, required }) => required && long === word) ?? false);
}

async function valuesOf(
  called: Command,
  option: string | undefined,
  run: string | undefined,
): Promise<readonly string[]> {
  if (option === "--executor") return await executorNames();
  if (option === "--workflow") return await workflowIds();
  if (option === "--story" || option === "--after" || option === "--before") return await storyIds(run);
  return called.options.find(({ long }) => long === option)?.argChoices ?? [];
}

type App = ReturnType<typeof applicationHere>;

/** Of a home that has a store; another one is left as it is. */
async function looked(look: (app: App) => Promise<readonly string[]>): Promise<readonly string[]> {
  const app = applicationHere();
  if (app.storeName === null && !existsSync(join(app.home.dir, "pawl.db"))) return [];
  try {
    return await look(app);
  } finally {
    await app.close();
  }
}

async function runNumbers(): Promise<readonly string[]> {
  return await looked(async (app) => {
    const runs = await (await app.read()).parts.store.listRuns({ statuses: null, limit: mostRuns });
    return runs.map(({ number }) => String(number));
  });
}

async function storyIds(run: string | undefined): Promise<readonly string[]> {
  if (run === undefined) return [];
  const { stories } = await import("../application/looking/status.ts");
  return await looked(async (app) => (await stories(app, run)).map(({ id }) => id));
}

async function gateIds(): Promise<readonly string[]> {
  const { gatesDocument, openGates } = await import("../application/gates/gates.ts");
  return await looked(async (app) => gatesDocument(await openGates(app)).gates.map(({ id }) => id));
}

async function workflowIds(): Promise<readonly string[]> {
  const { workflows } = await import("../application/workflows/workflows.ts");
  return workflows(applicationHere()).workflows.map(({ id }) => id);
}

async function executorNames(): Promise<readonly string[]> {
  const app = applicationHere();
  return Object.keys((await app.configuration(app.cwd)).executors);
}
