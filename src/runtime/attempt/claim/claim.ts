// Claims one ready step for a worker, in one transaction: no step is claimed twice.

import type { Offer } from "../../../dispatch/dispatch.ts";
import type { Attempt } from "../../../domain/attempt.ts";
import type { PerformedWork } from "../../../domain/definition.ts";
import { type AttemptId, agentName, type RunId } from "../../../domain/ids.ts";
import type { Run } from "../../../domain/run.ts";
import { scopeOf } from "../../../domain/run.ts";
import type { Step } from "../../../domain/step.ts";
import { decide, storiesFor } from "../../../engine/decide.ts";
import { performedBy } from "../../../engine/definitions.ts";
import { timeLeft } from "../../../engine/limits.ts";
import type { Hold, Transaction } from "../../../store/store.ts";
import { deadlineIn } from "../../../system/clock.ts";
import { newAttemptId, newToken } from "../../../system/ids.ts";
import type { Committed, Parts } from "../../parts.ts";
import { needsTree } from "../../trees/disk-space.ts";
import { machineOf } from "../../worker.ts";
import { agentOf } from "./agent-of.ts";
import { choose } from "./executor-choice.ts";
import { permitsOf } from "./permits.ts";

export interface ClaimRequest {
  /** Only steps of this run; null: of any. */
  readonly run: RunId | null;
  /** Only steps of this agent, `<workflow>/<agent>`; null: of any. */
  readonly agent: string | null;
  readonly driver: "push" | "pull";
  readonly worker: string;
  /** The disk has no space for another tree: begin no story that needs one and has not begun. */
  readonly holdsNew?: boolean;
  /** Whether this machine may perform a step; absent: any. */
  readonly mayTake?: MayTake;
  /** How long the worker keeps the step without a sign of life; a pulled step has its own time limit instead, if it has one. */
  readonly leaseMs: number;
}

export type MayTake = (tx: Transaction, run: Run, offer: Offer, work: PerformedWork) => Promise<boolean>;

export interface Claim {
  readonly run: Run;
  readonly number: number;
  readonly attempt: Attempt;
  readonly definition: PerformedWork;
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
  const left = timeLeft(claim.run, claim.attempt, claim.definition, now);
  const limits = [own, left].filter((limit) => limit !== null);
  return limits.length === 0 ? null : Math.max(1, Math.min(...limits));
}

/** How many offers are tried when the first cannot be claimed; four times as many each time that a held account or a
 * permit blocks them all. */
const offersSeen = 50;
const mostOffers = 50 * 4 ** 4;

export type ClaimPorts = Pick<Parts, "store" | "dispatch" | "machines" | "executors" | "clock" | "commits">;

export async function claimStep(parts: ClaimPorts, request: ClaimRequest): Promise<Claim | null> {
  const claimed = await parts.store.transaction((tx) => claimIn(parts, tx, request));
  for (const committed of claimed.commits) parts.commits.tell(committed);
  return claimed.claim;
}

export interface Claimed {
  /** null: nothing can be claimed. */
  readonly claim: Claim | null;
  /** To be told when the transaction is committed. */
  readonly commits: readonly Committed[];
}

export const nothingClaimed: Claimed = { claim: null, commits: [] };

/** As `claimStep`, in a transaction that may do more. */
export async function claimIn(
  parts: Omit<ClaimPorts, "store" | "commits">,
  tx: Transaction,
  request: ClaimRequest,
): Promise<Claimed> {
  const now = parts.clock.now();
  const commits: Committed[] = [];
  const round: Round = { holds: null, held: new Set(), full: new Set(), isElsewhere: false };
  for (let [seen, limit] = [0, offersSeen]; limit <= mostOffers; limit *= 4) {
    const offers = await parts.dispatch.offers(tx, { run: request.run, agent: request.agent, now, limit });
    for (const offer of offers.slice(seen)) {
      const claim = await take(parts, tx, request, offer, round, commits);
      if (claim) return { claim, commits };
    }
    seen = offers.length;
    // More offers help only where these were blocked by what others may not need: a held account, a permit, a machine.
    if (seen < limit || (round.held.size === 0 && round.full.size === 0 && !round.isElsewhere)) break;
  }
  return { claim: null, commits };
}

/** Whether a claim would get something now. Cheap: no agent has to be started to find out. */
export async function hasWork(
  parts: Pick<Parts, "store" | "dispatch" | "clock">,
  { run, agent }: Pick<ClaimRequest, "run" | "agent">,
): Promise<boolean> {
  const now = parts.clock.now();
  const offers = await parts.dispatch.offers(parts.store, { run, agent, now, limit: 1 });
  return offers.length > 0;
}

