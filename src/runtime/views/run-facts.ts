// Facts beside a run for the sentence that says why it does not move: dead drivers, accounts that hit their quota, and permits that
// others hold.

import { hasEnded } from "../../domain/attempt.ts";
import type { PerformedWork } from "../../domain/definition.ts";
import type { AgentName, AttemptId } from "../../domain/ids.ts";
import { type Run, scopeOf } from "../../domain/run.ts";
import { performedBy } from "../../engine/definitions.ts";
import type { Known } from "../../engine/why.ts";
import { localTime } from "../../system/local-time.ts";
import { choose } from "../attempt/claim/executor-choice.ts";
import { readBeginRecord } from "../attempt/records.ts";
import { labelsOf } from "../machines/placement.ts";
import type { Parts } from "../parts.ts";
import { lowDiskWarning, needsTree } from "../trees/disk-space.ts";
import { driversOf, findOrphans, isPulled } from "../worker.ts";
import { moneyCapGap } from "./money-cap.ts";
import { permitWaits } from "./permit-waits.ts";

/** `executors`, `settings`: as the run's own repository configures them. */
export async function knownOf(
  parts: Pick<Parts, "store" | "dispatch" | "machines" | "labels" | "clock" | "home" | "protocols">,
  { run, number }: { readonly run: Run; readonly number: number },
  { executors, settings }: Pick<Parts, "executors" | "settings">,
): Promise<Known> {
  const now = parts.clock.now();
  const holds = await parts.store.holds();
  const chooseFor = (agent: AgentName) => choose(executors, executors.namesFor(run.header, agent), holds, now);
  const waits = await permitWaits({ store: parts.store, executors }, run, (agent) => {
    const chosen = chooseFor(agent);
    return chosen.kind === "chosen" ? chosen.name : "pull";
  });
  const missing = await missingLabels(parts);
  const lowDisk = run.header.end === null ? await lowDiskWarning({ settings, home: parts.home }) : null;
  return {
    orphans: await findOrphans(parts),
    awaited: await awaitedIn(parts, run),
    number,
    isDriven: (await driversOf(parts)).has(run.header.id),
    hasWorker: await hostHasWorker(parts),
    caveats: run.header.end === null ? [moneyCapGap(run.header, executors) ?? []].flat() : [],
    localTime: (at) => localTime(at, now),
    waitsFor(story, step) {
      if (scopeOf(run, story) === null) return null;
      if (lowDisk !== null && needsTree(run, story)) return `disk space: ${lowDisk}`;
      const definition = performedBy(run, story, step);
      const labels = definition === null ? null : missing(definition);
      if (labels !== null) return labels;
      const chosen = definition?.kind === "agent" ? chooseFor(definition.agent) : null;
      if (definition?.kind === "agent" && chosen?.kind === "none")
        return `an executor: none is configured for the agent "${definition.agent}" (\`pawl resume ${number} --executor NAME\`, or an agent that pulls)`;
      return chosen?.kind === "held" ? chosen.why : waits(story, step);
    },
  };
}

/** Whether a worker lives that drives what nothing else drives. Of a store in a file that is not known. */
export async function hostHasWorker({ machines }: Pick<Parts, "machines">): Promise<boolean> {
  if (machines === null) return false;
  return (await machines.live()).some(({ isHost, workers }) => isHost && workers.length > 0);
}

/** What a step asks for that no machine is; null: one is all of it. */
async function missingLabels({
  machines,
  labels,
}: Pick<Parts, "machines" | "labels">): Promise<(definition: PerformedWork) => string | null> {
  const known = machines === null ? [] : (await machines.live()).flatMap(({ workers }) => workers);
  const all = [labels, ...known];
  return (definition) => {
    const wanted = labelsOf(definition);
    if (all.some((own) => wanted.every((label) => own.includes(label)))) return null;
    const names = wanted.length === 1 ? `label ${wanted[0]}` : `labels ${wanted.join(" and ")}`;
    return `a machine with the ${names} (\`pawl worker --labels ${wanted.join(",")}\`, or \`worker.labels\` of the configuration)`;
  };
}

/** An attempt that another program performs. */
export interface Awaited {
  /** Where it reports. */
  readonly file: string;
  /** The end of its time. */
  readonly until: number;
}

/** Those of a run whose protocol says where they report: awaited by a driver, or handed out. */
export async function awaitedIn(
  { dispatch, home, protocols }: Pick<Parts, "dispatch" | "home" | "protocols">,
  { header, stories }: Run,
): Promise<ReadonlyMap<AttemptId, Awaited>> {
  const running = Object.values(stories).flatMap(({ attempts }) => attempts.filter((each) => !hasEnded(each)));
  const protocol = protocols.of(header.definition);
  if (running.length === 0 || !protocol.canAwait) return new Map();
  const leases = await dispatch.leases({ endedBefore: null });
  const found = running.flatMap((attempt): readonly (readonly [AttemptId, Awaited])[] => {
    if (attempt.state.phase !== "started" || attempt.state.workspace === null) return [];
    const file = protocol.reportFile(header, attempt.state.workspace);
    const lease = leases.find((each) => each.attempt === attempt.id);
    const handedOut = lease !== undefined && isPulled(lease) ? lease.until : null;
    const until = handedOut ?? readBeginRecord({ home }, header.id, attempt).waitsUntil;
    return file === null || until === null ? [] : [[attempt.id, { file, until: until.at }]];
  });
  return new Map(found);
}
