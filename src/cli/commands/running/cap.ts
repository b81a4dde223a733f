// `pawl cap`. Owns: raising a cap of a run, and showing them all.

import type { Command } from "commander";
import { serviceHere } from "../../../application/driving/hand-over.ts";
import { cap, type RaisedCaps } from "../../../application/steering/caps.ts";
import type { CapsOfRun } from "../../../contracts/run-documents.ts";
import { AppError } from "../../../domain/error.ts";
import { durationMs } from "../../../workflows/document/duration.ts";
import { summaryOf } from "../../catalogue.ts";
import { runArgument } from "../../input/arguments.ts";
import { withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";
import { durationText, table } from "../../output/table.ts";

interface CapOptions {
  readonly attempts?: string;
  readonly steps?: string;
  readonly wall?: string;
  readonly usd?: string;
  readonly tokens?: string;
  readonly store?: string;
}

export function define(parent: Command, console: Console): void {
  parent
    .command("cap")
    .description(summaryOf("cap"))
    .argument("<run>", runArgument)
    .option("--attempts <n>", "attempts of the whole run")
    .option("--steps <n>", "steps that its chains may have together")
    .option("--wall <time>", "time since it was started, such as 12h or 3d")
    .option("--usd <n>", "money")
    .option("--tokens <n>", "tokens")
    .addHelpText(
      "after",
      "\nA cap is only raised, never lowered. Without an option it shows the caps and what is used.",
    )
    .addHelpText("after", example("pawl cap 3", "pawl cap 3 --attempts 20000", "pawl cap 3 --usd 50 --wall 2d"))
    .action(async (reference: string, options: CapOptions) => {
      const caps = capsIn(options);
      const { document, isServed } = await withApplication(options, async (app) => ({
        document: await cap(app, reference, caps),
        isServed: serviceHere(app) !== null,
      }));
      if (console.json) return console.document(document);
      console.print(table(document.caps.map(row)));
      if (Object.keys(caps).length > 0) console.say(`\n${nextStep(document, isServed)}`);
    });
}

function capsIn({ attempts, steps, wall, usd, tokens }: CapOptions): RaisedCaps {
  return {
    ...(attempts === undefined ? {} : { attempts: numberOf(attempts, "--attempts", true) }),
    ...(steps === undefined ? {} : { steps: numberOf(steps, "--steps", true) }),
    ...(wall === undefined ? {} : { wallMs: timeOf(wall) }),
    ...(usd === undefined ? {} : { costUsd: numberOf(usd, "--usd", false) }),
    ...(tokens === undefined ? {} : { tokens: numberOf(tokens, "--tokens", true) }),
  };
}

function numberOf(written: string, option: string, isWhole: boolean): number {
  const value = Number(written);
  if (written.trim() !== "" && value > 0 && (isWhole ? Number.isSafeInteger(value) : Number.isFinite(value)))
    return value;
  throw new AppError("USAGE", `${option} must be a ${isWhole ? "whole " : ""}number above 0, not "${written}"`, {
    hint: `for example ${option} ${isWhole ? "20000" : "50"}`,
  });
}

function timeOf(written: string): number {
  const ms = /^\d+(?:\.\d+)?\s*(?:ms|s|m|h|d)$/.test(written.trim()) ? durationMs(written.trim()) : Number.NaN;
  if (ms > 0) return ms;
  throw new AppError("USAGE", `--wall must be a time, not "${written}"`, {
    hint: "for example --wall 12h or --wall 3d",
  });
}

function row({ name, limit, used }: CapsOfRun["caps"][number]): readonly string[] {
  const shown = (value: number) =>
    name === "wallMs" ? durationText(value) : name === "costUsd" ? `$${value}` : value.toLocaleString("en");
  return [words[name], `${shown(used)} of ${shown(limit)}`, used >= limit ? "reached" : ""];
}

const words: Readonly<Record<CapsOfRun["caps"][number]["name"], string>> = {
  attempts: "attempts",
  steps: "steps",
  wallMs: "time",
  costUsd: "money",
  tokens: "tokens",
};

function nextStep({ number, status }: CapsOfRun, isServed: boolean): string {
  if (status === "failed" && isServed) return `The cap is raised. \`pawl retry ${number}\` continues the run.`;
  if (status === "failed")
    return `The cap is raised. \`pawl retry ${number}\` and \`pawl resume ${number}\` continue the run.`;
  if (status === "held") return `The cap is raised. \`pawl gates\` shows what the run waits for.`;
  return "The cap is raised.";
}
