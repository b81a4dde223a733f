// Stories that a team works on, with real processes, real git and a real store.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { shortTable, type TeamProject, teamProject } from "../../../test/support/agentic-team.ts";
import { makeRepository, runGit, tempDir } from "../../../test/support/repository.ts";
import { readHandoff } from "../../protocols/agentic/handoff.ts";
import type { TeamEvent } from "../../protocols/agentic/team-log.ts";
import { packageFile } from "../../system/package-root.ts";
import { Application } from "../application.ts";
import { projectPrompt } from "./prompts.ts";
import { hookTeam } from "./team-hooks.ts";

const eventsOf = ({ read }: TeamProject) =>
  read(".ai/teams/US-001.jsonl")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as TeamEvent);

test("[TM2 TM5 TM6 TM7 D78 D79 D82 D83 D97 D98] a large story: two roles at once, one joined tree, one hand-off for the next step", async () => {
  const project = await teamProject("Coupons [L]");
  const wait = (other: string) =>
    `touch "${project.control}/at-$role"; while [ ! -e "${project.control}/at-${other}" ]; do sleep 0.05; done`;
  project.does("US-001_impl_backend_1", wait("frontend"));
  project.does("US-001_impl_frontend_1", `${wait("backend")}; open="DatePicker has a timezone issue"`);
  const { result } = await project.go();
  expect(result.type).toBe("done");
  expect(project.sessions().toSorted()).toEqual(["US-001 bdd 1", "US-001 impl backend 1", "US-001 impl frontend 1"]);
  expect(runGit(project.root, "show", "HEAD:backend.go")).toBe("backend 1");
  expect(runGit(project.root, "show", "HEAD:frontend.ts")).toBe("frontend 1");
  expect(runGit(project.root, "log", "--format=%s", "-1")).toBe("feat: US-001");

  const handoff = project.read(".ai/HANDOFF.md");
  expect(handoff).toContain(`# HANDOFF — US-001 impl (multi-executor session)

## Executor Progress
- backend: ✅ impl backend done
- frontend: ✅ impl frontend done

## File Conflict Log
- None

## Next session notes
- frontend: DatePicker has a timezone issue
`);
  expect(readHandoff(handoff)).toMatchObject({ story: "US-001", step: "impl", attempt: 1, status: "pass" });
  expect(project.read(".ai/handoffs/US-001.md")).toBe(handoff);
  expect(project.read(".ai/handoffs/US-001/frontend.md")).toContain("DatePicker has a timezone issue");

  const events = eventsOf(project);
  expect(events.map(({ event }) => event).toSorted()).toEqual([
    "task_assigned",
    "task_assigned",
    "task_done",
    "task_done",
  ]);
  expect(events.find((each) => each.event === "task_assigned" && each.role === "backend")).toMatchObject({
    task_id: "US-001/impl/backend/1",
    scoped_context: ["docs/sdd.md", ".ai/HANDOFF.md", ".ai/handoffs/backend.md"],
    instruction: "Do the backend part of this step: Make the tests pass",
  });
  expect(events.find((each) => each.event === "task_done" && each.task_id.includes("frontend"))).toMatchObject({
    status: "pass",
    files_changed: ["frontend.ts"],
    summary: "impl frontend done",
  });
  const backend = project.prompt("US-001_impl_backend_1");
  expect(backend).toContain("You are the backend executor for cart-app project US-001.");
  expect(backend).toContain("- docs/sdd.md\n- .ai/HANDOFF.md\n");
  expect(backend).toContain("Don't modify files of the others: frontend (*.ts)");
});

test("[TM2 TM1 D79] a small story, and a medium one with one [P], have one session; what bdd finds out makes a team", async () => {
  const small = await teamProject("Coupons [M] [P]");
  expect((await small.go()).result.type).toBe("done");
  expect(small.sessions()).toEqual(["US-001 bdd 1", "US-001 impl 1"]);
  expect(small.prompt("US-001_impl_1")).toMatch(/^.*You are executing step impl for US-001\./s);
  expect(existsSync(join(small.root, ".ai/teams"))).toBe(false);
  const grown = await teamProject("Coupons");
  grown.does("US-001_bdd_1", 'more="complexity: M\nparallel: 2"');
  expect((await grown.go()).result.type).toBe("done");
  expect(grown.sessions().toSorted()).toEqual(["US-001 bdd 1", "US-001 impl backend 1", "US-001 impl frontend 1"]);
});

