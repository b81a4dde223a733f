// Cycles. Owns: finding stories that wait for each other.

import type { StoryId } from "../domain/ids.ts";
import type { StorySpec } from "../domain/story.ts";

/** The ids along the first cycle, its first id repeated at the end; null when every story can have its turn. */
export function findCycle(stories: readonly Pick<StorySpec, "id" | "dependsOn">[]): readonly StoryId[] | null {
  const dependencies = new Map(stories.map(({ id, dependsOn }) => [id, dependsOn]));
  const finished = new Set<StoryId>();
  const path: StoryId[] = [];

  const visit = (id: StoryId): readonly StoryId[] | null => {
    if (finished.has(id)) return null;
    const seenAt = path.indexOf(id);
    if (seenAt >= 0) return [...path.slice(seenAt), id];
    path.push(id);
    for (const next of dependencies.get(id) ?? []) {
      const cycle = visit(next);
      if (cycle) return cycle;
    }
    path.pop();
    finished.add(id);
    return null;
  };

  for (const { id } of stories) {
    const cycle = visit(id);
    if (cycle) return cycle;
  }
  return null;
}
