// Turns a handful of numbers into a workflow that the loader would accept. Every number is valid, so a generator needs no rules
// of its own.

import type { Definition, PerformedDefinition, StepDefinition, StoriesStep } from "../../../src/domain/definition.ts";
import { stepName } from "../../../src/domain/ids.ts";
import {
  type GateDeadline,
  type Limit,
  type Route,
  type RouteRule,
  repeats,
  type Spend,
} from "../../../src/domain/route.ts";
import {
  again,
  agent,
  ask,
  backTo,
  decider,
  decision,
  end,
  fail,
  gate,
  goTo,
  insert,
  integrate,
  limit,
  next,
  signal,
  stories,
  withParts,
  withWriters,
  workflow,
} from "./workflow.ts";

export interface StepShape {
  /** 0–4 an agent with verdicts (4: it may have parts), 5–7 one with a deciding key, 8–9 a gate. */
  readonly kind: number;
  readonly passed: number;
  readonly rejected: number;
  readonly reasoned: number;
  readonly error: number;
  readonly target: number;
  readonly atMost: number;
  readonly then: number;
  /** 0–2 none, else a limit for all routes back together. */
  readonly budget: number;
  /** 0–5 none, else what its attempts may spend. */
  readonly spend: number;
  /** 0–4 none, else the option that the deadline takes. */
  readonly deadline: number;
  /** Bits: editable, mandatory, follows the step before it, waits, its budget counts errors, a time-out has its own rule. */
  readonly flags: number;
  /** 0–6 none, else it runs only if another step said so. */
  readonly condition: number;
}

export interface WorkflowShape {
  readonly steps: readonly StepShape[];
  /** null: no stories. */
  readonly body: readonly StepShape[] | null;
  readonly bodyAt: number;
  readonly concurrency: number;
  readonly storyBudget: number;
  readonly storyThen: number;
  readonly goOn: boolean;
  readonly attempts: number;
  readonly lost: number;
  /** What a story may spend, as for a step. */
  readonly storySpend: number;
  readonly costUsd: number;
  readonly tokens: number;
  /** At a cap a person is asked. */
  readonly capAsks: boolean;
  readonly reset: boolean;
  /** Stories have trees and numbered steps, and are integrated. */
  readonly trees: boolean;
  /** The last step of a story must stay last, unless it is a gate. */
  readonly last: boolean;
  /** How many steps may be added to a story; 9: any number. */
  readonly room: number;
  readonly restarts: number;
}

interface Place {
  readonly names: readonly string[];
  readonly index: number;
  /** Steps that may be inserted: not the step itself, and no stories. */
  readonly others: readonly string[];
  readonly inBody: boolean;
}

export function workflowOf(shape: WorkflowShape): Definition {
  const names = shape.steps.map((_, index) => `s${index}`);
  const at = shape.body === null ? -1 : 1 + (shape.bodyAt % shape.steps.length);
  const chain = shape.body === null ? names : [...names.slice(0, at), "loop", ...names.slice(at)];
  const steps = chain.map((name, index): StepDefinition => {
    if (name === "loop") return loopOf(shape);
    const step = shape.steps[names.indexOf(name)] as StepShape;
    const place = { names: chain, index, others: names.filter((other) => other !== name), inBody: false };
    // The first step plans, so it is never a gate.
    return stepOf(index === 0 ? { ...step, kind: step.kind % 5 } : step, name, place);
  });
  const { attempts, lost, costUsd, tokens, capAsks } = shape;
  const collects = { [saidVote.step]: [saidVote.key] };
  const made = workflow(steps, {
    caps: { attempts, lostPerStep: lost, costUsd, tokens, then: capAsks ? "gate" : "fail" },
    onFailure: shape.reset ? "reset" : "keep",
  });
  return shape.body === null ? made : { ...made, collects };
}

function loopOf(shape: WorkflowShape): StepDefinition {
  const body = shape.body ?? [];
  const names = body.map((_, index) => `b${index}`);
  const closing = shape.last && (body.at(-1)?.kind ?? 9) < 8 ? `b${body.length - 1}` : null;
  const steps = body.map((step, index): StepDefinition => {
    const name = `b${index}`;
    // No route inserts a second last step into the chain.
    const others = names.filter((other) => other !== name && other !== closing);
    const made = stepOf(step, name, { names, index, others, inBody: true });
    return name === closing ? ({ ...made, last: true } as StepDefinition) : made;
  });
  // A story that is not integrated does not continue, whatever a person answers.
  const answers = shape.trees ? { more: again } : { more: again, accept: next };
  const then = shape.storyThen % 2 === 0 ? fail("story failed") : ask({ ...answers, stop: fail("stopped") });
  return stories("loop", shape.trees ? [...steps, ...ownSteps(shape, names)] : steps, {
    concurrency: 1 + (shape.concurrency % 4),
    storyBudget: { ...limit(shape.storyBudget % 3, then), ...spendOf(shape.storySpend) },
    onStoryFailed: shape.goOn ? "continue" : "stop",
    ...needOf(shape),
    restarts: shape.restarts,
    ...(shape.trees ? ({ workspace: "worktree", ids: "numbers" } as const) : {}),
    ...(shape.room === 9 ? {} : { maxSteps: body.length + shape.room }),
  } satisfies Partial<StoriesStep>);
}

