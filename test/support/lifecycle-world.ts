// A project with a `.workflow` folder and a real run of the bundled lifecycle in it. Its skills are one program that records what it
// was called with, writes the artifacts of its stage, and does what the test says for that stage.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { configuredExecutors, openApp } from "../../src/app.ts";
import type { RunId } from "../../src/domain/ids.ts";
import type { RunStatus, WaitsLevel } from "../../src/domain/run.ts";
import type { SessionDocument } from "../../src/protocols/lifecycle/session/session-document.ts";
import { makeSessionFolder, type SessionFolder } from "../../src/protocols/lifecycle/session/session-folder.ts";
import { plainProject } from "../../src/runtime/config/config.ts";
import type { Parts } from "../../src/runtime/parts.ts";
import { beginRun } from "../../src/runtime/runs/start.ts";
import { openWorkflow } from "../../src/runtime/runs/workflow-library.ts";
import { transition } from "../../src/runtime/transition/transition.ts";
import { packageFile } from "../../src/system/package-root.ts";
import { makeWorld, type World } from "./world.ts";

/** `does` has a text for each stage: JavaScript with `session`, `results(text)` and `say(text)`. */
const skill = `
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
const [home] = process.argv.slice(2);
const env = process.env;
const stage = env.PAWL_PART || env.PAWL_STEP;
const session = env.LIFECYCLE_SHARED_DIR;
const csv = env.LIFECYCLE_WAVE_CSV ? readFileSync(env.LIFECYCLE_WAVE_CSV, "utf8") : null;
const call = env.LIFECYCLE_SPAWN_CALL ? JSON.parse(env.LIFECYCLE_SPAWN_CALL) : null;
appendFileSync(join(home, "performed"), JSON.stringify({ stage, csv, call }) + "\\n");
const artifact = (type, files) => {
  const dir = "20260503-" + type + "-P1-shop";
  mkdirSync(join(".workflow/scratch", dir), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(".workflow/scratch", dir, name), text);
  const state = JSON.parse(readFileSync(".workflow/state.json", "utf8"));
  state.artifacts.push({ type, milestone: "M1", phase: 1, status: "completed", path: dir });
  writeFileSync(".workflow/state.json", JSON.stringify(state));
};
if (stage === "analyze") artifact("analyze", { "context.md": "# Context\\n## Gaps\\n- no cart\\n- no till\\n" });
if (stage === "plan") artifact("plan", { "plan.json": '{"tasks": [1, 2, 3]}' });
if (stage === "execute") artifact("execute", { "results.csv": "id,status\\n1,completed\\n2,failed\\n" });
if (stage === "verify") artifact("verify", { "verification.json": '{"passed": true, "gaps": []}' });
const results = (text) => writeFileSync(env.LIFECYCLE_WAVE_RESULTS, text);
let said = "SUMMARY: " + stage + " went well\\nSTATUS: done";
const say = (text) => { said = text; };
const does = join(home, "does", stage);
if (existsSync(does)) await new Function("session", "results", "say", "fs", "env", "return (async () => {" + readFileSync(does, "utf8") + "})()")(
  session, results, say, await import("node:fs"), env);
console.log(said);
`;

export interface Performed {
  readonly stage: string;
  readonly csv: string | null;
  readonly call: Readonly<Record<string, unknown>> | null;
}

export interface LifecycleWorld {
  readonly world: World;
  readonly parts: Parts;
  readonly session: SessionFolder;
  readonly warnings: readonly string[];
  /** What the skill of a stage does besides its work. */
  does(stage: string, script: string): void;
  begin(options?: { readonly waits?: WaitsLevel; readonly executor?: string }): Promise<RunId>;
  drive(run: RunId): Promise<RunStatus>;
  answer(run: RunId, option: string): Promise<void>;
  performed(): readonly Performed[];
  status(): SessionDocument;
}

/** `change`: what another table of stages has in the place of the bundled one. */
export async function makeLifecycleWorld(
  artifacts: readonly unknown[] = [],
  change: (text: string) => string = (text) => text,
): Promise<LifecycleWorld> {
  const world = await makeWorld();
  const file = join(world.dir, "stages", "workflow.yml");
  mkdirSync(dirname(file), { recursive: true });
  const bundled = readFileSync(packageFile("workflows/lifecycle/workflow.yml"), "utf8");
  writeFileSync(file, change(bundled.replace(/^ {4}files: .*\n/gm, "")));
  const agent = join(world.dir, "skill.mjs");
  writeFileSync(agent, skill);
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(world.repo, name)), { recursive: true });
    writeFileSync(join(world.repo, name), text);
  };
  const milestones = [{ id: "M1", name: "First", status: "active", phases: [1] }];
  write(".workflow/roadmap.md", "# Roadmap\n");
  write(".workflow/state.json", JSON.stringify({ current_milestone: "M1", milestones, artifacts }));
  const session = makeSessionFolder(world.repo, new Date(2026, 4, 6, 13, 12, 26));
  const warnings: string[] = [];
  const parts = await openApp({
    home: world.home,
    store: null,
    executors: configuredExecutors(world.config),
    log: () => undefined,
    warn: (text) => void warnings.push(text),
  });
  onTestFinished(async () => {
    await parts.projections.close();
    await parts.store.close();
  });
  return {
    world,
    parts,
    session,
    warnings,
    does(stage, script) {
      mkdirSync(join(world.dir, "does"), { recursive: true });
      writeFileSync(join(world.dir, "does", stage), script);
    },
    async begin({ waits = "marked", executor = `command: node ${agent} ${world.dir}` } = {}) {
      const { run } = await beginRun(parts, {
        workflow: openWorkflow(world.home, file, parts.protocols),
        task: 'a "shop", with tea',
        repo: world.repo,
        base: null,
        inPlace: true,
        context: {},
        executor,
        waits,
        author: "test",
        tighten: (definition) => definition,
        project: plainProject,
        given: { stories: [], adopted: [], source: null, shared: session.dir },
      });
      return run;
    },
    async drive(run) {
      const status = await world.drive(run, { parts });
      await parts.projections.of((await world.run(run)).header)?.flush();
      return status;
    },
    async answer(run, option) {
      const { header, stories } = await world.run(run);
      const gate = [header, ...Object.values(stories)]
        .flatMap(({ gates }) => gates)
        .find(({ state }) => state.status === "open");
      if (!gate) throw new Error("nothing is asked");
      const { id, story, tree } = gate;
      const at = parts.clock.now();
      await transition(parts, run, {
        type: "answer_gate",
        at,
        author: "test",
        story,
        gate: id,
        option,
        note: "",
        tree,
      });
    },
    performed() {
      const record = join(world.dir, "performed");
      const lines = existsSync(record) ? readFileSync(record, "utf8").trim().split("\n") : [];
      return lines.map((line) => JSON.parse(line) as Performed);
    },
    status: () => JSON.parse(readFileSync(session.status, "utf8")) as SessionDocument,
  };
}
