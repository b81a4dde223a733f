// Counts independently what a run spends, from events alone, and checks that each attempt starts, or does not start, as its caps
// and budgets say.

import type { Usage } from "../../../src/domain/attempt.ts";
import type { Accepted } from "../../../src/domain/decision.ts";
import type { Event } from "../../../src/domain/event.ts";
import type { StepId, StepName, StoryId } from "../../../src/domain/ids.ts";
import type { Limit } from "../../../src/domain/route.ts";
import type { Run } from "../../../src/domain/run.ts";
import type { CommandInput } from "./driver.ts";
import { holds, performed } from "./invariants.ts";

interface Spent extends Usage {
  readonly where: string;
  readonly name: StepName;
  readonly ms: number;
}

export class Ledger {
  readonly #started = new Map<string, { readonly name: StepName; readonly at: number }>();
  #spent: Spent[] = [];
  readonly #run = { attempts: 0, costUsd: 0, tokens: 0 };

  /** Checks one decision; `before` is the run before it. */
  enter(before: Run, input: CommandInput, decision: Accepted): void {
    if (input.type === "start_attempt") this.#checkStart(before, input, decision);
    else holds(!decision.events.some(({ type }) => type === "attempt_dispatched"), `${input.type} started something`);
    this.#checkRaise(before, input, decision);
    for (const event of decision.events) this.#note(event);
  }

  #checkStart(before: Run, input: { story: StoryId | null; step: StepId }, { events }: Accepted): void {
    const { story } = input;
    const scope = story === null ? before.header : before.stories[story];
    const step = scope?.chain.find(({ id }) => id === input.step);
    if (!step) throw new Error(`${input.step} was started, but does not exist`);
    const definition = performed(before, story, step.name);
    const loop = before.header.definition.steps.find((candidate) => candidate.kind === "stories");
    const where = story ?? "run";
    const reached =
      this.#capReached(before) ||
      this.#reached(definition.budget, ({ name, where: at }) => at === where && name === step.name) ||
      (story !== null && this.#reached(loop?.storyBudget ?? null, ({ where: at }) => at === where));
    const started = events.some(({ type }) => type === "attempt_dispatched");
    if (started) holds(!reached, `${where} ${step.name} was started although a cap or budget is used up`);
    else holds(reached, `${where} ${step.name} was not started although nothing is used up`);
  }

  #capReached({ header: { caps, totals } }: Run): boolean {
    const { attempts, costUsd, tokens } = this.#run;
    if (attempts >= caps.attempts || cents(costUsd) >= caps.costUsd || tokens >= caps.tokens) return true;
    return totals.steps > caps.steps;
  }

  #reached(limit: Limit | null, covers: (spent: Spent) => boolean): boolean {
    if (!limit?.spend) return false;
    const covered = this.#spent.filter(covers);
    const sum = (of: (spent: Spent) => number) => covered.reduce((total, spent) => total + of(spent), 0);
    const { costUsd, tokens, wallMs } = limit.spend;
    return (
      (costUsd !== null && cents(sum((spent) => spent.costUsd)) >= costUsd) ||
      (tokens !== null && sum((spent) => spent.inputTokens + spent.outputTokens) >= tokens) ||
      (wallMs !== null && sum(({ ms }) => ms) >= wallMs)
    );
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

  #note(event: Event): void {
    const where = event.story ?? "run";
    if (event.type === "attempt_dispatched") {
      this.#started.set(event.attempt, { name: event.name, at: event.at });
      this.#run.attempts += 1;
    }
    if (event.type === "limits_renewed") {
      this.#spent = this.#spent.filter(
        (spent) => spent.where !== where || (event.of !== null && spent.name !== event.of),
      );
    }
    const started = event.type === "attempt_ended" ? this.#started.get(event.attempt) : undefined;
    if (event.type !== "attempt_ended" || !started) return;
    this.#spent.push({ ...event.usage, where, name: started.name, ms: event.at - started.at });
    this.#run.costUsd += event.usage.costUsd;
    this.#run.tokens += event.usage.inputTokens + event.usage.outputTokens;
  }
}

function cents(usd: number): number {
  return Math.round(usd * 10_000) / 10_000;
}
