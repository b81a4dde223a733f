// A world whose runs work by the files of `.ai/`: a short table of steps, an executor that is a shell script, and the project's files.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { type RunId, storyId } from "../../src/domain/ids.ts";
import type { RunStatus } from "../../src/domain/run.ts";
import type { AdoptedStory, StorySpec } from "../../src/domain/story.ts";
import { plainProject } from "../../src/runtime/config/config.ts";
import { beginRun } from "../../src/runtime/runs/start.ts";
import { openWorkflow } from "../../src/runtime/runs/workflow-library.ts";
import { transition } from "../../src/runtime/transition/transition.ts";
import { makeWorld, type World } from "./world.ts";

/** Three steps of the table, a review among them. */
export const agenticWorkflow = `pawl: 1
id: agentic-short
protocol: agentic
agents: { executor: {} }
steps:
  - id: stories
    stories: { concurrency: 1, workspace: worktree }
    body:
      - id: bdd
        agent: executor
        input: "{{current_story_id}}"
        timeout: 5m
        budget: { at_most: 2, then: { gate: "Stuck." } }
        on: { rejected: again }
        on_error: { again, at_most: 2, then: gate }
      - id: review
        gate: "Review it?"
        options: { approve: next, reject: { back_to: bdd } }
      - id: impl
        agent: executor
        input: "{{current_story_id}}"
        timeout: 10m
        budget: { at_most: 2, then: { gate: "Stuck." } }
        on: { rejected: { default: again, needs_clarification: { back_to: review } } }
        on_error: { again, at_most: 2, then: gate }
      - { id: land, integrate: true, on_error: gate }
`;

export type StateFile = Readonly<Record<string, unknown>>;

export interface AgenticWorld {
  readonly world: World;
  /** `.ai/` of the project. */
  readonly ai: string;
  begin(stories?: readonly (string | StorySpec)[], adopted?: readonly AdoptedStory[]): Promise<RunId>;
  drive(run: RunId): Promise<RunStatus>;
  /** Answers the open gate of a story. */
  answer(run: RunId, story: string, option: string, note?: string): Promise<void>;
  read(file: string): string;
  write(file: string, text: string): void;
  has(file: string): boolean;
  state(file?: string): StateFile;
  /** A file that the agent wrote into `$seen`. */
  seen(name: string): string;
}

export const specOf = (id: string): StorySpec => ({
  id: storyId(id),
  title: `Story ${id}`,
  description: "",
  acceptanceCriteria: [],
  dependsOn: [],
});

/** `agent`: shell text. In it, `handoff STATUS [LINE…]` writes a hand-off for the current attempt; `$seen` is a folder. */
export async function makeAgenticWorld(agent: string, workflow = agenticWorkflow): Promise<AgenticWorld> {
  const drained = agent.includes("cat >") ? agent : `cat >/dev/null\n${agent}`;
  const world = await makeWorld({ agent: `${handoffFunction}\n${drained}` });
  const file = join(world.dir, "agentic.yml");
  writeFileSync(file, workflow);
  const ai = join(world.repo, ".ai");
  mkdirSync(ai);
  onTestFinished(() => world.parts.projections.close());
  return {
    world,
    ai,
    async begin(stories = ["US-001"], adopted = []) {
      const { run } = await beginRun(world.parts, {
        workflow: openWorkflow(world.home, file, world.parts.protocols),
        task: "do it",
        repo: world.repo,
        base: null,
        inPlace: false,
        context: {},
        executor: `command: sh ${join(world.dir, "agent.sh")}`,
        author: "test",
        tighten: (definition) => definition,
        project: plainProject,
        given: {
          stories: stories.map((each) => (typeof each === "string" ? specOf(each) : each)),
          adopted,
          source: null,
          shared: ai,
        },
      });
      return run;
    },
    async drive(run) {
      const status = await world.drive(run);
      await world.parts.projections.close();
      return status;
    },
    async answer(run, story, option, note = "") {
      const id = storyId(story);
      const gate = (await world.run(run)).stories[id]?.gates.findLast(({ state }) => state.status === "open");
      if (gate === undefined) throw new Error(`${story} has no open gate`);
      const { tree } = gate;
      const base = { type: "answer_gate", at: Date.now(), author: "test", story: id, note, tree } as const;
      await transition(world.parts, run, { ...base, gate: gate.id, option });
    },
    read: (name) => readFileSync(join(ai, name), "utf8"),
    write(name, text) {
      mkdirSync(dirname(join(ai, name)), { recursive: true });
      writeFileSync(join(ai, name), text);
    },
    has: (name) => existsSync(join(ai, name)),
    state: (name = "STATE.json") => JSON.parse(readFileSync(join(ai, name), "utf8")) as StateFile,
    seen: (name) => readFileSync(join(world.dir, "seen", name), "utf8"),
  };
}

const handoffFunction = `
seen=$(dirname "$0")/seen
mkdir -p "$seen"
handoff() {
  { printf -- '---\\nstory: %s\\nstep: %s\\nattempt: %s\\nstatus: %s\\n' "$PAWL_STORY" "$PAWL_STEP" "$PAWL_ATTEMPT" "$1"
    shift
    for line in "$@"; do printf '%s\\n' "$line"; done
    printf -- '---\\n# HANDOFF\\n## Not yet resolved\\n- a question\\n'
  } > .ai/HANDOFF.md
}`;
