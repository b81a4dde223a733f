// The chain as rows: the steps of the run in their order, and below a step with stories those of its body, with the stories at each.

import { type Attempt, hasEnded } from "../../../domain/attempt.ts";
import type { StepDefinition, StoriesStep } from "../../../domain/definition.ts";
import { type Gate, isQuestion } from "../../../domain/gate.ts";
import type { Run } from "../../../domain/run.ts";
import type { Step, StepStatus } from "../../../domain/step.ts";
import { costOf } from "../../parts/cost-text.ts";
import { type WayBack, waysBackOf } from "./ways-back.ts";

export interface ChainRow {
  readonly key: string;
  readonly name: string;
  /** What it does, in words. Empty: the name says it. */
  readonly title: string;
  readonly status: StepStatus;
  readonly inStories: boolean;
  /** Of a step with stories: done and all of them; null: it has none. */
  readonly stories: { readonly done: number; readonly all: number } | null;
  /** Stories that are at it now. */
  readonly here: readonly string[];
  readonly waysBack: readonly WayBack[];
  readonly attempts: number;
  readonly ms: number;
  /** In words. */
  readonly cost: string;
  /** The chain stands here. */
  readonly isHere: boolean;
  /** The oldest open question at it; null: none. */
  readonly gate: string | null;
  /** The last attempt of it, to look into; null: none. */
  readonly lastAttempt: string | null;
}

export function chainRows(run: Run, now: number): readonly ChainRow[] {
  const { header } = run;
  return header.chain.flatMap((step): readonly ChainRow[] => {
    const definition = header.definition.steps.find(({ name }) => name === step.name);
    const own = header.attempts.filter((attempt) => attempt.step === step.id);
    const row = rowOf(run, step, definition, own, now);
    if (definition?.kind !== "stories") return [row];
    const all = header.stories.length;
    const done = header.stories.filter(({ status }) => status === "done").length;
    return [{ ...row, stories: { done, all } }, ...bodyRows(run, definition, now)];
  });
}

function rowOf(
  run: Run,
  step: Step,
  definition: StepDefinition | undefined,
  attempts: readonly Attempt[],
  now: number,
): ChainRow {
  return {
    key: step.id,
    name: step.item === undefined ? step.id : `${step.id} (${step.item.value})`,
    title: step.description ?? definition?.title ?? "",
    status: step.state.status,
    inStories: false,
    stories: null,
    here: [],
    waysBack: definition === undefined ? [] : waysBackOf(run, definition, null),
    gate: openGate(run.header.gates.filter((gate) => gate.step === step.id)),
    ...sumsOf(attempts, now),
    isHere: ["ready", "running", "held", "failed"].includes(step.state.status),
  };
}

function bodyRows(run: Run, of: StoriesStep, now: number): readonly ChainRow[] {
  const stories = Object.values(run.stories).filter((story) => story.of === of.name);
  return of.body
    .filter(({ spare }) => !spare)
    .map((definition) => {
      const steps = stories.flatMap((story) => {
        const step = story.chain.find(({ name }) => name === definition.name);
        if (step === undefined) return [];
        return [{ story: story.id, step, gates: story.gates.filter((gate) => gate.step === step.id) }];
      });
      const here = steps.filter(({ step }) => ["ready", "running", "held"].includes(step.state.status));
      const attempts = stories.flatMap((story) => story.attempts.filter(({ name }) => name === definition.name));
      return {
        key: `${of.name}/${definition.name}`,
        name: definition.name,
        title: definition.title,
        status: statusOfMany(steps.map(({ step }) => step.state.status)),
        inStories: true,
        stories: null,
        here: here.map(({ story }) => story),
        waysBack: waysBackOf(run, definition, of),
        gate: openGate(steps.flatMap(({ gates }) => gates)),
        ...sumsOf(attempts, now),
        isHere: here.length > 0,
      };
    });
}

function openGate(gates: readonly Gate[]): string | null {
  const open = gates.filter((gate) => gate.state.status === "open" && isQuestion(gate));
  return open.toSorted((a, b) => a.openedAt - b.openedAt)[0]?.id ?? null;
}

/** What most needs to be seen. */
function statusOfMany(all: readonly StepStatus[]): StepStatus {
  const order: readonly StepStatus[] = ["held", "failed", "running", "ready"];
  const found = order.find((status) => all.includes(status));
  if (found !== undefined) return found;
  return all.length > 0 && all.every((status) => status === "done" || status === "skipped") ? "done" : "waiting";
}

function sumsOf(attempts: readonly Attempt[], now: number): Pick<ChainRow, "attempts" | "ms" | "cost" | "lastAttempt"> {
  const ms = attempts.reduce(
    (sum, attempt) => sum + (hasEnded(attempt) ? attempt.state.endedAt : now) - attempt.startedAt,
    0,
  );
  return { attempts: attempts.length, ms, cost: costOf(attempts), lastAttempt: attempts.at(-1)?.id ?? null };
}
