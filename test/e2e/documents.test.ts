// Documents and their contracts. Calls every command that has `--json` and checks what it prints against its contract. The documents
// that other tests read are checked, too, where they are read (`site.json`, `site.events`).

import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { contracts } from "../../src/contracts/contracts.ts";
import { lifecycleProject } from "../support/lifecycle-project.ts";
import { eventLines, expectCode, newSite, type Site, writeAt } from "../support/pawl.ts";
import { prdSite } from "../support/prd.ts";
import { done, featureScript, story, writeScript } from "../support/scripts.ts";
import { loopWorkflow } from "../support/workflows.ts";

const asking = `
pawl: 1
id: asking
agents: { worker: {} }
steps:
  - { id: work, agent: worker, input: "{{task}}" }
  - { id: look, gate: "Is this right?", options: { approve: next, reject: fail } }
  - { id: ship, agent: worker, input: "ship it", on_error: fail }
`;

/** The names of the contracts that a document was checked against. */
const met = new Set<string>();

/** Calls a command with `--json`; its document must fit the contract of that name. */
async function expectContract(site: Site, name: string, args: readonly string[], code = 0): Promise<void> {
  const called = await site.pawl(...args, "--json");
  expectCode(called, code);
  const { error } = (contracts[name] as (typeof contracts)[string]).schema.safeParse(JSON.parse(called.stdout));
  expect({ command: args.join(" "), problem: error?.message ?? null }).toEqual({
    command: args.join(" "),
    problem: null,
  });
  met.add(name);
}

test("[LB1 LB3 CM2] a run with a question, from its start to its end: every document fits its contract", async () => {
  const site = newSite();
  const work = { work: [{ say: done }], ship: [{ exit: 1, say: "no" }] };
  const [file, script] = [writeAt(site, "asking.yml", asking), writeScript(site, work)];
  await expectContract(site, "runs", ["runs"]);
  await expectContract(site, "error", ["status", "9"], 5);
  await expectContract(site, "status", ["run", file, "Do it", "--script", script], 3);
  await expectContract(site, "started", ["run", file, "Do it later", "--script", script, "--detach"]);
  await expectContract(site, "gates", ["gates"]);
  await expectContract(site, "why", ["why", "1"]);
  const waiting =
    "pawl: 1\nid: waiting\nagents: { worker: {} }\nsteps: [{ id: wait, signal: go }, { id: b, signal: go }]\n";
  const waits = writeAt(site, "waiting.yml", waiting);
  await expectContract(site, "started", ["run", waits, "Wait", "--script", script, "--detach"]);
  await expectContract(site, "signal", ["signal", "3", "go"]);
  await expectContract(site, "dropped", ["step", "drop", "3", "b"]);
  await expectContract(site, "run", ["pause", "1"]);
  await expectContract(site, "note", ["note", "1", "be", "brief"]);
  await expectContract(site, "caps", ["cap", "1", "--attempts", "20000", "--wall", "40d"]);
  await expectContract(site, "answer", ["approve", "1", "--note", "fine"]);
  await expectContract(site, "status", ["resume", "1"], 1);
  await expectContract(site, "run", ["retry", "1"]);
  await expectContract(site, "run", ["cancel", "1"]);
  await expectContract(site, "status", ["status", "1"]);
  await expectContract(site, "runs", ["runs"]);
  await expectContract(site, "logs", ["logs", "1"]);
  await expectContract(site, "watch", ["watch"]);
  await expectContract(site, "cost", ["cost", "1"]);
  await expectContract(site, "costs", ["cost"]);
  const events = await site.events("1");
  expect(new Set(events.map(({ type }) => type)).size).toBeGreaterThan(15);
  const driven = await site.pawl("resume", "2", "--events");
  expect(eventLines(driven.stdout).length).toBeGreaterThan(3);
  met.add("event");
});

