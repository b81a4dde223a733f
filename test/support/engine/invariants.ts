// Checks the invariants of every run after every command, from states and events alone, never with the code under test.

import type { Attempt, Taken } from "../../../src/domain/attempt.ts";
import type { Decision } from "../../../src/domain/decision.ts";
import { isPerformed, type PerformedDefinition, type StepDefinition } from "../../../src/domain/definition.ts";
import type { Event } from "../../../src/domain/event.ts";
import type { StoryId } from "../../../src/domain/ids.ts";
import type { PartState } from "../../../src/domain/part.ts";
import { type Limit, type RouteRule, repeats } from "../../../src/domain/route.ts";
import { type Run, statusOf } from "../../../src/domain/run.ts";
import type { Scope } from "../../../src/domain/scope.ts";
import type { Step, StepState } from "../../../src/domain/step.ts";
import { same } from "./same.ts";

export function holds(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(what);
}

/** Every scope of a run with its story; null is the run's own. */
export function scopesOf(run: Run): readonly { readonly story: StoryId | null; readonly scope: Scope }[] {
  return [
    { story: null, scope: run.header },
    ...Object.values(run.stories).map((scope) => ({ story: scope.id, scope })),
  ];
}

export function checkState(run: Run): void {
  for (const { story, scope } of scopesOf(run)) {
    const where = story ?? "run";
    checkOrder(scope, where);
    checkAttempts(run, scope, where);
    checkGates(run, scope, where);
    checkKeys(scope, where, story === null ? /^o_s\d/ : /^o_b/);
  }
  checkCaps(run);
  checkConcurrency(run);
  checkDependencies(run);
  checkProgress(run);
}

/** Two concurrent completions must never leave a later step done while an earlier one is open. */
function checkOrder(scope: Scope, where: string): void {
  const first = scope.chain.findIndex(({ state }) => state.status !== "done" && state.status !== "skipped");
  if (first < 0) return;
  for (const step of scope.chain.slice(first + 1)) {
    holds(
      ["waiting", "skipped", "cancelled"].includes(step.state.status),
      `${where}: ${step.id} is ${step.state.status} while ${scope.chain[first]?.id} is not over`,
    );
  }
  holds(new Set(scope.chain.map(({ id }) => id)).size === scope.chain.length, `${where}: two steps have the same id`);
}

function checkAttempts(run: Run, scope: Scope, where: string): void {
  const open = scope.attempts.filter(({ state }) => state.phase !== "ended");
  const places = open.map(({ step, part }) => `${step}#${part}`);
  holds(new Set(places).size === open.length, `${where}: two attempts of one step or part run`);
  for (const attempt of open) {
    const step = scope.chain.find(({ id }) => id === attempt.step);
    const { state } = step?.parts?.find(({ name }) => name === attempt.part) ?? step ?? { state: null };
    const at = state?.status === "running" ? state.attempt : null;
    holds(at === attempt.id, `${where}: ${attempt.id} runs but its step does not`);
    if (run.header.end) holds(attempt.state.phase === "stopping", `${where}: ${attempt.id} runs in a run that is over`);
  }
  for (const step of scope.chain) checkParts(step, where);
  for (const { id, state } of scope.chain.flatMap(withItsParts)) {
    if (state.status !== "running" || state.attempt === null) continue;
    holds(
      open.some((attempt) => attempt.id === state.attempt),
      `${where}: ${id} runs without an attempt`,
    );
  }
}

/** A step, and its parts while they are open, as things that run, wait for a person, or can start. */
function withItsParts({ id, state, parts = [] }: Step): readonly { id: string; state: StepState | PartState }[] {
  const open = state.status === "running" ? parts.map((part) => ({ id: `${id}#${part.name}`, state: part.state })) : [];
  return [{ id, state }, ...open];
}

