// Claims one ready step for a worker, in one transaction: no step is claimed twice.

import type { Offer } from "../../../dispatch/dispatch.ts";
import type { Attempt } from "../../../domain/attempt.ts";
import {
  type AgentDefinition,
  hasStoryTrees,
  isPerformed,
  type PerformedDefinition,
  type StepDefinition,
} from "../../../domain/definition.ts";
import type { Event } from "../../../domain/event.ts";
import { type AttemptId, agentName, type RunId } from "../../../domain/ids.ts";
import type { Run } from "../../../domain/run.ts";
import { scopeOf } from "../../../domain/run.ts";
import { decide, storiesFor } from "../../../engine/decide.ts";
import { definitionOf } from "../../../engine/definitions.ts";
import { timeLeft } from "../../../engine/limits.ts";
import type { Hold, PermitLimit, Transaction } from "../../../store/store.ts";
import { deadlineIn } from "../../../system/clock.ts";
import { hostName } from "../../../system/home.ts";
import { newAttemptId, newToken } from "../../../system/ids.ts";
import type { Parts } from "../../parts.ts";
import { integrationPermit } from "../../trees/places.ts";
import { choose } from "./executor-choice.ts";

export interface ClaimRequest {
  /** Only steps of this run; null: of any. */
  readonly run: RunId | null;
  /** Only steps of this agent, `<workflow>/<agent>`; null: of any. */
  readonly agent: string | null;
  readonly driver: "push" | "pull";
  readonly worker: string;
  /** The disk has no space for another tree: begin no story that needs one and has not begun. */
  readonly holdsNew?: boolean;
  /** How long the worker keeps the step without a sign of life; a pulled step has its own time limit instead, if it has one. */
  readonly leaseMs: number;
}

export interface Claim {
  readonly run: Run;
  readonly number: number;
  readonly attempt: Attempt;
  readonly definition: PerformedDefinition;
  /** The hold on its executor's account, which may be over by now; null: there is none. */
  readonly hold: Hold | null;
  /** The executor that should have performed it, and why it does not; null: the first choice performs it. */
  readonly insteadOf: string | null;
}

/** The author of the attempt's events. */
export function authorOf({ run, attempt, definition }: Claim): string {
  if (attempt.driver === "push" || definition.kind !== "agent") return "driver";
  return `agent:${run.header.definition.id}/${definition.agent}`;
}

/** How long the attempt may take: the step's own limit, else its agent's, or less where a hard budget of time has less left. */
export function timeFor(claim: Claim, now: number): number | null {
  const own = claim.definition.wallMs ?? agentOf(claim)?.timeoutMs ?? null;
  const left = timeLeft(claim.run, claim.attempt.story, claim.definition, now);
  const limits = [own, left].filter((limit) => limit !== null);
  return limits.length === 0 ? null : Math.max(1, Math.min(...limits));
}

export function agentOf({ run, definition }: Claim): AgentDefinition | null {
  return definition.kind === "agent" ? (run.header.definition.agents[definition.agent] ?? null) : null;
}

/** How many offers are tried when the first cannot be claimed; four times as many each time that a held account blocks them all. */
const offersSeen = 50;
const mostOffers = 50 * 4 ** 4;

type ClaimPorts = Pick<Parts, "store" | "dispatch" | "executors" | "clock" | "commits">;

export async function claimStep(parts: ClaimPorts, request: ClaimRequest): Promise<Claim | null> {
  const taken = await parts.store.transaction(async (tx) => {
    const now = parts.clock.now();
    const events: { run: RunId; events: readonly Event[] }[] = [];
    const round: Round = { holds: null, held: new Set() };
    for (let [seen, limit] = [0, offersSeen]; limit <= mostOffers; limit *= 4) {
      const offers = await parts.dispatch.offers(tx, { run: request.run, agent: request.agent, now, limit });
      for (const offer of offers.slice(seen)) {
        const claim = await take(parts, tx, request, offer, round, events);
        if (claim) return { claim, events };
      }
      seen = offers.length;
      // More offers help only where these were blocked by a held account.
      if (seen < limit || round.held.size === 0) break;
    }
    return { claim: null, events };
  });
  for (const committed of taken.events) parts.commits.tell(committed);
  return taken.claim;
}

/** Whether a claim would get something now. Cheap: no agent has to be started to find out. */
export async function hasWork(parts: Pick<Parts, "store" | "dispatch" | "clock">, agent: string): Promise<boolean> {
  const now = parts.clock.now();
  const offers = await parts.dispatch.offers(parts.store, { run: null, agent, now, limit: 1 });
  return offers.length > 0;
}