test("[LB1 LB3 CM2] stories, agents that pull, and workflow files: every document fits its contract", async () => {
  const site = newSite();
  const script = writeScript(site, featureScript([story("US-001")]));
  await expectContract(site, "workflows", ["workflow", "list"]);
  await expectContract(site, "workflow", ["workflow", "show", "feature-dev"]);
  await expectContract(site, "workflow", ["workflow", "show", "dynamic-ralph"]);
  await expectContract(site, "workflow-check", ["workflow", "check", "feature-dev"]);
  await expectContract(site, "workflow-check", ["workflow", "check", writeAt(site, "bad.yml", "id: x\n")], 2);
  await expectContract(site, "workflow-install", ["workflow", "install", "feature-dev"]);
  await expectContract(site, "workflow-uninstall", ["workflow", "uninstall", "feature-dev"]);
  await expectContract(site, "schedule", ["schedule", "add", "nightly-audit", "--executor", "command: cat"]);
  await expectContract(site, "schedules", ["schedule", "list"]);
  await expectContract(site, "schedule-removed", ["schedule", "remove", "nightly-audit"]);
  await expectContract(site, "simulation", [
    "workflow",
    "simulate",
    "feature-dev",
    "--script",
    script,
    "--answer",
    "pr=x",
  ]);
  await expectContract(site, "status", ["run", "feature-dev", "Do it", "--script", script]);
  await expectContract(site, "stories", ["stories", "1"]);
  await site.events("1");

  expectCode(await site.pawl("run", writeAt(site, "loop.yml", loopWorkflow), "the task", "--detach"), 0);
  await expectContract(site, "peek", ["step", "peek", "mini_planner"]);
  await expectContract(site, "claim", ["step", "claim", "mini_dev"]);
  const { stdout } = await site.pawl("step", "claim", "mini_planner", "--json");
  const claimed = JSON.parse(stdout) as { readonly stepId: string; readonly token: string };
  expect(contracts["claim"]?.schema.safeParse(claimed).error).toBeUndefined();
  const token = ["--token", claimed.token];
  await expectContract(site, "report", ["step", "complete", claimed.stepId, "STATUS: done", "--token", "no"], 6);
  await expectContract(site, "report", ["step", "fail", claimed.stepId, ...token, "no model"]);
  await expectContract(site, "claim", ["step", "claim", "mini_planner"]);
  await expectContract(site, "stopped-attempt", ["stop", "2", "--reason", "wrong task"]);
  await expectContract(site, "status", ["waits", "2", "all"]);
});

test("[LB1 LB3 CM2] a PRD and its steps, and the state of this machine: every document fits its contract", async () => {
  const site = prdSite([{ id: "A" }]);
  await expectContract(site, "prd-check", ["prd", "check", site.prd]);
  await expectContract(site, "status", ["prd", "run", site.prd, "--executor", site.executor]);
  await expectContract(site, "prd-done", ["prd", "run", site.prd, "--executor", site.executor]);
  await expectContract(site, "edit", ["edit", "1", "--story", "A"]);
  await expectContract(site, "diff", ["diff", "1", "A"]);
  await expectContract(site, "revert", ["revert", "1", "A"]);
  await expectContract(site, "started", ["prd", "run", site.prd, "--executor", site.executor, "--detach"]);
  await expectContract(site, "story-plan", ["story", "add", "2", "--id", "B", "--title", "Sort"]);
  expectCode(await site.pawl("cancel", "2"), 0);
  await expectContract(site, "service-install", ["up", "--install"]);
  await expectContract(site, "service", ["up", "--background", "--port", "0"]);
  await expectContract(site, "opened-page", ["open", "--print"]);
  await expectContract(site, "service-stop", ["down"]);
  await expectContract(site, "worker", ["worker", "--drain"]);
  await expectContract(site, "workers", ["worker", "list"]);
  await expectContract(site, "scratch", ["scratch", "append", "All times are UTC"]);
  await site.events("1");
  await expectContract(site, "init", ["init", "--print"]);
  await expectContract(site, "executors", ["executor", "list"]);
  await expectContract(site, "executor-test", ["executor", "test", "command: echo STATUS: done"]);
  const recorded = writeAt(site, "stdout.jsonl", `${JSON.stringify({ type: "result", result: "hi" })}\n`);
  await expectContract(site, "executor-reading", ["executor", "read", "claude", recorded]);
  await expectContract(site, "doctor", ["doctor"]);
  await expectContract(site, "clean", ["clean", "--older", "0d", "--dry-run"]);
  await expectContract(site, "trust", ["trust", "--print"]);
  await expectContract(site, "token", ["token", "create", "--role", "operate", "--name", "ci", "--expires", "30d"]);
  await expectContract(site, "tokens", ["token", "list"]);
  await expectContract(site, "token-revoked", ["token", "revoke", "ci"]);
  await expectContract(site, "error", ["token", "revoke", "ci"], 5);
  await expectContract(site, "backup", ["store", "backup", site.path("copy.db")]);
  expect((await site.pawl("status", "1", "--store", `sqlite:${site.path("copy.db")}`)).stdout).toMatch(/^done, /m);
  await expectContract(site, "store-check", ["store", "check", `sqlite:${site.path("copy.db")}`]);
  await expectContract(site, "store-copy", [
    "store",
    "copy",
    `sqlite:${site.path("copy.db")}`,
    `sqlite:${site.path("moved.db")}`,
  ]);
  const again = await site.pawl("store", "backup", site.path("copy.db"));
  expect(again).toMatchObject({ code: 6, stderr: expect.stringContaining("a backup replaces no file") });
});