/** A step that waits for its turn has no parts but those that a retry keeps; one that is over has no part at work. */
function checkParts({ id, state, parts }: Step, where: string): void {
  if (parts === undefined) return;
  const isAtWork = parts.some((part) => ["ready", "running", "held"].includes(part.state.status));
  holds(state.status === "running" || !isAtWork, `${where}: ${id} is ${state.status} and a part of it is at work`);
  holds(new Set(parts.map(({ name }) => name)).size === parts.length, `${where}: ${id} has two parts of one name`);
}

/** An approval is valid only in its visit. Every open gate has a held step, and every held step an open gate. */
function checkGates(run: Run, scope: Scope, where: string): void {
  for (const gate of scope.gates) {
    const step = scope.chain.find(({ id }) => id === gate.step);
    if (gate.state.status === "void") continue;
    holds(gate.visit === step?.visit, `${where}: gate ${gate.id} belongs to an earlier visit`);
    if (gate.state.status !== "open") continue;
    holds(run.header.end === null, `${where}: gate ${gate.id} is open in a run that is over`);
    const { state } = step?.parts?.find(({ name }) => name === gate.part) ?? step ?? { state: null };
    holds(state?.status === "held" && state.gate === gate.id, `${where}: ${gate.id} is open and holds nothing`);
  }
  for (const { id, state } of scope.chain.flatMap(withItsParts)) {
    if (state.status !== "held") continue;
    const gate = scope.gates.find((candidate) => candidate.id === state.gate);
    holds(gate?.state.status === "open", `${where}: ${id} is held by a gate that is not open`);
  }
}

/** A key is in the context only while a step has it among its outputs. */
function checkKeys(scope: Scope, where: string, own: RegExp): void {
  const produced = new Set(scope.chain.flatMap((step) => step.produced));
  for (const key of Object.keys(scope.context)) {
    if (own.test(key)) holds(produced.has(key), `${where}: ${key} is in the context, but no step produced it`);
  }
}

function checkCaps({ header, stories }: Run): void {
  const attempts =
    header.attempts.length + Object.values(stories).reduce((sum, story) => sum + story.attempts.length, 0);
  holds(header.totals.attempts === attempts, `${attempts} attempts, but ${header.totals.attempts} in the totals`);
  holds(attempts <= header.caps.attempts, `${attempts} attempts, the cap is ${header.caps.attempts}`);
}

function checkConcurrency({ header }: Run): void {
  const loop = header.definition.steps.find((step) => step.kind === "stories");
  const active = header.stories.filter(({ status }) => status === "running" || status === "held").length;
  holds(active <= (loop?.concurrency ?? 0), `${active} stories at work, at most ${loop?.concurrency} are allowed`);
}

/** The stored number of open dependencies equals the real one. */
function checkDependencies({ header }: Run): void {
  const done = new Set(header.stories.filter(({ status }) => status === "done").map(({ id }) => id));
  for (const { id, dependsOn, openDependencies } of header.stories) {
    const open = dependsOn.filter((other) => !done.has(other)).length;
    holds(openDependencies === open, `${id} has ${open} open dependencies but stores ${openDependencies}`);
  }
}

/** A run that is not over has something to do, something running, or a question to a person. */
function checkProgress(run: Run): void {
  if (run.header.end) return;
  const scopes = scopesOf(run).filter(({ story }) => story === null || entryStatus(run, story) === "running");
  const moves = scopes.some(
    ({ scope }) =>
      scope.chain.flatMap(withItsParts).some(({ state }) => state.status === "ready") ||
      scope.attempts.some(({ state }) => state.phase !== "ended"),
  );
  const asks = scopesOf(run).some(({ scope }) => scope.gates.some(({ state }) => state.status === "open"));
  const status = statusOf({ ...run.header, paused: false });
  if (status === "running") holds(moves, "the run says running, but nothing runs and nothing can start");
  else holds(asks && !moves, "the run says held, but no gate is open");
}

