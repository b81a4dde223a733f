// What is too large to show at once: a change with a file of 50 MB and 3,000 others, a workflow of 300 steps, and a run of 500 stories.

import { openWorkflow } from "../../../src/runtime/runs/workflow-library.ts";
import { expectCode, newSite, type Site, writeAt } from "../../support/pawl.ts";
import { chainOf, completed, startOf, storyOf } from "../../support/sample-runs.ts";
import { writeScript } from "../../support/scripts.ts";
import { reporting, wide } from "./long-log.ts";
import { makeLog, storeLog } from "./made-log.ts";
import { type ServedWorld, type ServeOptions, serveHome } from "./served.ts";

export interface BigWorld extends ServedWorld {
  readonly site: Site;
  /** The numbers of its runs. `change` asks at a gate; `steps` and `stories` stand in their middle. */
  readonly runs: Readonly<Record<"change" | "steps" | "stories", number>>;
}

export interface BigOptions extends ServeOptions {
  readonly bytes?: number;
  readonly files?: number;
  readonly steps?: number;
  readonly stories?: number;
}

export async function bigWorld(options: BigOptions = {}): Promise<BigWorld> {
  const { bytes = 50_000_000, files = 3_000, steps = 300, stories = 500, ...serving } = options;
  const site = newSite();
  const workflow = `pawl: 1
id: large-change
agents: { worker: {} }
steps:
  - { id: work, agent: worker, input: "{{task}}" }
  - { id: look, gate: "Is all of this right?", options: { approve: next, reject: { back_to: work } } }
`;
  const script = writeScript(site, {
    work: [
      {
        run: [`sh '${writeAt(site, "files.sh", filesScript(bytes, files))}'`],
        commit: "Generate",
        say: "STATUS: done",
      },
    ],
  });
  const words = ["run", writeAt(site, "large-change.yml", workflow), "Generate the client", "--script", script];
  expectCode(await site.pawl(...words), 3);
  const world = await serveHome(site.home, serving);
  const { definition } = openWorkflow(world.app.home, "feature-dev", world.app.protocols);
  const at = Date.now() - 3_600_000;
  const chain = makeLog({
    start: startOf(wide(chainOf(steps, "many-steps")), { at, task: "Walk a long way" }),
    report: () => completed(),
    events: steps * 2,
  });
  const plan = Array.from({ length: stories }, (_, index) => storyOf(`US-${String(index + 1).padStart(4, "0")}`));
  const board = makeLog({
    start: startOf(wide(definition), { at, task: "Translate every page" }),
    report: (step, story, dice) =>
      step.name === "plan" ? completed({ stories: plan }) : reporting(stories)(step, story, dice),
    events: stories * 10,
  });
  return {
    ...world,
    site,
    runs: { change: 1, steps: await storeLog(world.app, chain), stories: await storeLog(world.app, board) },
  };
}

/** One file of many lines, and many files of a few. */
function filesScript(bytes: number, files: number): string {
  const line = "a line of a generated file, as wide as most are, 0123456789";
  return `set -e
yes '${line}' | head -c ${bytes} > large.txt
mkdir -p generated
awk 'BEGIN { for (n = 1; n <= ${files}; n++) { f = "generated/file-" n ".ts"; print "export const n = " n ";" > f; print "// ${line}" > f; close(f) } }'
`;
}