/** In every second workflow, one to three stories are needed, or all; every second one of those stops the others. */
function needOf({ concurrency, storyBudget, storySpend }: WorkflowShape): Pick<StoriesStep, "need" | "others"> {
  if (concurrency < 5) return {};
  const need = Math.floor(storyBudget / 3);
  return { ...(need === 0 ? {} : { need }), ...(storySpend % 2 === 0 ? { others: "stop" } : {}) };
}

/** The integration, and the step that resolves conflicts. */
function ownSteps(shape: WorkflowShape, names: readonly string[]): readonly StepDefinition[] {
  const before = stepName(names[shape.bodyAt % names.length] ?? "b0");
  const conflict = { ...insert("bx"), before } as Route;
  const rule: RouteRule = { route: conflict, limit: shape.storyThen < 5 ? limit(1 + (shape.storyThen % 3)) : null };
  const on = {
    passed: { route: next, limit: null },
    rejected: { route: fail("no"), limit: null },
    "rejected:conflict": rule,
  };
  return [agent("bx", { spare: true }), integrate("bi", { on })];
}

function stepOf(shape: StepShape, name: string, place: Place): StepDefinition {
  return { ...kindOf(shape, name, place), ...conditionOf(shape, place) };
}

/** What the first step of each story says. */
const saidVote = { step: stepName("loop"), key: "o_b0_vote" };

function isBehindStories(names: readonly string[], index: number): boolean {
  const loop = names.indexOf("loop");
  return loop >= 0 && loop < index;
}

/** The first step of a run plans, so it always runs. */
function conditionOf(
  { condition, target }: StepShape,
  { names, index, others, inBody }: Place,
): Pick<StepDefinition, "if"> {
  const author = others[target % (others.length || 1)];
  if (condition < 7 || author === undefined || (index === 0 && !inBody)) return {};
  if (condition > 7 && isBehindStories(names, index)) {
    const votes = ["all", "any", "majority"] as const;
    const vote = votes[target % 4];
    return {
      if: { ...(vote ? { vote, of: saidVote } : { vote: "count", of: saidVote, atLeast: 2 }), values: ["yes"] },
    };
  }
  // A story may also ask for what a step of the run's own chain said.
  const key = inBody && condition === 9 ? "o_s0_vote" : `o_${author}_vote`;
  return { if: { key, values: condition === 8 ? ["yes", "no"] : ["yes"] } };
}

function kindOf(shape: StepShape, name: string, place: Place): StepDefinition {
  if (shape.kind === 9 && shape.flags % 3 === 0)
    return signal(
      name,
      "go",
      ["o_go"],
      shape.deadline < 5 ? undefined : thenOf({ ...shape, then: shape.deadline }, place),
    );
  if (shape.kind >= 8) return gate(name, gateOptions(shape, place), deadlineOf(shape));
  const budget: Limit | null =
    shape.budget < 3
      ? null
      : {
          ...limit(shape.budget - 2, thenOf(shape, place)),
          ...spendOf(shape.spend),
          ...(shape.flags & 16 ? { errors: true } : {}),
        };
  const decides = shape.kind >= 5;
  const votes = shape.kind === 7 && isBehindStories(place.names, place.index);
  const rule = (choice: number, key: "error" | "verdict"): RouteRule => {
    const route = routeOf(choice, shape, place);
    if (!repeats(route)) return { route, limit: null };
    const covered = place.inBody || (budget !== null && (key === "verdict" || budget.errors === true));
    // If a budget covers it, every second such route has no limit of its own.
    if (covered && (choice + shape.target) % 2 === 0) return { route, limit: null };
    return { route, limit: limit(shape.atMost, thenOf(shape, place)) };
  };
  const onError = rule([1, 1, 1, 7, 8][shape.error % 5] as number, "error");
  const passes: RouteRule = { route: shape.passed < 8 ? next : routeOf(6, shape, place), limit: null };
  const on = { passed: passes, rejected: rule(shape.rejected, "verdict") };
  const step: PerformedDefinition = votes
    ? decision(name, { yes: passes, no: rule(shape.rejected, "verdict") }, {}, { vote: "majority", of: saidVote })
    : decides
      ? decider(name, { yes: passes, fix: rule(shape.rejected, "verdict"), redo: rule(shape.reasoned, "verdict") })
      : agent(name, { on: { ...on, "rejected:why": rule(shape.reasoned, "verdict") } });
  if (shape.kind === 4 && shape.error > 4) return partsOf(shape, { ...step, budget, ...flagsOf(shape, place) }, place);
  const timedOut = shape.flags & 32 ? { onErrorBy: { timed_out: rule(shape.target % 2 === 0 ? 7 : 1, "error") } } : {};
  return { ...step, onError, ...timedOut, budget, ...flagsOf(shape, place) };
}