function entryStatus(run: Run, story: StoryId): string | undefined {
  return run.header.stories.find(({ id }) => id === story)?.status;
}

/** Checks what differs between a run before and after a command. */
export function checkChange(before: Run, after: Run, decision: Decision): void {
  if (!decision.accepted) {
    const shows = decision.code === "moved";
    holds(shows || before === after, "the command was refused, but the run changed");
    holds(
      decision.events.every(({ type }) => type === (shows ? "gate_shown" : "report_refused")),
      "a refusal has unexpected events",
    );
    return;
  }
  for (const { story, scope } of scopesOf(before)) {
    const now = story === null ? after.header : after.stories[story];
    scope.attempts.forEach((attempt, index) => {
      const then = now?.attempts[index];
      holds(then?.id === attempt.id, `${attempt.id} is gone`);
      if (attempt.state.phase === "ended") holds(same(attempt, then), `${attempt.id} had ended and changed`);
    });
    const removed = decision.events.flatMap((event) =>
      event.type === "steps_removed" && event.story === story ? event.steps : [],
    );
    scope.chain.forEach(({ id, visit }) => {
      const then = now?.chain.find((step) => step.id === id);
      const isGone = removed.includes(id);
      holds(isGone ? then === undefined : then !== undefined && then.visit >= visit, `${id} is gone or lost a visit`);
    });
  }
  for (const { id, status } of before.header.stories) {
    if (status !== "done") continue;
    holds(entryStatus(after, id) === "done", `${id} was done and is ${entryStatus(after, id)}`);
    holds(before.stories[id] === after.stories[id], `${id} was done and was changed`);
  }
  if (before.header.end) checkAfterEnd(before, decision.events);
}

/** What a failed run takes for the time after its retry. */
function isForLater(event: Event): boolean {
  return (
    event.type === "note_added" ||
    event.type === "file_change_adopted" ||
    event.type === "file_change_refused" ||
    event.type === "caps_raised" ||
    event.type === "waits_changed" ||
    event.type === "signal_received" ||
    event.type === "stories_planned" ||
    (event.type === "story_changed" && (event.status === "done" || event.status === "waiting"))
  );
}

/** A run that is over accepts only the ends of stopped attempts; a failed one also accepts a retry, an edit or a note. */
function checkAfterEnd(before: Run, events: readonly Event[]): void {
  // The commits of a run that is over are there, and may be taken back.
  if (events.length > 0 && events.every(({ type }) => type === "story_reverted")) return;
  if (before.header.end?.status === "failed" && events.every(isForLater)) return;
  const isEdit = events.some(({ type }) => type === "chain_edited");
  if (before.header.end?.status === "failed" && (events[0]?.type === "run_reopened" || isEdit)) {
    const moved = events.some(({ type }) => ["step_readied", "parts_opened", "gate_opened"].includes(type));
    return holds(!(isEdit && moved), "an edit restarted a failed run");
  }
  holds(
    events.every(({ type }) => ["attempt_ended", "part_ended", "step_cancelled"].includes(type)),
    `a run that is ${before.header.end?.status} took ${events.map(({ type }) => type).join(", ")}`,
  );
}

/** Counts independently how often each route was taken, and compares that with the workflow's limits. */
export class Tally {
  readonly #taken = new Map<string, number>();
  /** Parts that ran when their limits were renewed: they are of the count before. */
  readonly #before = new Set<string>();

  count(run: Run, events: readonly Event[]): void {
    for (const event of events) {
      const where = event.story ?? "run";
      if (event.type === "limits_renewed") this.#renew(run, event);
      if (event.type === "attempt_ended") this.#ended(run, where, event);
      if (event.type === "parts_ended") this.#round(run, where, event);
    }
  }

