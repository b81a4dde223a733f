// Integrated commits. Owns: which commit has the work of each story of a run, as its log says. The marks that git keeps go when a run is
// done, and a branch goes on.

import type { AttemptId, RunId, StoryId } from "../../domain/ids.ts";
import type { Store } from "../../store/store.ts";

const batch = 1_000;

/** In the order of their integration. The id may be short: the log of an earlier version has it only in words. */
export async function integratedCommits(
  store: Pick<Store, "events">,
  run: RunId,
): Promise<ReadonlyMap<StoryId, string>> {
  const found = new Map<StoryId, string>();
  const integrations = new Set<AttemptId>();
  for (let after = 0; ; ) {
    const stored = await store.events(run, after, batch);
    for (const { event } of stored) {
      if (event.type === "attempt_dispatched" && event.executor === "integrate") integrations.add(event.attempt);
      if (event.type !== "attempt_ended" || event.story === null || !integrations.has(event.attempt)) continue;
      const fact = event.facts?.["integrated"];
      const commit = typeof fact === "string" ? fact : /^([0-9a-f]{12}) on /.exec(event.notes[0] ?? "")?.[1];
      if (commit === undefined) continue;
      found.delete(event.story);
      found.set(event.story, commit);
    }
    const last = stored.at(-1);
    if (last === undefined) return found;
    after = last.seq;
  }
}
