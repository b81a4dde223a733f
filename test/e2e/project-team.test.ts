// A team of `pawl project` by the command line: a driver that is killed in the middle of its step, and the hooks of an Agent Team.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { teamProject } from "../support/agentic-team.ts";
import { expectCode, pawl, startPawl } from "../support/pawl.ts";
import { makeRepository, runGit, tempDir } from "../support/repository.ts";
import { until } from "../support/until.ts";

test("[TM6 D98 PT4] kill -9 during a team step: what a role wrote can be read, and only the other one works again", async () => {
  const { root, home, executor, control, does, sessions, read } = await teamProject("Coupons [L]");
  does("US-001_impl_frontend_1", `touch "${control}/hangs"; sleep 600`);
  const args = ["project", "continue", "--executor", executor];
  const driver = startPawl(args, { home, cwd: root });
  const ownHandoff = join(root, ".ai/handoffs/US-001/backend.md");
  await until(() => existsSync(join(control, "hangs")) && existsSync(ownHandoff));
  driver.child.kill("SIGKILL");
  await driver.ended;
  expect(readFileSync(ownHandoff, "utf8")).toContain("impl backend done");
  const again = await pawl(args, { home, cwd: root });
  expectCode(again, 0);
  expect(
    sessions()
      .filter((session) => session.includes("impl"))
      .toSorted(),
  ).toEqual(["US-001 impl backend 1", "US-001 impl frontend 1", "US-001 impl frontend 2"]);
  expect(runGit(root, "show", "HEAD:backend.go")).toBe("backend 1");
  expect(runGit(root, "show", "HEAD:frontend.ts")).toBe("frontend 2");
  expect(read(".ai/HANDOFF.md")).toContain("- backend: ✅ impl backend done\n- frontend: ✅ impl frontend done\n");
  expect(read(".ai/teams/US-001.jsonl")).toContain(
    '"event":"blocker","task_id":"US-001/impl/frontend/1","reason":"lost"',
  );
}, 180_000);

test("[TM11 D96] the hooks of an Agent Team: 2 with feedback on stderr where they block, 0 for everything else", async () => {
  const home = join(tempDir(), "home");
  const root = makeRepository({ "README.md": "x" });
  mkdirSync(join(root, ".ai/handoffs"), { recursive: true });
  const input = JSON.stringify({
    cwd: root,
    hook_event_name: "TeammateIdle",
    teammate_name: "backend",
    team_name: "t",
  });
  const idle = async (text: string) =>
    await pawl(["project", "hook", "teammate-idle"], { home, cwd: root, input: text });
  const blocked = await idle(input);
  expectCode(blocked, 2);
  expect([blocked.stdout, blocked.stderr]).toEqual(["", expect.stringContaining("Write .ai/handoffs/backend.md")]);
  writeFileSync(join(root, ".ai/handoffs/backend.md"), "done\n");
  expectCode(await idle(input), 0);
  expectCode(await idle("no JSON"), 0);
  expectCode(await pawl(["project", "hook", "task-completed"], { home, cwd: root, input }), 0);
  expectCode(await pawl(["project", "hook", root], { home, cwd: root }), 0);
}, 120_000);