  #renew(run: Run, { story, of, part }: Extract<Event, { type: "limits_renewed" }>): void {
    const where = story ?? "run";
    const begins = of === null ? [""] : part === undefined ? [`${of} `, `${of}#`] : [`${of}#${part} `];
    const isRenewed = (key: string) => {
      const anyEntry = key.replace(/^([^ #]+)#\d+ /, "$1 ");
      return begins.some((begin) => anyEntry.startsWith(`${where} ${begin}`));
    };
    for (const key of this.#taken.keys()) if (isRenewed(key)) this.#taken.delete(key);
    for (const attempt of (story === null ? run.header : run.stories[story])?.attempts ?? []) {
      if (attempt.state.phase !== "ended" && isRenewed(`${where} ${attempt.name}#${attempt.part} `))
        this.#before.add(attempt.id);
    }
  }

  /** The end of a step with parts: once for each visit, and the limits of the step count it. */
  #round(run: Run, where: string, event: Extract<Event, { type: "parts_ended" }>): void {
    const scope = event.story === null ? run.header : run.stories[event.story];
    const step = scope?.chain.find(({ id }) => id === event.step);
    if (!step) throw new Error(`${event.step} ended and is not there`);
    this.#routed(run, { story: event.story, where, id: step.id, name: step.name, label: step.name }, event.taken);
  }

  #ended(run: Run, where: string, event: Extract<Event, { type: "attempt_ended" }>): void {
    const { step: id, name, part } = attemptOf(run, event);
    if (event.taken === null) return;
    const label = part === undefined ? name : `${name}#${part}`;
    const counts = !this.#before.has(event.attempt);
    holds(part === undefined || event.outcome !== "completed" || event.taken.key === "asked", `${label} took a route`);
    if (event.outcome === "lost") {
      if (event.taken.to === "fail") return;
      const lost = this.#add(`${where} ${label} lost`, counts);
      return holds(lost <= run.header.caps.lostPerStep, `${where} ${name}: lost ${lost} times and still asked again`);
    }
    if (event.outcome === "rate_limited") return;
    const { key, to } = event.taken;
    if (key === "edit") return this.#checkEdit(run, where, event);
    if (key === "asked") return holds(to === "gate", `${where} ${name} asked, but no gate opened`);
    this.#routed(run, { story: event.story, where, id, name, label }, event.taken, counts);
  }

  #routed(
    run: Run,
    {
      story,
      where,
      id,
      name,
      label,
    }: { story: StoryId | null; where: string; id: string; name: string; label: string },
    { key, to, draws }: Taken,
    counts = true,
  ): void {
    const step = performed(run, story, name);
    const rule = ruleOf(step, key);
    const asks = rule.route.to === "gate" && (isError(key) || key === "unreadable") && step.budget?.errors === true;
    if (!repeats(rule.route) && !asks) return;
    // A limit may lead to a question as well, and one that only a person can help with counts nowhere.
    if (asks && to === "gate" && draws === null) return;
    // A step that runs for the entries of a list has its limits for each of them.
    const chain = (story === null ? run.header : run.stories[story])?.chain ?? [];
    const entry = chain.find(({ id: each }) => each === id)?.item?.number;
    const at = entry === undefined ? where : `${where}#${entry}`;
    const limits = this.#limitsOf(run, story, step, key, rule, at, label);
    if (to === rule.route.to) {
      for (const { limit, used } of limits) {
        holds(used < limit.atMost, `${where} ${name}: ${key} taken ${used + 1} times, at most ${limit.atMost} allowed`);
      }
      this.#add(`${at} ${label} ${key}`, counts);
    } else {
      holds(
        limits.some(({ limit, used }) => used >= limit.atMost),
        `${where} ${name}: ${key} was refused before any limit was reached`,
      );
    }
  }