test("[TM8 TM5 D82 D85] two roles that change one file: a conflict, and the later one works again on the joined files", async () => {
  const project = await teamProject("Coupons [L]");
  for (const role of ["backend", "frontend"])
    project.does(`US-001_impl_${role}_1`, `echo "by ${role}" > shared.txt; files="[shared.txt]"`);
  project.does("US-001_impl_frontend_2", 'echo "by frontend" >> shared.txt');
  expect((await project.go()).result.type).toBe("done");
  expect(project.sessions()).toHaveLength(4);
  expect(runGit(project.root, "show", "HEAD:shared.txt")).toBe("by backend\nby frontend");
  expect(project.prompt("US-001_impl_frontend_2")).toContain("changed, too: shared.txt");
  expect(eventsOf(project).filter(({ event }) => event === "conflict")).toMatchObject([
    { files: ["shared.txt"], description: expect.stringContaining("frontend changed what another role had changed") },
  ]);
  expect(project.read(".ai/HANDOFF.md")).toContain(
    "## File Conflict Log\n- shared.txt: frontend changed what another role had changed\n",
  );
});

test("[TM5 TM7 D83 PT5] a role that is not done: the step begins again with what all of them did", async () => {
  const project = await teamProject("Coupons [L]");
  project.does("US-001_impl_frontend_1", 'status=failing; summary="half of it"; open="timezones"');
  expect((await project.go()).result.type).toBe("done");
  expect(project.sessions().filter((session) => session.includes("impl"))).toHaveLength(4);
  expect(runGit(project.root, "show", "HEAD:backend.go")).toBe("backend 1\nbackend 2");
  const again = project.prompt("US-001_impl_frontend_2");
  expect(again).toContain("=== Previous Attempt ===");
  expect(again).toContain("half of it");
  expect(eventsOf(project)).toContainEqual(
    expect.objectContaining({ event: "task_done", task_id: "US-001/impl/frontend/1", status: "failing" }),
  );
});

test("[TM5 D82] a role that asks is a blocker, and the others go on", async () => {
  const project = await teamProject("Coupons [L]");
  project.does("US-001_impl_backend_1", 'status=needs_human; open="Which database?"');
  const { result } = await project.go();
  expect(result).toMatchObject({ type: "needs_human", message: expect.stringContaining("Which database?") });
  expect(eventsOf(project)).toContainEqual(
    expect.objectContaining({ event: "blocker", task_id: "US-001/impl/backend/1", reason: "needs_human" }),
  );
  expect(project.read(".ai/handoffs/US-001/frontend.md")).toContain("impl frontend done");
});

test("[TM12] where all work in one folder, one session performs the step", async () => {
  const project = await teamProject("Coupons [L]");
  expect((await project.go({ inPlace: true })).result.type).toBe("done");
  expect(project.sessions()).toEqual(["US-001 bdd 1", "US-001 impl 1"]);
});

test("[TM4 TM10 D95 D99] the prompts of a team, for a person who starts it by hand", async () => {
  const { app } = await teamProject("Coupons [L]");
  const of = async (role: string) => (await projectPrompt(app, { step: "impl", role })).prompt;
  expect(await of("backend")).toContain("You are the backend executor for cart-app project US-001.");
  expect(await of("lead")).toContain("=== Spawn prompt: frontend ===");
  expect(await of("nobody").catch((error: unknown) => error)).toMatchObject({
    code: "NOT_FOUND",
    hint: "there are: lead, backend, frontend",
  });
});