/** What is looked up once for all offers. */
interface Round {
  holds: readonly Hold[] | null;
  readonly held: Set<string>;
  /** Keys of permits that have no place left. */
  readonly full: Set<string>;
  /** A step is for another machine. */
  isElsewhere: boolean;
}

async function take(
  parts: Omit<ClaimPorts, "store" | "commits">,
  tx: Transaction,
  request: ClaimRequest,
  offer: Offer,
  round: Round,
  commits: Committed[],
): Promise<Claim | null> {
  // The account of this agent in this run was held a moment ago.
  const whom = `${offer.run} ${offer.agent}`;
  if (round.held.has(whom)) return null;
  const id = newAttemptId();
  const asked = { at: parts.clock.now(), author: request.driver === "push" ? "driver" : `agent:${offer.agent}` };
  const part = offer.part === null ? {} : { part: offer.part };
  const place = { type: "start_attempt", story: offer.story, step: offer.step, ...part } as const;
  const draft = { ...asked, ...place, attempt: id, token: newToken(), driver: request.driver, host: machineOf(parts) };
  const loaded = await tx.load(offer.run, (header) => storiesFor(header, { ...draft, executor: "" }));
  if (!loaded) return null;
  if (request.holdsNew && needsTree(loaded.run, offer.story)) return null;
  const work = workOf(loaded.run, offer);
  if (work === null) return null;
  if (request.mayTake !== undefined && !(await request.mayTake(tx, loaded.run, offer, work))) {
    round.isElsewhere = true;
    return null;
  }
  const able = performersOf(parts, request.driver, loaded.run, offer, work.kind);
  if (able.some((name) => parts.executors.accountOf(name) !== null)) round.holds ??= await tx.holds();
  const chosen = choose(parts.executors, able, round.holds ?? [], draft.at);
  if (chosen.kind === "held") round.held.add(whom);
  if (chosen.kind !== "chosen") return null;
  const executor = chosen.name;
  const step = stepOf(loaded.run, offer);
  if (step === null) return null;
  const limits = permitsOf(parts, loaded.run, { story: offer.story, name: step.name, ...part }, executor);
  if (limits.some(({ key, inLine }) => inLine !== true && round.full.has(key))) return null;
  const { state } = step.parts?.find(({ name }) => name === offer.part) ?? step;
  const since = state.status === "ready" ? state.notBefore : draft.at;
  const waiter = { run: offer.run, story: offer.story, step: offer.step, since, now: draft.at };
  const full = await tx.takePermits(id, limits, waiter);
  if (full !== null) {
    round.full.add(full);
    return null;
  }

  const decision = decide(loaded.run, { ...draft, executor });
  const claim = decision.accepted ? claimOf(decision.run, loaded.number, offer, id, chosen) : null;
  if (!claim) await tx.releasePermits([id]);
  if (!decision.accepted) return null;
  const changes = await tx.save(loaded, decision);
  commits.push({ run: offer.run, events: decision.events });
  if (claim) {
    const leaseMs = request.driver === "pull" ? (timeFor(claim, asked.at) ?? request.leaseMs) : request.leaseMs;
    const until = deadlineIn(parts.clock, leaseMs);
    const lease = { attempt: id, run: offer.run, story: offer.story, worker: request.worker, until };
    const isWatched = request.driver === "push" && parts.executors.awaitMs(executor) === null;
    await parts.dispatch.lease(tx, lease, isWatched ? offer : undefined);
  }
  await parts.dispatch.follow(tx, changes);
  return claim;
}

/** The story has not begun, and needs a tree of its own. */
function stepOf(run: Run, { story, step }: Offer): Step | null {
  return scopeOf(run, story)?.chain.find(({ id }) => id === step) ?? null;
}

function workOf(run: Run, offer: Offer): PerformedWork | null {
  const found = stepOf(run, offer);
  if (found === null) return null;
  return performedBy(run, offer.story, { name: found.name, ...(offer.part === null ? {} : { part: offer.part }) });
}

/** The executors that may perform it, in the order in which they are tried; none where nothing is configured. */
function performersOf(
  parts: Pick<Parts, "executors">,
  driver: ClaimRequest["driver"],
  run: Run,
  offer: Offer,
  kind: PerformedWork["kind"],
): readonly string[] {
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
  const attempt = scopeOf(run, story)?.attempts.findLast((candidate) => candidate.id === id);
  if (!attempt) return null;
  const definition = performedBy(run, story, attempt);
  return definition && { run, number, attempt, definition, hold, insteadOf };
}
