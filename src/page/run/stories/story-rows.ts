// Stories as rows: where each stands, what it waits for, and what shows that its criteria are met.

import { type Attempt, hasEnded } from "../../../domain/attempt.ts";
import type { Event } from "../../../domain/event.ts";
import type { Run } from "../../../domain/run.ts";
import type { StoryEntry, StorySpec } from "../../../domain/story.ts";
import { costOf } from "../../parts/cost-text.ts";

export interface StoryRow {
  readonly entry: StoryEntry;
  readonly spec: StorySpec | null;
  /** The step that it is at; empty: none. */
  readonly at: string;
  /** Stories that are not done and that it needs. */
  readonly waitsFor: readonly { readonly id: string; readonly title: string }[];
  readonly attempts: number;
  readonly rejections: number;
  /** In words. */
  readonly cost: string;
  /** All of them, in their order. */
  readonly tries: readonly {
    readonly attempt: string;
    readonly step: string;
    readonly number: number;
    readonly end: string;
  }[];
  readonly ms: number;
  /** What its steps said at their ends, the newest first. */
  readonly evidence: readonly { readonly step: string; readonly said: string; readonly attempt: string }[];
  /** The outputs of its steps, by their keys. */
  readonly outputs: readonly { readonly key: string; readonly value: string }[];
  /** What kept it from its end; empty: nothing did. */
  readonly reason: string;
}

export function storyRows(run: Run, events: readonly Event[], now: number): readonly StoryRow[] {
  const specs = new Map<string, StorySpec>();
  const reasons = new Map<string, string>();
  for (const event of events) {
    if (event.type === "stories_planned") for (const spec of event.stories) specs.set(spec.id, spec);
    if (event.type === "story_changed") reasons.set(event.of, event.reason);
  }
  const entries = new Map(run.header.stories.map((entry) => [entry.id as string, entry]));
  return run.header.stories.map((entry) => {
    const story = Object.values(run.stories).find(({ id }) => id === entry.id);
    const attempts = story?.attempts ?? [];
    const step = story?.chain.find(({ state }) => state.status !== "done" && state.status !== "skipped");
    return {
      entry,
      spec: specs.get(entry.id) ?? null,
      at: step?.id ?? "",
      waitsFor: entry.dependsOn
        .filter((id) => entries.get(id)?.status !== "done")
        .map((id) => ({ id, title: entries.get(id)?.title ?? "" })),
      attempts: attempts.length,
      rejections: attempts.filter((each) => hasEnded(each) && each.state.verdict?.kind === "rejected").length,
      cost: costOf(attempts),
      tries: attempts.map((each) => ({ attempt: each.id, step: each.name, number: each.number, end: endOf(each) })),
      ms: attempts.reduce((sum, each) => sum + (hasEnded(each) ? each.state.endedAt : now) - each.startedAt, 0),
      evidence: (story?.chain ?? []).flatMap(({ id, notes }) => {
        const last = attempts.findLast((each) => each.step === id);
        return notes === undefined || notes === "" || last === undefined
          ? []
          : [{ step: id, said: notes, attempt: last.id }];
      }),
      outputs: Object.entries(story?.context ?? {}).map(([key, value]) => ({ key, value })),
      reason: reasons.get(entry.id) ?? "",
    };
  });
}

/** With the reason of one that did not pass. */
function endOf(attempt: Attempt): string {
  if (!hasEnded(attempt)) return "running";
  const { outcome, verdict, why } = attempt.state;
  const word = outcome !== "completed" ? outcome.replace("_", " ") : (verdict?.kind ?? "");
  return word === "passed" || why === "" ? word : `${word}: ${why}`;
}
