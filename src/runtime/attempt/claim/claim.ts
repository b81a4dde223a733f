// Claiming. Owns: taking one ready step for somebody who will perform it, in one transaction: no step is taken twice.

import type { Offer } from "../../../dispatch/dispatch.ts";
import type { Attempt } from "../../../domain/attempt.ts";
import { type AgentDefinition, isPerformed, type PerformedDefinition } from "../../../domain/definition.ts";
import type { Event } from "../../../domain/event.ts";
import { type AttemptId, agentName, type RunId } from "../../../domain/ids.ts";
import type { Run } from "../../../domain/run.ts";
import { scopeOf } from "../../../domain/run.ts";
import { decide, storiesFor } from "../../../engine/decide.ts";
import { definitionOf } from "../../../engine/definitions.ts";
import type { Hold, PermitLimit, Transaction } from "../../../store/store.ts";
import { hostName } from "../../../system/home.ts";
import { newAttemptId, newToken } from "../../../system/ids.ts";
import type { Parts } from "../../parts.ts";
import { integrationPermit } from "../../trees/integration-target.ts";
import { choose } from "./executor-choice.ts";

export interface ClaimRequest {
  /** Only steps of this run; null: of any. */
  readonly run: RunId | null;
  /** Only steps of this agent, `<workflow>/<agent>`; null: of any. */
  readonly agent: string | null;
  readonly driver: "push" | "pull";
  readonly worker: string;
  /** Begin no story that has not begun: there is no room for another. */
  readonly holdsNew?: boolean;
  /** How long it is his before somebody asks whether he is dead. */
  readonly leaseMs: number;
}

export interface Claim {
  readonly run: Run;
  readonly number: number;
  readonly attempt: Attempt;
  readonly definition: PerformedDefinition;
  /** What its account had to say the last time; null: nothing against us. */
  readonly hold: Hold | null;
  /** Why it is not performed by whom it was meant for; null: it is. */
  readonly instead: string | null;
}

/** The step's own limit, else its agent's; null: the executor's. */
export function timeLimitOf(claim: Claim): number | null {
  return claim.definition.wallMs ?? agentOf(claim)?.timeoutMs ?? null;
}

export function agentOf({ run, definition }: Claim): AgentDefinition | null {
  return definition.kind === "agent" ? (run.header.definition.agents[definition.agent] ?? null) : null;
}

/** How many offers are looked at when permits or executors stand in the way of the first; where they do of all, many more. */
const offersSeen = 50;
const mostOffers = 50 * 4 ** 4;

export async function claimStep(parts: Parts, wish: ClaimRequest): Promise<Claim | null> {
  const taken = await parts.store.transaction(async (tx) => {
    const now = parts.clock.now();
    const events: { run: RunId; events: readonly Event[] }[] = [];
    const round: Round = { holds: null, held: new Set() };
    for (let [seen, limit] = [0, offersSeen]; limit <= mostOffers; limit *= 4) {
      const offers = await parts.dispatch.offers(tx, { run: wish.run, agent: wish.agent, now, limit });
      for (const offer of offers.slice(seen)) {
        const claim = await take(parts, tx, wish, offer, round, events);
        if (claim) return { claim, events };
      }
      seen = offers.length;
      // More than these are of use only where none could be had because its account is held.
      if (seen < limit || round.held.size === 0) break;
    }
    return { claim: null, events };
  });
  for (const committed of taken.events) parts.commits.tell(committed);
  return taken.claim;
}

/** Whether somebody who claims now would get something. Cheap: an agent need not be woken to find out. */
export async function hasWork(parts: Parts, agent: string): Promise<boolean> {
  const now = parts.clock.now();
  const offers = await parts.dispatch.offers(parts.store, { run: null, agent, now, limit: 1 });
  return offers.length > 0;
}

/** What is found out once for all offers. */
interface Round {
  holds: readonly Hold[] | null;
  readonly held: Set<string>;
}