/** What is looked up once for all offers. */
interface Round {
  holds: readonly Hold[] | null;
  readonly held: Set<string>;
}

async function take(
  parts: ClaimPorts,
  tx: Transaction,
  request: ClaimRequest,
  offer: Offer,
  round: Round,
  commits: { run: RunId; events: readonly Event[] }[],
): Promise<Claim | null> {
  // The account of this agent in this run was held a moment ago.
  const whom = `${offer.run} ${offer.agent}`;
  if (round.held.has(whom)) return null;
  const id = newAttemptId();
  const asked = { at: parts.clock.now(), author: request.driver === "push" ? "driver" : `agent:${offer.agent}` };
  const place = { type: "start_attempt", story: offer.story, step: offer.step } as const;
  const draft = { ...asked, ...place, attempt: id, token: newToken(), driver: request.driver, host: hostName() };
  const loaded = await tx.load(offer.run, (header) => storiesFor(header, { ...draft, executor: "" }));
  if (!loaded) return null;
  if (request.holdsNew && needsTree(loaded.run, offer)) return null;
  const able = performersOf(parts, request.driver, loaded.run, offer);
  if (able.some((name) => parts.executors.accountOf(name) !== null)) round.holds ??= await tx.holds();
  const chosen = choose(parts.executors, able, round.holds ?? [], draft.at);
  if (chosen.kind === "held") round.held.add(whom);
  if (chosen.kind !== "chosen") return null;
  const executor = chosen.name;
  const limits = request.driver === "push" ? permitsOf(parts, loaded.run, offer, executor) : [];
  if (!(await tx.takePermits(id, limits))) return null;

  const decision = decide(loaded.run, { ...draft, executor });
  const claim = decision.accepted ? claimOf(decision.run, loaded.number, offer, id, chosen) : null;
  if (!claim) await tx.releasePermits([id]);
  if (!decision.accepted) return null;
  await parts.dispatch.follow(tx, await tx.save(loaded, decision));
  commits.push({ run: offer.run, events: decision.events });
  if (!claim) return null;
  const leaseMs = request.driver === "pull" ? (timeFor(claim, asked.at) ?? request.leaseMs) : request.leaseMs;
  const until = deadlineIn(parts.clock, leaseMs);
  await parts.dispatch.lease(tx, { attempt: id, run: offer.run, story: offer.story, worker: request.worker, until });
  return claim;
}

/** The story has not begun, and needs a tree of its own. */
function needsTree(run: Run, { story }: Offer): boolean {
  return story !== null && run.stories[story]?.attempts.length === 0 && hasStoryTrees(run.header.definition);
}

function kindOf(run: Run, { story, step }: Offer): StepDefinition["kind"] | null {
  const found = scopeOf(run, story)?.chain.find(({ id }) => id === step);
  return found === undefined ? null : definitionOf(run, story, found.name).kind;
}

/** Integrations of one base branch are serial; agents share a limit; everything else is free. */
function permitsOf(parts: Pick<Parts, "executors">, run: Run, offer: Offer, executor: string): readonly PermitLimit[] {
  const kind = kindOf(run, offer);
  if (kind === "integrate") return [{ key: integrationPermit(run), limit: 1 }];
  return kind === "agent" ? parts.executors.permitsFor(executor, run.header) : [];
}

/** The executors that may perform it, in the order in which they are tried; none where nothing is configured. */
function performersOf(
  parts: Pick<Parts, "executors">,
  driver: ClaimRequest["driver"],
  run: Run,
  offer: Offer,
): readonly string[] {
  const kind = kindOf(run, offer);
  if (kind === null) return [];
  if (driver === "pull") return kind === "agent" ? ["pull"] : [];
  if (kind === "command") return ["shell"];
  // The runtime itself performs every other kind of step.
  if (kind !== "agent") return [kind];
  const agent = offer.agent.slice(offer.agent.indexOf("/") + 1);
  return parts.executors.namesFor(run.header, agentName(agent)).filter((name) => name !== "pull");
}

/** null: the engine did not start the attempt, because a cap is reached or a budget is spent. */
export function claimOf(
  run: Run,
  number: number,
  { story }: Pick<Offer, "story">,
  id: AttemptId,
  { hold, insteadOf }: Pick<Claim, "hold" | "insteadOf">,
): Claim | null {
  const attempt = scopeOf(run, story)?.attempts.find((candidate) => candidate.id === id);
  if (!attempt) return null;
  const definition = definitionOf(run, story, attempt.name);
  if (!isPerformed(definition)) return null;
  return { run, number, attempt, definition, hold, insteadOf };
}
