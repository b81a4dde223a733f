// A world for all tests of a file: made before the first one and closed after the last.

import { afterAll, beforeAll, inject } from "vitest";
import type { ServedWorld } from "./worlds/served.ts";

/** Where there is no browser, no world is made: every test is skipped. */
export function sharedWorld<W extends Pick<ServedWorld, "close">>(make: () => Promise<W>): () => W {
  let world: W | null = null;
  beforeAll(async () => {
    if (inject("browser").why === null) world = await make();
  });
  afterAll(async () => await world?.close());
  return () => {
    if (world === null) throw new Error("the world is made before the first test, and not outside of tests");
    return world;
  };
}
