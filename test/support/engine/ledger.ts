// Counts independently what a run spends, from events alone, and checks that each attempt starts, or does not start, as its caps
// and budgets say.

import type { Usage } from "../../../src/domain/attempt.ts";
import type { StartAttempt } from "../../../src/domain/command.ts";
import type { Accepted } from "../../../src/domain/decision.ts";
import type { PerformedDefinition } from "../../../src/domain/definition.ts";
import type { Event } from "../../../src/domain/event.ts";
import type { PartName, StepName } from "../../../src/domain/ids.ts";
import type { Limit, Spend } from "../../../src/domain/route.ts";
import type { Run } from "../../../src/domain/run.ts";
import type { CommandInput } from "./driver.ts";
import { holds, performed } from "./invariants.ts";

interface Place {
  readonly where: string;
  readonly name: StepName;
  readonly part: PartName | undefined;
}

/** Whether the limits of this place start a new count. */
function isRenewed({ where, name, part }: Place, event: Extract<Event, { type: "limits_renewed" }>): boolean {
  if (where !== (event.story ?? "run")) return false;
  return event.of === null || (name === event.of && (event.part === undefined || part === event.part));
}

interface Spent extends Usage, Place {
  readonly ms: number;
}

export class Ledger {
  readonly #started = new Map<string, Place & { readonly at: number }>();
  /** Attempts that ran when their limits were renewed: they are of the count before. */
  readonly #before = new Set<string>();
  /** The same for the caps of an included workflow, which one of its steps renews for all. */
  readonly #beforeIncluded = new Set<string>();
  #spent: Spent[] = [];
  /** What the steps of included workflows spent. */
  #included: Spent[] = [];
  readonly #run = { attempts: 0, costUsd: 0, tokens: 0 };

  /** Checks one decision; `before` is the run before it. */
  enter(before: Run, input: CommandInput, decision: Accepted): void {
    if (input.type === "start_attempt") this.#checkStart(before, input, decision);
    else holds(!decision.events.some(({ type }) => type === "attempt_dispatched"), `${input.type} started something`);
    this.#checkRaise(before, input, decision);
    for (const event of decision.events) this.#note(before, event);
  }

  #checkStart(before: Run, input: Omit<StartAttempt, "at" | "author">, { events }: Accepted): void {
    const { story } = input;
    const scope = story === null ? before.header : before.stories[story];
    const step = scope?.chain.find(({ id }) => id === input.step);
    if (!step) throw new Error(`${input.step} was started, but does not exist`);
    const definition = performed(before, story, step.name);
    const loop = before.header.definition.steps.find((candidate) => candidate.kind === "stories");
    const where = story ?? "run";
    const isJoin = step.parts?.some(({ name, joins }) => joins === true && name === input.part) === true;
    const isSpent =
      this.#includeReached(before, definition, where) ||
      this.#reached(definition.budget, ({ name, where: at }) => at === where && name === step.name) ||
      (story !== null && this.#reached(loop?.storyBudget ?? null, ({ where: at }) => at === where));
    const reached = this.#capReached(before) || (isSpent && !isJoin);
    const started = events.some(({ type }) => type === "attempt_dispatched");
    if (started) holds(!reached, `${where} ${step.name} was started although a cap or budget is used up`);
    else holds(reached, `${where} ${step.name} was not started although nothing is used up`);
  }

  #capReached({ header: { caps, totals } }: Run): boolean {
    const { attempts, costUsd, tokens } = this.#run;
    if (attempts >= caps.attempts || cents(costUsd) >= caps.costUsd || tokens >= caps.tokens) return true;
    return totals.steps > caps.steps;
  }

  /** The caps of an included workflow hold for the attempts of all its steps, since a person last renewed one of their limits. */
  #includeReached(run: Run, { include }: PerformedDefinition, where: string): boolean {
    const budget = include && run.header.definition.includes?.[include.id]?.budget;
    if (!budget) return false;
    const own = this.#included.filter((spent) => spent.where === where);
    const running = [...this.#started].filter(
      ([id, at]) => at.where === where && isIncluded(run, at.name) && !this.#beforeIncluded.has(id),
    );
    const isFull = budget.attempts !== null && own.length + running.length >= budget.attempts;
    return isFull || reached(budget.spend, own);
  }

  #reached(limit: Limit | null, covers: (spent: Spent) => boolean): boolean {
    return limit?.spend !== undefined && reached(limit.spend, this.#spent.filter(covers));
  }

  /** A cap changes only by a person's answer to a gate about it, and only upwards. */
  #checkRaise(before: Run, input: CommandInput, decision: Accepted): void {
    const [was, is] = [before.header.caps, decision.run.header.caps];
    if (was === is) return;
    const scope = input.type === "answer_gate" && input.story !== null ? before.stories[input.story] : before.header;
    const gate = input.type === "answer_gate" ? scope?.gates.find(({ id }) => id === input.gate) : undefined;
    holds(gate?.cause === "cap", `${input.type} changed a cap`);
    holds(this.#capReached(before), "a cap was raised that was not reached");
    const used = { ...this.#run, costUsd: cents(this.#run.costUsd) };
    for (const name of ["attempts", "costUsd", "tokens"] as const) {
      if (used[name] >= was[name]) holds(is[name] > was[name], `the cap of ${name} is reached and was not raised`);
      else holds(is[name] === was[name], `the cap of ${name} was changed and is not reached`);
    }
    holds(!this.#capReached(decision.run), "a cap was raised and is still reached");
  }

  #note(before: Run, event: Event): void {
    const where = event.story ?? "run";
    if (event.type === "attempt_dispatched") {
      this.#started.set(event.attempt, { where, name: event.name, part: event.part, at: event.at });
      this.#run.attempts += 1;
    }
    if (event.type === "limits_renewed") {
      this.#spent = this.#spent.filter((spent) => !isRenewed(spent, event));
      if (event.of === null || isIncluded(before, event.of)) {
        this.#included = this.#included.filter((spent) => spent.where !== where);
        for (const [id, started] of this.#started) if (started.where === where) this.#beforeIncluded.add(id);
      }
      for (const [id, started] of this.#started) if (isRenewed(started, event)) this.#before.add(id);
    }
    const started = event.type === "attempt_ended" ? this.#started.get(event.attempt) : undefined;
    if (event.type !== "attempt_ended" || !started) return;
    this.#started.delete(event.attempt);
    const spent = { ...event.usage, ...started, ms: event.at - started.at };
    if (!this.#before.has(event.attempt)) this.#spent.push(spent);
    if (isIncluded(before, spent.name) && !this.#beforeIncluded.has(event.attempt)) this.#included.push(spent);
    this.#run.costUsd += event.usage.costUsd;
    this.#run.tokens += event.usage.inputTokens + event.usage.outputTokens;
  }
}

function reached({ costUsd, tokens, wallMs }: Spend, covered: readonly Spent[]): boolean {
  const sum = (of: (spent: Spent) => number) => covered.reduce((total, spent) => total + of(spent), 0);
  return (
    (costUsd !== null && cents(sum((spent) => spent.costUsd)) >= costUsd) ||
    (tokens !== null && sum((spent) => spent.inputTokens + spent.outputTokens) >= tokens) ||
    (wallMs !== null && sum(({ ms }) => ms) >= wallMs)
  );
}

function isIncluded({ header }: Run, name: StepName): boolean {
  return header.definition.steps.some((step) => step.name === name && step.include !== undefined);
}

function cents(usd: number): number {
  return Math.round(usd * 10_000) / 10_000;
}