test("[LB1 CM2 LP7 LP8 LR7 E78] where a project stands, and what a result file says: both fit their contracts and change nothing", async () => {
  const site = newSite();
  await expectContract(site, "lifecycle-position", ["lifecycle", "position"]);
  const file = join(site.repo, "review.json");
  writeFileSync(file, '{"verdict": "BLOCK"}');
  await expectContract(site, "lifecycle-reading", ["lifecycle", "read", "review", file]);
  await expectContract(site, "lifecycle-reading", ["lifecycle", "read", "review", "missing.json"]);
  mkdirSync(join(site.repo, ".workflow"));
  writeFileSync(join(site.repo, ".workflow/state.json"), "[]");
  const refused = await site.pawl("lifecycle", "position");
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("E002") });
  expect(readdirSync(join(site.repo, ".workflow"))).toEqual(["state.json"]);
});

test("[LB1 CM2 LE4 LE13 LE15 E70] a session of a lifecycle, a skill at a time: every document fits its contract", async () => {
  const site = newSite();
  const { executor } = lifecycleProject();
  const by = ["--executor", executor];
  await expectContract(site, "lifecycle-session", ["lifecycle", "Build", "a", "shop", "--yes", ...by], 3);
  await expectContract(site, "lifecycle-session", ["lifecycle", "execute", "--dir", site.repo], 3);
  await expectContract(site, "lifecycle-session", ["lifecycle", "continue"], 3);
  await expectContract(site, "lifecycle-session", ["lifecycle", "status"]);
  await expectContract(site, "lifecycle-session", ["lifecycle"]);
  await expectContract(site, "skill-result", ["lifecycle", "perform", "quality-debug x", ...by]);
  await expectContract(site, "error", ["lifecycle", "execute", "--dir", site.home], 5);
});

test("[LB1 LB3 CM2 D87 D62] a project that works by files, a session at a time: every document fits its contract", async () => {
  const site = newSite();
  const project = (name: string, args: readonly string[], code = 0) =>
    expectContract(site, `project-${name}`, ["project", ...args], code);
  await project("init", ["init", "--level", "1"]);
  await project("stories", ["add", "US-001", "Put", "items", "into", "the", "cart"]);
  await project("status", ["status"]);
  await project("rules", ["rules"]);
  await project("budget", ["budget"]);
  await project("prompt", ["prompt", "--step", "impl"]);
  await project("dispatch", ["continue"]);
  await project("said", ["say", "status"]);
  await project("decided", ["note", "all", "times", "are", "UTC"]);
  const handOff = "---\nstory: US-001\nstep: bdd\nattempt: 1\nstatus: pass\n---\n";
  const file = join(site.repo, ".ai/HANDOFF.md");
  writeFileSync(file, handOff);
  await project("reading", ["read", file]);
  await project("hook", ["hook"]);
  await project("team-hook", ["hook", "task-completed"]);
  const { stdout } = await site.pawl("project", "status");
  expect(stdout).toContain("sdd-delta");
});

test("[LB2] `pawl schema` lists the documents with their version and prints each as JSON Schema", async () => {
  const site = newSite();
  await expectContract(site, "schemas", ["schema"]);
  const listed = await site.pawl("schema");
  expect(listed.stderr).toContain("Version 1");
  for (const name of Object.keys(contracts)) expect(listed.stdout).toMatch(new RegExp(`^${name} `, "m"));
  const printed = await site.pawl("schema", "event");
  expect(JSON.parse(printed.stdout)).toMatchObject({ $id: "pawl:1:event" });
  const unknown = await site.pawl("schema", "constructor");
  expect(unknown).toMatchObject({ code: 5, stderr: expect.stringContaining("there are: status, runs") });
});

test("[LB3] no contract is left out", () => {
  expect(Object.keys(contracts).filter((name) => !met.has(name))).toEqual([]);
});
