// `pawl cost`. Owns: what a run has cost, by executor, model, story, step and attempt; or what all of them have.

import type { Command } from "commander";
import type { AttemptCost, CostDocument, CostList } from "../../contracts/cost-documents.ts";
import { AppError } from "../../domain/error.ts";
import { tokensOf } from "../../executors/prices.ts";
import { costDocument, costList } from "../../runtime/views/cost.ts";
import type { Console } from "../console.ts";
import { example } from "../example.ts";
import { estimateNote, money, tokens } from "../money.ts";
import { findRun, firstLine } from "../reference.ts";
import { type Session, withSession } from "../session.ts";
import { table } from "../table.ts";

interface Options {
  readonly limit?: string;
  readonly all?: boolean;
  readonly store?: string;
}

const defaultLimit = 20;
/** More than anybody has runs. */
const everyRun = 1_000_000_000;

export function define(parent: Command, console: Console): void {
  parent
    .command("cost")
    .description("what a run has cost, in money and tokens; without RUN, all runs, newest first")
    .argument("[run]", "its id, a prefix of it, or its number")
    .option("--limit <n>", `how many runs to list (default: ${defaultLimit})`)
    .option("--all", "list every run")
    .addHelpText("after", example("pawl cost 3", "pawl cost --all --json"))
    .action(async (reference: string | undefined, options: Options) => {
      const limit = limitOf(reference, options);
      await withSession({ store: options.store }, async (session) => {
        if (reference === undefined) await showAll(console, session, limit);
        else await showRun(console, session, reference);
      });
    });
}

function limitOf(reference: string | undefined, { limit, all }: Options): number {
  if (reference !== undefined && (limit !== undefined || all))
    throw new AppError("USAGE", "--limit and --all are for the list of runs", { hint: "leave out the run, or those" });
  if (all) return everyRun;
  const count = Number(limit ?? defaultLimit);
  if (Number.isInteger(count) && count >= 1 && count <= everyRun) return count;
  throw new AppError("USAGE", `--limit ${limit ?? ""} is not a number`, { hint: "for example --limit 20, or --all" });
}

async function showRun(console: Console, { parts, config }: Session, reference: string): Promise<void> {
  const summary = await findRun(parts.store, reference);
  const run = await parts.store.wholeRun(summary.id);
  if (!run) return;
  const document = costDocument(run, summary, config.prices);
  if (console.json) console.document(document);
  else console.print(describeRun(console, document));
}

async function showAll(console: Console, { parts }: Session, limit: number): Promise<void> {
  const found = await parts.store.listRuns({ statuses: null, limit: limit + 1 });
  const document = costList(found.slice(0, limit), found.length > limit);
  if (console.json) return console.document(document);
  if (found.length === 0) return console.say('There is no run yet. Start one: pawl demo, or pawl run feature-dev "…"');
  console.print(describeAll(document));
}

function describeRun(console: Console, document: CostDocument): string {
  const { run, total, byStory } = document;
  const lines = [
    console.paint("bold", `#${run.number} ${run.workflow}: ${firstLine(run.task, 80)}`),
    `${run.status}, ${tokensOf(total) + total.costUsd > 0 ? costOf(total) : "no usage was told"} in ${counted(total.attempts, "attempt")}`,
    ...section("executor", document.byExecutor, ({ executor }) => firstLine(executor, 48)),
    ...section("model", document.byModel, ({ model }) => shown(model) || "(not told)"),
    ...(byStory.some(({ story }) => story !== null)
      ? section("story", byStory, ({ story }) => story ?? "(the run itself)")
      : []),
    ...section("step", document.byStep, ({ step }) => step),
    "",
    table([["attempt", "outcome", "model", ...usageHeads], ...document.attempts.map(attemptRow)]),
    ...remarks(document),
  ];
  return lines.join("\n");
}

type Sums = CostDocument["total"];

function section<Row extends Sums>(head: string, rows: readonly Row[], nameOf: (row: Row) => string): string[] {
  const cells = rows.map((row) => [nameOf(row), String(row.attempts), ...usageCells(row)]);
  return ["", table([[head, "attempts", ...usageHeads], ...cells])];
}

function attemptRow(attempt: AttemptCost): readonly string[] {
  const { story, step, number, outcome, model, unpriced } = attempt;
  const name = `${story === null ? "" : `${story}/`}${step} ${number}`;
  const cells = usageCells({ ...attempt, unpriced: unpriced ? 1 : 0 });
  return [name, outcome?.replace("_", " ") ?? "running", shown(model), ...cells];
}

/** What an agent says of itself may contain anything, also what a terminal would obey. */
function shown(model: string | null): string {
  return firstLine((model ?? "").replace(/\p{Cc}/gu, "?"), 48);
}

const usageHeads = ["cost", "input", "cached", "output"];

type Used = Pick<Sums, "costUsd" | "estimatedUsd" | "inputTokens" | "cacheReadTokens" | "outputTokens" | "unpriced">;

function usageCells(used: Used): readonly string[] {
  return [costOf(used), tokens(used.inputTokens), tokens(used.cacheReadTokens), tokens(used.outputTokens)];
}

/** What nobody told, or has no price, is not nothing. */
function costOf(used: Used): string {
  if (used.costUsd + tokensOf(used) === 0) return "-";
  if (used.unpriced === 0) return money(used);
  return used.costUsd > 0 ? `${money(used)} + ?` : "?";
}

function remarks({ total, attempts }: CostDocument): readonly string[] {
  const unpriced = attempts.filter((attempt) => attempt.unpriced);
  const names = new Set(
    unpriced.map(({ executor, model }) => shown(model) || `${executor} (it does not say its model)`),
  );
  return [
    ...(total.estimatedUsd > 0 ? ["", estimateNote] : []),
    ...(unpriced.length > 0
      ? ["", `? is unknown: no price for ${[...names].join(", ")}. Write it below \`prices\` in config.yml.`]
      : []),
  ];
}

function describeAll({ runs, total, more }: CostList): string {
  const rows = runs.map((run) => [
    String(run.number),
    run.workflow,
    run.status,
    ...sumCells(run),
    firstLine(run.task, 48),
  ]);
  const sum = ["", "together", "", ...sumCells(total), more ? "older runs are left out; --all has them" : ""];
  const heads = ["#", "workflow", "status", "attempts", ...usageHeads, "task"];
  return [table([heads, ...rows, sum]), ...(total.estimatedUsd > 0 ? ["", estimateNote] : [])].join("\n");
}

function sumCells(spent: CostList["total"]): readonly string[] {
  return [String(spent.attempts), ...usageCells({ ...spent, unpriced: 0 })];
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
