// Which ready steps of a run wait for a permit, and what holds it.

import { type Attempt, nameWithPart } from "../../domain/attempt.ts";
import type { AgentName, RunId, StoryId } from "../../domain/ids.ts";
import type { Run } from "../../domain/run.ts";
import type { Step } from "../../domain/step.ts";
import { performedBy } from "../../engine/definitions.ts";
import { type NeededPermit, permitsOf } from "../attempt/claim/permits.ts";
import type { Executors, Parts } from "../parts.ts";

interface Ports extends Pick<Parts, "store"> {
  readonly executors: Executors;
}

/** What each ready step waits for; null: no permit. `executorFor`: what would perform the steps of an agent. */
export async function permitWaits(
  parts: Ports,
  run: Run,
  executorFor: (agent: AgentName) => string,
): Promise<(story: StoryId | null, of: WaitingStep) => string | null> {
  const texts = new Map<string, string>();
  for (const [story, scope] of scopesIn(run)) {
    for (const of of scope.chain.flatMap(waitingIn)) {
      const definition = performedBy(run, story, of);
      const executor = definition?.kind === "agent" ? executorFor(definition.agent) : "";
      for (const permit of permitsOf(parts, run, { story, ...of }, executor)) {
        const text = await textOf(parts, run.header.id, permit);
        if (text !== null) texts.set(keyOf(story, of), text);
      }
    }
  }
  return (story, of) => texts.get(keyOf(story, of)) ?? null;
}

/** A step, or a part of one. */
type WaitingStep = Pick<Step, "id"> & Pick<Attempt, "name" | "part">;

function waitingIn({ id, name, state, parts = [] }: Step): readonly WaitingStep[] {
  const ready = parts.filter((part) => part.state.status === "ready").map((part) => ({ id, name, part: part.name }));
  return state.status === "ready" ? [{ id, name }] : ready;
}

function scopesIn({ header, stories }: Run): readonly (readonly [StoryId | null, Pick<Run["header"], "chain">])[] {
  const opened = Object.values(stories).map((story) => [story.id, story] as const);
  return header.end === null ? [[null, header], ...opened] : [];
}

const keyOf = (story: StoryId | null, { id, part }: WaitingStep) => JSON.stringify([story, id, part ?? null]);

/** Further holders are only counted. */
const maxListed = 3;

async function textOf({ store }: Ports, run: RunId, { key, limit, what }: NeededPermit): Promise<string | null> {
  const found = await store.permitHolders(key);
  const holders = found.toSorted((one, other) => (stepText(one.attempt) < stepText(other.attempt) ? -1 : 1));
  if (holders.length < limit) return null;
  const named = await Promise.all(
    holders.slice(0, maxListed).map(async (holder) => {
      const step = stepText(holder.attempt);
      if (holder.run === run) return step;
      const other = await store.runById(holder.run);
      return `run ${other?.number ?? holder.run} (${step})`;
    }),
  );
  const more = holders.length > maxListed ? ` and ${holders.length - maxListed} more` : "";
  return `${what}, held by ${named.join(", ")}${more}`;
}

function stepText(attempt: Attempt): string {
  const name = nameWithPart(attempt);
  return attempt.story === null ? name : `${attempt.story}: ${name}`;
}
