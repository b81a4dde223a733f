// Documents of the API in a part of the page. Owns: reading one when it is first shown and again when something changed, and keeping
// what is there until the new one has come: nothing jumps.

import { type ReadonlySignal, type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { CallProblem, get } from "./calls.ts";
import { changes } from "./changes.ts";

export interface Loaded<T> {
  /** Null: nothing has come yet. */
  readonly document: T | null;
  /** Null: the last reading worked. */
  readonly problem: CallProblem | null;
}

/** Each reading at least this long after the one before: a busy run changes many times in a second. */
const pauseMs = 700;
/** What changes without an event of a run is looked at this often. */
const oftenMs = 20_000;

/** `path` null: nothing is read. It reads again on every change, or, with `once`, never. `often`: also as time passes. */
export function useDocument<T>(
  path: string | null,
  how: "live" | "once" | "often" = "live",
): ReadonlySignal<Loaded<T>> {
  const loaded = useSignal<Loaded<T>>({ document: null, problem: null });
  useEffect(() => {
    if (path === null) return undefined;
    loaded.value = { document: null, problem: null };
    return how === "once" ? readOnce(path, loaded) : readAgain(path, loaded, how === "often");
  }, [path, how]);
  return loaded;
}

function readOnce<T>(path: string, loaded: Signal<Loaded<T>>): () => void {
  const closing = new AbortController();
  void read(path, loaded, closing.signal);
  return () => closing.abort();
}

function readAgain<T>(path: string, loaded: Signal<Loaded<T>>, isOften: boolean): () => void {
  const closing = new AbortController();
  let isReading = false;
  let isWanted = false;
  const look = async () => {
    isWanted = true;
    if (isReading) return;
    isReading = true;
    while (isWanted && !closing.signal.aborted) {
      isWanted = false;
      await read(path, loaded, closing.signal);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    isReading = false;
  };
  const stop = changes.subscribe(() => void look());
  const timer = isOften ? setInterval(() => document.visibilityState === "visible" && void look(), oftenMs) : undefined;
  return () => {
    stop();
    clearInterval(timer);
    closing.abort();
  };
}

async function read<T>(path: string, loaded: Signal<Loaded<T>>, signal: AbortSignal): Promise<void> {
  try {
    const document = await get<T>(path, signal);
    if (!signal.aborted) loaded.value = { document, problem: null };
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof CallProblem)) throw error;
    loaded.value = { document: loaded.value.document, problem: error };
  }
}
