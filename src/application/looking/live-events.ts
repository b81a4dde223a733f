// Logs that streams follow: the events of one run, and the changes of all runs. Each is read from a place on, without its
// configuration being read again.

import type { EventDocument } from "../../contracts/events.ts";
import type { RunDigest } from "../../contracts/stream-documents.ts";
import type { RunId } from "../../domain/ids.ts";
import { isoTime } from "../../runtime/views/status.ts";
import { used } from "../../runtime/views/used.ts";
import type { RunChange } from "../../store/store.ts";
import type { Application } from "../application.ts";
import { findRun, firstLine } from "../references.ts";
import { eventDocument } from "./events.ts";
import { wordsOf } from "./run-rows.ts";

/** Documents with their places, in order. */
export interface LiveLog<Document> {
  /** The place of the newest document; 0: there is none. */
  last(): Promise<number>;
  /** Behind `after`. */
  read(after: number, limit: number): Promise<readonly { readonly id: number; readonly document: Document }[]>;
}

export async function eventLog(
  app: Application,
  reference: string,
): Promise<LiveLog<EventDocument> & { readonly run: RunId }> {
  const { store } = (await app.read()).parts;
  const { id: run } = await findRun(store, reference);
  return {
    run,
    last: () => store.lastSeq(run),
    read: async (after, limit) =>
      (await store.events(run, after, limit)).map((stored) => ({ id: stored.seq, document: eventDocument(stored) })),
  };
}

/** Each run that changed, once, as it is now. */
export async function changeLog(app: Application): Promise<LiveLog<RunDigest>> {
  const { parts } = await app.read();
  return {
    last: () => parts.store.lastPosition(),
    read: async (after, limit) => {
      const changes = await parts.store.changedRuns(after, limit);
      const words = await wordsOf(
        parts,
        changes.map(({ run }) => run),
        // A driver that dies changes no run, so a digest could not take back what it said of one.
        null,
      );
      return changes.map((changed) => ({ id: changed.position, document: digestOf(changed, words(changed.run)) }));
    },
  };
}

/** A task can be as long as a book, and a list shows one line of it. */
const longestTask = 200;

function digestOf(
  { run, seq, position }: RunChange,
  { why, step, needsYou }: Pick<RunDigest, "why" | "step" | "needsYou">,
): RunDigest {
  return {
    position,
    run: run.id,
    number: run.number,
    workflow: run.workflow,
    task: firstLine(run.task, longestTask),
    status: run.status,
    why,
    step,
    needsYou,
    costUsd: used(run.totals, run.totals.unreported).costUsd,
    seq,
    startedAt: isoTime(run.startedAt),
    endedAt: run.endedAt === null ? null : isoTime(run.endedAt),
  };
}