async function take(
  parts: Parts,
  tx: Transaction,
  wish: ClaimRequest,
  offer: Offer,
  round: Round,
  told: { run: RunId; events: readonly Event[] }[],
): Promise<Claim | null> {
  // Of the same agent of the same run there is nothing new to hear.
  const whom = `${offer.run} ${offer.agent}`;
  if (round.held.has(whom)) return null;
  const id = newAttemptId();
  const asked = { at: parts.clock.now(), author: wish.driver === "push" ? "driver" : `agent:${offer.agent}` };
  const place = { type: "start_attempt", story: offer.story, step: offer.step } as const;
  const draft = { ...asked, ...place, attempt: id, token: newToken(), driver: wish.driver, host: hostName() };
  const loaded = await tx.load(offer.run, (header) => storiesFor(header, { ...draft, executor: "" }));
  if (!loaded) return null;
  if (wish.holdsNew && isNew(loaded.run, offer)) return null;
  const able = performersOf(parts, wish, loaded.run, offer);
  if (able.some((name) => parts.executors.accountOf(name) !== null)) round.holds ??= await tx.holds();
  const chosen = choose(parts.executors, able, round.holds ?? [], draft.at);
  if (chosen.kind === "held") round.held.add(whom);
  if (chosen.kind !== "chosen") return null;
  const executor = chosen.name;
  const limits = wish.driver === "push" ? permitsOf(parts, loaded.run, executor) : [];
  if (!(await tx.takePermits(id, limits))) return null;

  const decision = decide(loaded.run, { ...draft, executor });
  const claim = decision.accepted ? claimOf(decision.run, loaded.number, offer, id, chosen) : null;
  if (!claim) await tx.releasePermits([id]);
  if (!decision.accepted) return null;
  await parts.dispatch.follow(tx, await tx.save(loaded, decision));
  told.push({ run: offer.run, events: decision.events });
  if (!claim) return null;
  const until = asked.at + (wish.driver === "pull" ? (timeLimitOf(claim) ?? wish.leaseMs) : wish.leaseMs);
  await parts.dispatch.lease(tx, { attempt: id, run: offer.run, story: offer.story, worker: wish.worker, until });
  return claim;
}

/** Nothing of the story has begun yet. */
function isNew(run: Run, { story }: Offer): boolean {
  return story !== null && run.stories[story]?.attempts.length === 0;
}

function permitsOf(parts: Parts, run: Run, executor: string): readonly PermitLimit[] {
  if (executor === integrateExecutor) return [{ key: integrationPermit(run), limit: 1 }];
  return parts.executors.permitsFor(executor, run.header);
}

/** What the runtime itself performs. */
const integrateExecutor = "integrate";

/** Who may perform it, in the order in which they are asked. */
function performersOf(parts: Parts, wish: ClaimRequest, run: Run, offer: Offer): readonly string[] {
  const step = scopeOf(run, offer.story)?.chain.find(({ id }) => id === offer.step);
  const integrates = step !== undefined && definitionOf(run, offer.story, step.name).kind === "integrate";
  if (wish.driver === "pull") return integrates ? [] : ["pull"];
  if (integrates) return [integrateExecutor];
  if (offer.agent === "") return ["shell"];
  const agent = offer.agent.slice(offer.agent.indexOf("/") + 1);
  return parts.executors.namesFor(run.header, agentName(agent)).filter((name) => name !== "pull");
}

/** null when the engine did not start the attempt: at a cap or a spent budget something else happens. */
export function claimOf(
  run: Run,
  number: number,
  { story }: Pick<Offer, "story">,
  id: AttemptId,
  { hold, instead }: Pick<Claim, "hold" | "instead"> = { hold: null, instead: null },
): Claim | null {
  const attempt = scopeOf(run, story)?.attempts.find((candidate) => candidate.id === id);
  if (!attempt) return null;
  const definition = definitionOf(run, story, attempt.name);
  if (!isPerformed(definition)) return null;
  return { run, number, attempt, definition, hold, instead };
}