  /** The step restarted, or inserted steps before itself, which no limit counts. */
  #checkEdit(run: Run, where: string, event: Extract<Event, { type: "attempt_ended" }>): void {
    if (event.taken?.to === "insert") return;
    const { name, step } = attemptOf(run, event);
    const key = `${where} ${name} restart:${step}`;
    const loop = run.header.definition.steps.find((candidate) => candidate.kind === "stories");
    const most = (event.story === null ? undefined : loop?.restarts) ?? 3;
    if (event.taken?.to === "again") return holds(this.#add(key) <= most, `${where} ${step} restarted too often`);
    holds(this.#sum((taken) => taken === key) === most, `${where} ${step} was refused a restart before its limit`);
  }

  #limitsOf(
    run: Run,
    story: StoryId | null,
    step: PerformedDefinition,
    key: string,
    rule: RouteRule,
    where: string,
    label: string,
  ): { limit: Limit; used: number }[] {
    const limits: { limit: Limit; used: number }[] = [];
    if (rule.limit)
      limits.push({ limit: rule.limit, used: this.#sum((taken) => taken === `${where} ${label} ${key}`) });
    const { budget } = step;
    if (budget && (budget.errors || !isError(key))) {
      const used = this.#sum((taken) => isCoveredBy(budget, taken, `${where} ${label} `));
      limits.push({ limit: budget, used });
    }
    if (limits.length > 0 || story === null) return limits;
    const loop = run.header.definition.steps.find((candidate) => candidate.kind === "stories");
    if (!loop) return limits;
    const used = this.#sum((taken) => taken.startsWith(`${where} `) && drawsOnStory(run, story, taken));
    return [{ limit: loop.storyBudget, used }];
  }

  #add(key: string, counts = true): number {
    const count = (this.#taken.get(key) ?? 0) + (counts ? 1 : 0);
    this.#taken.set(key, count);
    return count;
  }

  #sum(counts: (key: string) => boolean): number {
    return [...this.#taken].reduce((sum, [key, count]) => (counts(key) ? sum + count : sum), 0);
  }
}

const isError = (key: string) => key === "error" || key.startsWith("error:");

function isCoveredBy({ errors = false }: Limit, taken: string, step: string): boolean {
  if (!taken.startsWith(step)) return false;
  const key = taken.slice(step.length);
  return key !== "lost" && !key.startsWith("restart:") && (errors || !isError(key));
}

function drawsOnStory(run: Run, story: StoryId, taken: string): boolean {
  const [, name = "", key = ""] = taken.split(" ");
  if (key === "lost" || key.startsWith("restart:")) return false;
  const step = performed(run, story, name.split("#")[0] ?? name);
  return ruleOf(step, key).limit === null && (step.budget === null || (isError(key) && !step.budget.errors));
}

/** The rule that a taken key belongs to. */
export function ruleOf(step: PerformedDefinition, key: string): RouteRule {
  const rule = errorRule(step, key) ?? (step.on as Record<string, RouteRule>)[key];
  if (!rule) throw new Error(`${step.name} took a route for ${key} and has none`);
  return rule;
}

function errorRule(step: PerformedDefinition, key: string): RouteRule | undefined {
  if (key === "error") return step.onError;
  if (key === "unreadable") return step.onUnreadable;
  return key === "error:failed" || key === "error:timed_out"
    ? step.onErrorBy?.[key === "error:failed" ? "failed" : "timed_out"]
    : undefined;
}

export function performed(run: Run, story: StoryId | null, name: string): PerformedDefinition {
  const { steps } = run.header.definition;
  const body = steps.flatMap((step): readonly StepDefinition[] => (step.kind === "stories" ? step.body : []));
  const step = (story === null ? steps : body).find((candidate) => candidate.name === name);
  if (!step || !isPerformed(step)) throw new Error(`${name} is not performed`);
  return step;
}

function attemptOf(run: Run, event: { story: StoryId | null; attempt: string }): Attempt {
  const scope = event.story === null ? run.header : run.stories[event.story];
  const attempt = scope?.attempts.find(({ id }) => id === event.attempt);
  if (!attempt) throw new Error(`there is no attempt ${event.attempt}`);
  return attempt;
}
