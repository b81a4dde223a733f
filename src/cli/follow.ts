// Following. Owns: looking at a run again and again until it is over.

import type { RunId } from "../domain/ids.ts";
import { Wake } from "../runtime/loop/wake.ts";
import type { Parts } from "../runtime/parts.ts";

const lookAgainMs = 1_000;

export async function followRun(parts: Parts, run: RunId, look: () => Promise<void>): Promise<void> {
  const wake = new Wake();
  const watching = parts.store.watch(() => wake.up());
  try {
    for (;;) {
      wake.reset();
      const summary = await parts.store.runById(run);
      await look();
      if (!summary || summary.endedAt !== null) return;
      await wake.wait(lookAgainMs);
    }
  } finally {
    watching.close();
  }
}