test("[TM10 D94] with agent_teams one session leads the team, with the variable that Claude Code needs", async () => {
  const project = await teamProject("Coupons [L]", `${shortTable}agent_teams: true\n`);
  project.does("US-001_impl_lead_1", `echo "$CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS" > "${project.control}/flag"`);
  expect((await project.go()).result.type).toBe("done");
  expect(project.sessions()).toEqual(["US-001 bdd 1", "US-001 impl lead 1"]);
  expect(readFileSync(join(project.control, "flag"), "utf8")).toBe("1\n");
  expect(project.prompt("US-001_impl_lead_1")).toContain("Work in delegate mode");
  expect(project.read(".ai/HANDOFF.md")).toContain("- impl lead done");
});

test("[TM9] rules that cannot be used stop the project before a run starts", async () => {
  const project = await teamProject("Coupons [L]");
  writeFileSync(join(project.root, ".ai/step-rules.yaml"), "dispatch_mode: { M: sometimes }\n");
  const refused = await project.go().catch((error: unknown) => error);
  expect(refused).toMatchObject({ problems: [{ path: "dispatch_mode.M", line: 1 }] });
  expect(project.sessions()).toEqual([]);
});

test("[TM11 D96] task-completed runs the check of the step at work, and keeps the task open where it fails", async () => {
  const rules = shortTable.replace(
    "    max_attempts: 3\n",
    "    max_attempts: 3\n    post_check: test -e lint-is-green\n",
  );
  const project = await teamProject("Coupons [L]", `${rules}agent_teams: true\n`);
  const input = (cwd: string) => JSON.stringify({ cwd, teammate_name: "backend", task_subject: "CouponRepository" });
  const said = (name: string) => readFileSync(join(project.control, name), "utf8");
  const program = `'${process.execPath}' '${packageFile("bin", "pawl")}'`;
  const hook = (name: string) =>
    `echo '${input("")}' | ${program} project hook task-completed . 2> "${project.control}/${name}"; echo "exit $?" >> "${project.control}/${name}"`;
  project.does("US-001_impl_lead_1", `${hook("red")}; touch lint-is-green; ${hook("green")}`);
  expect((await project.go()).result.type).toBe("done");
  expect(said("red")).toMatch(/^The task "CouponRepository" is not complete.*test -e lint-is-green.*\nexit 2\n$/s);
  expect(said("green")).toBe("exit 0\n");
  // Without a session of Pawl there is nothing at work here any more.
  expect(await hookTeam(project.app, "task-completed", input(project.root), undefined)).toMatchObject({
    blocks: false,
  });
});

test.each([
  ["no file of the team", null, null, true, "Write .ai/handoffs/backend.md"],
  ["its hand-off", null, "done", false, ""],
  ["a task of its own", "- [ ] [P] backend: write it\n- [ ] [P] frontend: show it", "done", true, "- write it"],
  ["a task of nobody", "- [x] [P] backend: write it\n- [ ] [P] take this", "done", true, "- take this"],
  ["a task of another role", "- [x] [P] backend: write it\n- [ ] [P] frontend: show it", "done", false, ""],
  ["a task that waits for others", "- [ ] backend: later", "done", false, ""],
])("[TM11 D96 D98] teammate-idle with %s", async (_, tasks, handoff, blocks, words) => {
  const folder = makeRepository({ "README.md": "x" });
  mkdirSync(join(folder, ".ai/handoffs"), { recursive: true });
  if (tasks !== null) writeFileSync(join(folder, ".ai/TASKS.md"), tasks);
  if (handoff !== null) writeFileSync(join(folder, ".ai/handoffs/backend.md"), handoff);
  const app = new Application({ cwd: folder, env: { ...process.env, PAWL_HOME: join(tempDir(), "home") } });
  onTestFinished(async () => await app.close());
  const input = JSON.stringify({ cwd: folder, teammate_name: "backend", hook_event_name: "TeammateIdle" });
  const hooked = await hookTeam(app, "teammate-idle", input, undefined);
  expect(hooked.blocks).toBe(blocks);
  expect(hooked.feedback).toContain(words);
  expect(await hookTeam(app, "teammate-idle", "not JSON", folder)).toMatchObject({ blocks: false });
});
