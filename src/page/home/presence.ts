// Whether a person is looking. Owns: keeping in this browser how far they have seen what happens, on every page: what happens in front
// of them is not news.

import { effect, signal } from "@preact/signals";
import type { RunDigest } from "../../contracts/stream-documents.ts";
import { CallProblem, get } from "../api/calls.ts";
import { heardPlace } from "../api/changes.ts";
import { signIn } from "../api/sign-in.ts";
import { arrived, isAway, joined, lookedAt, type Stay, stayIn, takenNote } from "./stay.ts";

export interface DigestPage {
  readonly events: readonly RunDigest[];
  readonly next: number;
}

/** Null: it is not known yet. */
export const stay = signal<Stay | null>(null);

const key = "pawl.stay";
/** A page that was visible for this long has been seen. */
const lookMs = 4_000;
const pageSize = 1_000;

/** Null: the page cannot be seen. */
let visibleSince: number | null = null;
/** The last place when somebody came. */
let lastPlace = 0;

export function followPresence(): void {
  effect(() => {
    if (signIn.value === "in") void arrive();
  });
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") void arrive();
    else leave();
  });
  addEventListener("pagehide", leave);
  setInterval(look, lookMs);
}

export function markAsSeen(): void {
  if (stay.value !== null) keep(takenNote(stay.value, Date.now()));
}

async function arrive(): Promise<void> {
  if (document.visibilityState !== "visible") return;
  visibleSince = Date.now();
  const kept = stayIn(localStorage.getItem(key));
  const last = await readLast(kept?.seen ?? 0);
  if (last === null) return;
  lastPlace = last;
  stay.value = arrived(kept, last, Date.now());
}

function leave(): void {
  look();
  visibleSince = null;
}

function look(): void {
  const current = stay.value;
  const now = Date.now();
  if (current === null || visibleSince === null || now - visibleSince < lookMs) return;
  // The machine has slept: nobody saw what happened meanwhile.
  if (isAway(Math.max(current.at, visibleSince), now)) void arrive();
  else keep(lookedAt(current, Math.max(lastPlace, heardPlace.value), now));
}

function keep(next: Stay): void {
  const whole = joined(next, stayIn(localStorage.getItem(key)));
  localStorage.setItem(key, JSON.stringify(whole));
  stay.value = whole;
}

/** `seen`: a place that was the last one once. A store where it is not is another one. Null: the service did not say. */
async function readLast(seen: number): Promise<number | null> {
  const read = async (after: number) => (await get<DigestPage>(`/events?after=${after}&limit=${pageSize}`)).next;
  try {
    const before = Math.max(0, seen - 1);
    let place = (await read(before)) === before ? 0 : before;
    for (let next = await read(place); next !== place; next = await read(place)) place = next;
    return place;
  } catch (error) {
    if (error instanceof CallProblem) return null;
    throw error;
  }
}
