// Events. Owns: the events of a run as an async iterator: what has happened, and on request what happens next.

import type { EventDocument } from "../contracts/events.ts";
import type { Event } from "../domain/event.ts";
import type { RunId } from "../domain/ids.ts";
import { Wake } from "../runtime/loop/wake.ts";
import { isoTime } from "../runtime/views/status.ts";
import type { StoredEvent } from "../store/store.ts";
import type { Application } from "./application.ts";
import { findRunOrNewest } from "./references.ts";

export interface EventsRequest {
  /** Only events with a larger number. */
  readonly after?: number | undefined;
  /** `now`: what has happened. `over`: until the run is over. `aborted`: until the signal. */
  readonly until?: "now" | "over" | "aborted" | undefined;
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
  const { after = 0, until = "now", signal } = request;
  let seen = after;
  for await (const _ of looks(app, id, until, signal)) {
    for (let isFull = true; isFull; ) {
      const found = await store.events(id, seen, batch);
      yield* found;
      seen = found.at(-1)?.seq ?? seen;
      isFull = found.length === batch;
    }
  }
}

/** Yields when there may be something new; the last time after the end. */
export async function* looks(
  app: Application,
  run: RunId,
  until: NonNullable<EventsRequest["until"]>,
  signal?: AbortSignal,
): AsyncGenerator<void, void, undefined> {
  if (until === "now") return yield;
  const { parts } = await app.read();
  const wake = new Wake();
  const up = () => wake.up();
  const listening = await app.onChange(up);
  signal?.addEventListener("abort", up);
  try {
    for (;;) {
      wake.reset();
      const summary = until === "over" ? await parts.store.runById(run) : null;
      const isOver = until === "over" && summary?.endedAt !== null;
      const isLast = isOver || (signal?.aborted ?? false);
      yield;
      if (isLast) return;
      await wake.wait(lookAgainMs);
    }
  } finally {
    signal?.removeEventListener("abort", up);
    listening.close();
  }
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
