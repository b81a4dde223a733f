// The one stream of this browser. The tab that holds the lock reads what changed in any run and tells the other tabs; when it closes,
// the next one continues from what it has heard. A browser gives one origin six connections: a stream for each tab would use them up.

import { signal } from "@preact/signals";
import type { RunDigest } from "../../contracts/stream-documents.ts";
import { CallProblem, call } from "./calls.ts";
import { signIn } from "./sign-in.ts";

export type Line = "connecting" | "live" | "lost";

export const line = signal<Line>("connecting");
/** What the service said instead of a stream. Empty: it said nothing, or there is one. */
export const lineProblem = signal("");
/** When the service was last heard of, in milliseconds. */
export const heardAt = signal(Date.now());
/** Grows whenever something changed anywhere: what a page shows is read again. */
export const changes = signal(0);
/** The number of the last event of each run that changed while the page was open. */
export const seqOf = signal<ReadonlyMap<number, number>>(new Map());
/** The place of the last change that was heard of, among those of all runs. 0: none yet. */
export const heardPlace = signal(0);
/** This tab reads the stream. */
const isLeader = signal(false);

type Told = { readonly digests: readonly RunDigest[] } | { readonly line: Line } | { readonly ask: true };

const shortestWaitMs = 250;
const longestWaitMs = 8_000;
/** The service sends a sign of life every few seconds; a connection without one is gone. */
const silenceMs = 45_000;

const channel = new BroadcastChannel("pawl.changes");

export function followChanges(): void {
  channel.addEventListener("message", ({ data }: MessageEvent<Told>) => {
    if ("digests" in data) hear(data.digests);
    else if ("line" in data) setLine(data.line);
    else if (isLeader.value) channel.postMessage({ line: line.value } satisfies Told);
  });
  channel.postMessage({ ask: true } satisfies Told);
  void navigator.locks.request("pawl.changes", async () => {
    isLeader.value = true;
    for (let waitMs = shortestWaitMs; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
      if (signIn.value === "in" && (await readStream())) waitMs = shortestWaitMs;
      tell({ line: "lost" });
      await new Promise((resolve) => setTimeout(resolve, waitMs + Math.random() * shortestWaitMs));
    }
  });
}

/** Returns when the stream has ended; true: there was one. */
async function readStream(): Promise<boolean> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), silenceMs);
  let wasOpen = false;
  try {
    if (heardPlace.value === 0) heardPlace.value = await lastPlace();
    const answer = await call("/events", {
      headers: { accept: "text/event-stream", "last-event-id": String(heardPlace.value) },
      signal: silence.signal,
    });
    wasOpen = true;
    lineProblem.value = "";
    tell({ line: "live" });
    // What changed while nobody listened is read by every page itself.
    changes.value++;
    let rest = "";
    const text = (answer.body as ReadableStream<Uint8Array<ArrayBuffer>>).pipeThrough(new TextDecoderStream());
    for await (const piece of text) {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), silenceMs);
      const messages = (rest + piece).split("\n\n");
      rest = messages.pop() ?? "";
      heardAt.value = Date.now();
      const digests = messages.flatMap(digestIn);
      if (digests.length > 0) tell({ digests });
    }
  } catch (error) {
    // The loop says that the connection is lost, and tries again.
    lineProblem.value = error instanceof CallProblem && error.status > 0 ? error.message : "";
  } finally {
    clearTimeout(timer);
  }
  return wasOpen;
}

/** Only what happens from now on: what was before, the pages read. */
async function lastPlace(): Promise<number> {
  let after = 0;
  for (;;) {
    const page = (await (await call(`/events?after=${after}&limit=1000`, {})).json()) as { readonly next: number };
    if (page.next === after) return after;
    after = page.next;
  }
}

function digestIn(message: string): readonly RunDigest[] {
  const data = message
    .split("\n")
    .filter((each) => each.startsWith("data:"))
    .map((each) => each.slice(5).trimStart());
  if (data.length === 0) return [];
  try {
    const digest = JSON.parse(data.join("\n")) as RunDigest;
    return typeof digest.position === "number" ? [digest] : [];
  } catch {
    return [];
  }
}

function tell(told: Exclude<Told, { ask: true }>): void {
  if ("digests" in told) hear(told.digests);
  else setLine(told.line);
  channel.postMessage(told);
}

function setLine(next: Line): void {
  // A tab that only listens hears of a new connection by this.
  if (next === "live" && line.value !== "live") changes.value++;
  if (next === "live") heardAt.value = Date.now();
  line.value = next;
}

function hear(digests: readonly RunDigest[]): void {
  heardAt.value = Date.now();
  heardPlace.value = Math.max(heardPlace.value, ...digests.map(({ position }) => position));
  const next = new Map(seqOf.value);
  for (const { number, seq } of digests) next.set(number, seq);
  seqOf.value = next;
  changes.value++;
}
