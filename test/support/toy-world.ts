// A world whose runs have the toy protocol, or one that throws, and the warnings that people got.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { configuredExecutors, openApp } from "../../src/app.ts";
import type { RunId } from "../../src/domain/ids.ts";
import type { RunStatus } from "../../src/domain/run.ts";
import type { Protocol } from "../../src/protocols/protocol.ts";
import { plainProject } from "../../src/runtime/config/config.ts";
import type { Parts } from "../../src/runtime/parts.ts";
import { beginRun } from "../../src/runtime/runs/start.ts";
import { openWorkflow } from "../../src/runtime/runs/workflow-library.ts";
import { transition } from "../../src/runtime/transition/transition.ts";
import { toyWorkflow } from "./toy-protocol.ts";
import { makeWorld, type World } from "./world.ts";

/** Does its work, and requests in the first step to skip the second. */
const worker = `
if [ -z "\${TOY_SHARED_DIR:-}" ]; then echo STATUS: done; exit; fi
echo "$PAWL_STEP: $(cat TOY.md)" >> "$TOY_SHARED_DIR/seen"
printf '%s %s\\n' work "$PAWL_STEP" >> work.txt
if [ "$PAWL_STEP" = make ]; then
  echo '[{ "operation": "skip", "target_step_id": "polish", "reason": "it shines" }]' > toy-edits.json
fi
echo STATUS: done
`;

export interface ToyWorld {
  readonly world: World;
  readonly parts: Parts;
  /** The shared folder. */
  readonly folder: string;
  /** The warnings that people got, and the names of log events. */
  readonly warnings: string[];
  readonly logged: string[];
  /** With one story, or with the stories that the protocol itself provides. */
  begin(stories?: "given" | "planned", shared?: string): Promise<RunId>;
  drive(run: RunId): Promise<RunStatus>;
  /** Puts a failed run back and drives it. */
  retry(run: RunId): Promise<RunStatus>;
}

export async function makeToyWorld(
  protocol: Protocol,
  options: { agent?: string; workflow?: string; executor?: string; inPlace?: boolean } = {},
): Promise<ToyWorld> {
  const world = await makeWorld({ agent: options.agent ?? worker });
  const workflow = join(world.dir, "toy.yml");
  writeFileSync(workflow, options.workflow ?? toyWorkflow);
  const warnings: string[] = [];
  const logged: string[] = [];
  const parts = await openApp({
    home: world.home,
    store: null,
    executors: configuredExecutors(world.config),
    protocols: [protocol],
    log: (event) => void logged.push(event),
    warn: (text) => void warnings.push(text),
  });
  onTestFinished(async () => {
    await parts.projections.close();
    await parts.store.close();
  });
  const folder = join(world.repo, "toy-files");
  const drive = (run: RunId) => world.drive(run, { parts });
  return {
    world,
    parts,
    folder,
    warnings,
    logged,
    drive,
    async begin(planned = "given", shared = folder) {
      const stories = [{ id: "one" as never, title: "One", description: "", acceptanceCriteria: [], dependsOn: [] }];
      const { run } = await beginRun(parts, {
        workflow: openWorkflow(world.home, workflow, parts.protocols),
        task: "do it",
        repo: world.repo,
        base: null,
        inPlace: options.inPlace ?? false,
        context: {},
        executor: options.executor ?? `command: sh ${join(world.dir, "agent.sh")}`,
        author: "test",
        tighten: (definition) => definition,
        project: plainProject,
        ...(planned === "planned" ? {} : { given: { stories, adopted: [], source: null, shared } }),
      });
      return run;
    },
    async retry(run) {
      await transition(parts, run, {
        type: "retry_run",
        at: parts.clock.now(),
        author: "test",
        story: null,
        step: null,
      });
      return await drive(run);
    },
  };
}
