// Events. Owns: the events of a run as an async iterator: what has happened, and on request what happens next.

import type { EventDocument } from "../../contracts/events.ts";
import type { Event } from "../../domain/event.ts";
import type { RunId } from "../../domain/ids.ts";
import { isoTime } from "../../runtime/views/status.ts";
import { Wake } from "../../runtime/wake.ts";
import type { Store, StoredEvent } from "../../store/store.ts";
import type { Application } from "../application.ts";
import { findRunOrNewest } from "../references.ts";

export interface EventsRequest {
  /** Only events with a larger number. */
  readonly after?: number | undefined;
  /**
   * `now`: what has happened. `held`: until the run is over, waits for a person or is paused, and the reader has done nothing about it.
   * `over`: until it is over. `aborted`: until the signal.
   */
  readonly until?: "now" | "held" | "over" | "aborted" | undefined;
  /** Ends the iteration after everything that has happened by then. */
  readonly signal?: AbortSignal | undefined;
}

const batch = 500;
/** Commits of other processes wake a follower; this is for a file system that does not tell. */
const lookAgainMs = 1_000;

/** Of the newest run without a reference. */
export async function* events(
  app: Application,
  reference: string | undefined,
  request: EventsRequest = {},
): AsyncGenerator<StoredEvent, void, undefined> {
  const { store } = (await app.read()).parts;
  const { id } = await findRunOrNewest(store, reference);
  let seen = request.after ?? 0;
  yield* follow(app, id, request, async () => {
    const found = await store.events(id, seen, batch);
    seen = found.at(-1)?.seq ?? seen;
    return found;
  });
}

/** What `read` finds, now and whenever something may be new; the last time after the end. It reads again after a full batch. */
export async function* follow<T>(
  app: Application,
  run: RunId,
  { until = "now", signal }: Omit<EventsRequest, "after">,
  read: () => Promise<readonly T[]>,
): AsyncGenerator<T, void, undefined> {
  const { store } = (await app.read()).parts;
  const wake = new Wake();
  const up = () => wake.up();
  const listening = until === "now" ? null : await app.onChange(up);
  signal?.addEventListener("abort", up);
  try {
    for (;;) {
      wake.reset();
      const isLast = (signal?.aborted ?? false) || (await hasCome(store, run, until));
      let count = 0;
      for (let isFull = true; isFull; ) {
        const found = await read();
        yield* found;
        count += found.length;
        isFull = found.length === batch;
      }
      // The reader may have answered a gate that was among them: then the run moves again.
      const mayMove = until === "held" && count > 0 && !signal?.aborted;
      if (isLast && !mayMove) return;
      if (!isLast) await wake.wait(lookAgainMs);
    }
  } finally {
    signal?.removeEventListener("abort", up);
    listening?.close();
  }
}

async function hasCome(store: Pick<Store, "runById">, run: RunId, until: EventsRequest["until"]): Promise<boolean> {
  if (until === "now" || until === "aborted") return until === "now";
  const summary = await store.runById(run);
  return until === "over" ? summary?.endedAt !== null : summary?.status !== "running";
}

/** A token lets its owner report for an agent, and a definition is long: `pawl workflow show` prints it. */
type Hidden = "token" | "definition";

/** What is left of each type of event. It must fit its contract, or this file does not compile. */
type ShownEvent<Each extends Event = Event> = Each extends Event
  ? Omit<Each, Hidden | "at"> & { readonly seq: number; readonly at: string }
  : never;

/** As a program reads it: camelCase, an ISO time, no tokens. */
export function eventDocument({ seq, event }: { readonly seq: number; readonly event: Event }): EventDocument {
  const { at, type, author, story, ...rest } = event;
  const shown = Object.fromEntries(Object.entries(rest).filter(([key]) => key !== "token" && key !== "definition"));
  return { seq, at: isoTime(at), type, author, story, ...shown } as ShownEvent;
}
