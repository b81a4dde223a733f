// `pawl cost`. Owns: what a run has cost, by executor, model, story, step and attempt; or what each run has.

import type { Command } from "commander";
import { costOfRun, costOfRuns } from "../../../application/looking/runs.ts";
import { firstLine } from "../../../application/references.ts";
import type { AttemptCost, CostDocument, CostList } from "../../../contracts/cost-documents.ts";
import { counted } from "../../../domain/counted.ts";
import { AppError } from "../../../domain/error.ts";
import { estimateNote, money, tokensText } from "../../../transcript/money.ts";
import { summaryOf } from "../../catalogue.ts";
import { runArgument } from "../../input/arguments.ts";
import { readLimitOption } from "../../input/run-options.ts";
import { withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";
import { noRunYet } from "../../output/run-words.ts";
import { table } from "../../output/table.ts";

interface Options {
  readonly limit?: string;
  readonly all?: boolean;
  readonly store?: string;
}

const defaultLimit = 20;

export function define(parent: Command, console: Console): void {
  parent
    .command("cost")
    .description(summaryOf("cost"))
    .argument("[run]", runArgument)
    .option("--limit <n>", `how many runs to list (default: ${defaultLimit})`)
    .option("--all", "list every run")
    .addHelpText("after", example("pawl cost 3", "pawl cost --all --json"))
    .action(async (reference: string | undefined, options: Options) => {
      const limit = limitOf(reference, options);
      if (reference === undefined)
        showRuns(console, await withApplication(options, async (app) => await costOfRuns(app, limit)));
      else showRun(console, await withApplication(options, async (app) => await costOfRun(app, reference)));
    });
}

function limitOf(reference: string | undefined, { limit, all }: Options): number | undefined {
  if (reference !== undefined && (limit !== undefined || all))
    throw new AppError("USAGE", "--limit and --all are for the list of runs", {
      hint: "leave out the run, or these options",
    });
  return all ? undefined : readLimitOption(limit ?? String(defaultLimit), "for example --limit 20, or --all");
}

function showRun(console: Console, document: CostDocument): void {
  if (console.json) console.document(document);
  else console.print(describeRun(console, document));
}

function showRuns(console: Console, document: CostList): void {
  if (console.json) return console.document(document);
  if (document.runs.length === 0) return console.say(noRunYet);
  console.print(describeAll(document));
}

function describeRun(console: Console, document: CostDocument): string {
  const { run, total, byStory } = document;
  const lines = [
    console.paint("bold", `#${run.number} ${run.workflow}: ${firstLine(run.task, 80)}`),
    `${run.status}, ${isSomething(total) ? costOf(total) : "no usage was reported"} in ${counted(total.attempts, "attempt")}`,
    ...section("executor", document.byExecutor, ({ executor }) => firstLine(executor, 48)),
    ...section("model", document.byModel, ({ model }) => shown(model) || "(not reported)"),
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

/** An agent names its model itself, so the name may contain control characters. */
function shown(model: string | null): string {
  return firstLine((model ?? "").replace(/\p{Cc}/gu, "?"), 48);
}

const usageHeads = ["cost", "input", "cached", "output"];

type Used = Pick<Sums, "costUsd" | "estimatedUsd" | "inputTokens" | "cacheReadTokens" | "outputTokens" | "unpriced">;

function usageCells(used: Used): readonly string[] {
  return [costOf(used), tokensText(used.inputTokens), tokensText(used.cacheReadTokens), tokensText(used.outputTokens)];
}

/** Usage without a report, or without a price, is not $0. */
function costOf(used: Used): string {
  if (!isSomething(used)) return "-";
  if (used.unpriced === 0) return money(used);
  return (used.costUsd ?? 0) > 0 ? `${money(used)} + ?` : "?";
}

function isSomething({ costUsd, inputTokens, cacheReadTokens, outputTokens }: Used): boolean {
  return [costUsd, inputTokens, cacheReadTokens, outputTokens].some((number) => (number ?? 0) > 0);
}

function remarks({ total, attempts }: CostDocument): readonly string[] {
  const unpriced = attempts.filter((attempt) => attempt.unpriced);
  const names = new Set(unpriced.map(({ executor, model }) => shown(model) || `${executor} (its model is not known)`));
  const silent = attempts.filter(({ unreported, outcome }) => unreported && outcome !== null).length;
  return [
    ...(silent > 0 ? ["", `${counted(silent, "attempt")} did not report what was used: - is unknown, not zero.`] : []),
    ...((total.estimatedUsd ?? 0) > 0 ? ["", estimateNote] : []),
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
  const sum = ["", "total", "", ...sumCells(total), more ? "older runs are left out; --all has them" : ""];
  const heads = ["#", "workflow", "status", "attempts", ...usageHeads, "task"];
  return [table([heads, ...rows, sum]), ...((total.estimatedUsd ?? 0) > 0 ? ["", estimateNote] : [])].join("\n");
}

function sumCells(spent: CostList["total"]): readonly string[] {
  return [String(spent.attempts), ...usageCells({ ...spent, unpriced: 0 })];
}
