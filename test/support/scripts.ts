// Scripts for the scripted agent, for tests: stories, plans, and the ordinary answers of every role.

import type { Act, Script } from "../../src/executors/script.ts";
import type { Site } from "./pawl.ts";
import { writeAt } from "./pawl.ts";

export type Acts = Script["steps"];

export interface PlannedStory {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly acceptanceCriteria: readonly string[];
}

export function story(id: string, title = `Title of ${id}`): PlannedStory {
  return { id, title, description: `What ${id} is about.`, acceptanceCriteria: [`${id} works`, "Typecheck passes"] };
}

/** A planner's reply. */
export function plan(stories: unknown, keys = ""): string {
  return `STATUS: done\n${keys}STORIES_JSON: ${JSON.stringify(stories)}`;
}

export const done = "STATUS: done";

/** What a developer does with a story: a file, a commit, a line in the log. */
export function implementing(more: Partial<Act> = {}): Act {
  return {
    write: { "{{story}}.txt": "work on {{story}}, attempt {{attempt}}\n" },
    append: { "{{progress_file}}": "## {{story}}: {{title}}\n- entry of {{story}} in {{run}}\n---\n" },
    commit: "feat: {{story}} - {{title}}",
    say: "STATUS: done\nCHANGES: the work on {{story}}\nTESTS: tests of {{story}}",
    ...more,
  };
}

/** Every role of feature-dev succeeds at once. */
export function featureScript(stories: readonly PlannedStory[], changes: Acts = {}): Acts {
  return {
    plan: [{ say: plan(stories) }],
    implement: [implementing()],
    verify: [{ say: "STATUS: done\nVERIFIED: looked at it" }],
    test: [{ say: "STATUS: done\nRESULTS: all green" }],
    pr: [{ say: "STATUS: done\nPR: https://example.invalid/pull/1" }],
    review: [{ say: "STATUS: done\nDECISION: approved" }],
    ...changes,
  };
}

/** Writes JSON, which is valid YAML. */
export function writeScript(site: Site, steps: Acts, name = "script.yml"): string {
  return writeAt(site, name, JSON.stringify({ steps }, null, 2));
}
