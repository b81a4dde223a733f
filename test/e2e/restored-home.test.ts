// A home that was restored from a backup: it has no trees, and may be at another place.

import { cpSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { expectCode, newSite, pawl, type Site, startPawl, writeAt } from "../support/pawl.ts";
import { runGit } from "../support/repository.ts";
import { plan, story, writeScript } from "../support/scripts.ts";
import { until } from "../support/until.ts";

/** At another place and without trees, as from a backup. */
function restoreHome(site: Site) {
  const restored = site.path("restored");
  const isTree = (path: string) => path.startsWith(join(site.home, "worktrees"));
  cpSync(site.home, restored, { recursive: true, filter: (path) => !isTree(path) });
  rmSync(site.home, { recursive: true });
  return async (...words: readonly string[]) => await pawl(words, { home: restored, cwd: site.repo });
}

test("[SO122 GA4] a run continues from its branch in a home that was restored without trees, at another place", async () => {
  const site = newSite();
  const text = `
pawl: 1
id: reviewed
agents: { worker: {} }
steps: [{ id: work, agent: worker }, { id: look, gate: "Good?" }, { id: ship, agent: worker }]
`;
  const script = writeScript(site, {
    work: [{ write: { "a.txt": "1\n" }, commit: "work 1", say: "STATUS: done" }],
    ship: [{ say: "STATUS: done" }],
  });
  expectCode(await site.pawl("run", writeAt(site, "reviewed.yml", text), "Do it", "--script", script), 3);
  const there = restoreHome(site);
  expectCode(await there("approve", "1"), 0);
  expectCode(await there("resume", "1"), 0);
  const branches = runGit(site.repo, "for-each-ref", "--format=%(refname:short)", "refs/heads/pawl").trim();
  expect(branches).toBe("pawl/1-do-it");
  expect(runGit(site.repo, "log", "--format=%s", "-1", branches).trim()).toBe("work 1");
});

test("[SO122] where a person has that branch checked out, the run continues from there on another one", async () => {
  const site = newSite();
  const text =
    'pawl: 1\nid: two\nagents: { worker: {} }\nsteps: [{ id: work, agent: worker }, { id: look, gate: "Good?" }, { id: ship, agent: worker }]\n';
  const script = writeScript(site, {
    work: [{ write: { "a.txt": "1\n" }, commit: "work 1", say: "STATUS: done" }],
    ship: [{ write: { "b.txt": "1\n" }, commit: "ship 1", say: "STATUS: done" }],
  });
  expectCode(await site.pawl("run", writeAt(site, "two.yml", text), "Do it", "--script", script), 3);
  const there = restoreHome(site);
  runGit(site.repo, "worktree", "prune");
  runGit(site.repo, "checkout", "--quiet", "pawl/1-do-it");
  expectCode(await there("approve", "1"), 0);
  expectCode(await there("resume", "1"), 0);
  const subjects = (branch: string) => runGit(site.repo, "log", "--format=%s", "-2", branch).trim().split("\n");
  expect(subjects("pawl/1-do-it-2")).toEqual(["ship 1", "work 1"]);
  expect(subjects("pawl/1-do-it")[0]).toBe("work 1");
});

test("[SO122] so does a story with a tree of its own, whose driver was killed", async () => {
  const site = newSite();
  const [begun, hold] = [site.path("begun"), site.path("hold")];
  const agent = writeAt(
    site,
    "agent.sh",
    `case "$PAWL_STEP" in
plan) cat << 'EOF'
${plan([story("US-001")])}
EOF
;;
implement) echo made > made.txt && git add made.txt && git commit --quiet --message=made && echo "STATUS: done" ;;
check) touch ${begun}; while [ -e ${hold} ]; do sleep 0.1; done; test -f made.txt && echo "STATUS: done" ;;
esac
`,
  );
  const steps = [
    '{ id: plan, agent: worker, input: "{{task}}" }',
    "{ id: build, stories: { workspace: worktree }, body: [{ id: implement, agent: worker }, { id: check, agent: worker }, { id: integrate, integrate: true }] }",
  ];
  const file = writeAt(site, "apart.yml", `pawl: 1\nid: apart\nagents: { worker: {} }\nsteps: [${steps.join(", ")}]\n`);
  writeFileSync(hold, "");
  const words = ["run", file, "Do it", "--executor", `command: sh ${agent}`];
  const driver = startPawl(words, { home: site.home, cwd: site.repo });
  await until(() => existsSync(begun));
  driver.child.kill("SIGKILL");
  await driver.ended;
  const there = restoreHome(site);
  rmSync(hold);
  expectCode(await there("resume", "1"), 0);
  expect(runGit(site.repo, "show", "HEAD:made.txt")).toBe("made");
});
