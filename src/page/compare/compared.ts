// Two runs side by side, row by row, with what differs. Each is the fold of its own log.

import { hasEnded } from "../../domain/attempt.ts";
import { type Run, statusOf } from "../../domain/run.ts";
import { money } from "../../transcript/money.ts";
import { spanText } from "../parts/time-text.ts";
import { visibleLine } from "../parts/visible-text.ts";
import { allAttempts, type SpentRow, spentBy, spentInAll } from "../run/cost/spent.ts";
import { statusWords } from "../texts/common.ts";
import { compareTexts as texts } from "../texts/compare.ts";

export interface ComparedRow {
  readonly name: string;
  readonly a: string;
  readonly b: string;
  readonly differs: boolean;
}

type Fact = keyof typeof texts.rows;

export function comparedRuns(a: Run, b: Run, now: number): readonly ComparedRow[] {
  const [ofA, ofB] = [factsOf(a, now), factsOf(b, now)];
  return (Object.keys(texts.rows) as readonly Fact[])
    .map((fact) => rowOf(texts.rows[fact], ofA[fact], ofB[fact]))
    .filter((row) => row.a !== "" || row.b !== "");
}

function rowOf(name: string, a: string, b: string): ComparedRow {
  return { name, a, b, differs: a !== b };
}

function factsOf(run: Run, now: number): Readonly<Record<Fact, string>> {
  const { header } = run;
  const attempts = allAttempts(run);
  const spent = spentInAll(run);
  const done = header.stories.filter(({ status }) => status === "done").length;
  const gates = [header, ...Object.values(run.stories)].reduce((sum, scope) => sum + scope.gates.length, 0);
  return {
    task: visibleLine(header.task),
    workflow: header.definition.id,
    status: statusWords[statusOf(header)],
    reason: header.end?.status === "done" ? "" : (header.end?.reason ?? ""),
    executors: listed(attempts.map(({ executor }) => executor)),
    models: listed(attempts.flatMap(({ model }) => (model == null ? [] : [model]))),
    time: spanText((header.end?.at ?? now) - header.startedAt),
    cost: costText(spent),
    wasted: costText({ ...spent, usage: { ...spent.usage, costUsd: spent.wastedUsd } }),
    cap: money({ costUsd: header.caps.costUsd, estimatedUsd: 0 }),
    attempts: String(attempts.length),
    rejected: String(attempts.filter((attempt) => isRejected(attempt)).length),
    stories: header.stories.length === 0 ? "" : texts.storiesOf(done, header.stories.length),
    gates: String(gates),
  };
}

/** What no agent reported is not zero. */
function costText({ usage, unreported, attempts }: SpentRow): string {
  const isUnknown = attempts > 0 && unreported === attempts;
  return money(isUnknown ? { costUsd: null, estimatedUsd: null } : usage);
}

function listed(names: readonly string[]): string {
  return [...new Set(names)].toSorted().join(", ");
}

function isRejected(attempt: ReturnType<typeof allAttempts>[number]): boolean {
  return hasEnded(attempt) && attempt.state.verdict?.kind === "rejected";
}

export interface ComparedStep {
  readonly step: string;
  readonly cells: readonly ComparedRow[];
  readonly differs: boolean;
}

/** In the order of the first run's chain; steps that only the second has come after. */
export function comparedSteps(a: Run, b: Run, now: number): readonly ComparedStep[] {
  const names = [...new Set([...stepNames(a), ...stepNames(b)])];
  const [ofA, ofB] = [stepFacts(a, now), stepFacts(b, now)];
  return names.map((step) => {
    const [inA, inB] = [ofA(step), ofB(step)];
    const { attempts, rejected, time, cost } = texts.perStepColumns;
    const cells = [
      rowOf(attempts, inA.attempts, inB.attempts),
      rowOf(rejected, inA.rejected, inB.rejected),
      rowOf(time, inA.time, inB.time),
      rowOf(cost, inA.cost, inB.cost),
    ];
    return { step, cells, differs: cells.some(({ differs }) => differs) };
  });
}

function stepNames(run: Run): readonly string[] {
  const bodies = run.header.definition.steps.flatMap((step) =>
    step.kind === "stories" ? [step.name, ...step.body.map(({ name }) => name)] : [step.name],
  );
  const tried = new Set(allAttempts(run).map(({ name }) => name as string));
  return [...bodies.filter((name) => tried.has(name)), ...[...tried].filter((name) => !bodies.includes(name as never))];
}

function stepFacts(run: Run, now: number) {
  const spent = new Map(spentBy(run, "step", "").map((row) => [row.name, row]));
  const byName = Map.groupBy(allAttempts(run), ({ name }) => name as string);
  return (step: string) => {
    const attempts = byName.get(step) ?? [];
    const row = spent.get(step);
    if (row === undefined) return { attempts: "", rejected: "", time: "", cost: "" };
    const ms = attempts.reduce(
      (sum, attempt) => sum + (hasEnded(attempt) ? attempt.state.endedAt : now) - attempt.startedAt,
      0,
    );
    return {
      attempts: String(row.attempts),
      rejected: String(attempts.filter(isRejected).length),
      time: spanText(ms),
      cost: costText(row),
    };
  };
}