/** A step whose attempts are those of parts: they lead to themselves, to a person, or to their end. */
function partsOf(shape: StepShape, step: PerformedDefinition, { inBody, others }: Place): StepDefinition {
  if (step.kind !== "agent") return step;
  const { editable: _editable, ...kept } = step;
  const names = Array.from({ length: 2 + (shape.deadline % 3) }, (_, index) => `p${index}`);
  const author = others[shape.target % (others.length || 1)];
  const asks = ask({ again, leave: next, stop: fail("a person stopped it") });
  const isFree = inBody || step.budget?.errors === true;
  const repeated: RouteRule = { route: again, limit: isFree && shape.error % 2 === 0 ? null : limit(shape.atMost) };
  const onError: RouteRule = [repeated, repeated, { route: asks, limit: null }][shape.error % 3] ?? repeated;
  const parted = shape.passed % 4 < 2 ? withParts : withWriters;
  return parted({ ...kept, onError }, names, {
    need: shape.target % 3 === 0 ? "all" : 1 + (shape.target % names.length),
    others: shape.passed % 2 === 0 ? "stop" : "finish",
    // Some of them are performed as a whole, unless another one said yes.
    ...(shape.reasoned % 7 === 0 && author !== undefined ? { if: { key: `o_${author}_vote`, values: ["yes"] } } : {}),
  });
}

type Flags = Pick<PerformedDefinition, "editable" | "mandatory" | "follows" | "waits">;

function flagsOf({ flags }: StepShape, { names, index }: Place): Flags {
  const before = names[index - 1];
  return {
    ...(flags & 1 ? { editable: true } : {}),
    ...(flags & 2 ? { mandatory: true } : {}),
    ...((flags & 24) === 8 ? { waits: true } : {}),
    ...(flags & 4 && before !== undefined ? { follows: [stepName(before)] } : {}),
  };
}

/** 0–1 again, 2–5 back, 6 forward or to the end, 7 a gate, 8 fail, 9 insert. */
function routeOf(choice: number, shape: StepShape, place: Place): Route {
  const { names, index, others } = place;
  if (choice >= 2 && choice <= 5) return index === 0 ? again : backTo(names[(shape.target + choice) % index] as string);
  if (choice === 6) {
    const later = names.slice(index + 1);
    if (shape.target % (place.inBody ? 3 : 10) === 0) return end;
    return later.length === 0 ? next : goTo(later[shape.target % later.length] as string);
  }
  if (choice === 7) return ask(gateOptions(shape, place), "And now?", deadlineOf(shape));
  if (choice === 8) return fail("as the route says");
  if (choice === 9 && others.length > 0) return insert(others[shape.target % others.length] as string);
  return again;
}

function gateOptions(shape: StepShape, place: Place): Readonly<Record<string, Route>> {
  return {
    approve: next,
    back: routeOf(2 + (shape.target % 4), shape, place),
    forward: routeOf(6, shape, place),
    more: routeOf(9, shape, place),
    // A run that always may end early does not get deep.
    ...(shape.target === 7 ? { finish: end } : {}),
    ask: ask({ approve: next, again, stop: fail("a person stopped it") }),
    reject: fail("a person rejected it"),
    "reject:unclear": routeOf(2 + (shape.target % 4), shape, place),
    "reject:late": next,
  };
}

function deadlineOf({ deadline }: StepShape): GateDeadline | undefined {
  if (deadline < 5) return undefined;
  return { afterMs: 5 * deadline, option: ["approve", "reject", "forward"][deadline % 3] as string };
}

/** Of the same size as the usage of attempts in walks; see walker.ts. */
function spendOf(choice: number): { readonly spend?: Spend } {
  if (choice < 6) return {};
  const spend = { costUsd: null, tokens: null, wallMs: null, hard: choice % 2 === 0 };
  const one = [{ costUsd: 0.6 }, { tokens: 120 }, { wallMs: 30 }, { costUsd: 0.9, wallMs: 60 }][choice - 6];
  return { spend: { ...spend, ...one } };
}

/** The route of a limit never repeats, since the loader refuses that. */
function thenOf(shape: StepShape, place: Place): Route {
  const choices = [fail("limit reached"), ask(gateOptions(shape, place)), next, routeOf(6, shape, place)];
  return choices[shape.then % choices.length] as Route;
}
