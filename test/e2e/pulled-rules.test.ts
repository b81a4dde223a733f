// Agents that pull obey the same rules as agents that Pawl starts. One process claims, another reports.

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { expectCode, newSite, pawl, type Site, writeAt } from "../support/pawl.ts";
import { claim, complete, fail, perform } from "../support/pulling.ts";
import { runGit, writeFiles } from "../support/repository.ts";
import { done, plan, story } from "../support/scripts.ts";

async function begin(site: Site, workflow: string): Promise<void> {
  expectCode(await site.pawl("run", writeAt(site, "workflow.yml", workflow), "the task", "--detach"), 0);
}

/** What an agent does in its tree. */
function work(tree: string, commands: string): void {
  execFileSync("sh", ["-ec", `git config user.name A; git config user.email a@example.invalid; ${commands}`], {
    cwd: tree,
  });
}

const judged = `pawl: 1
id: judged
agents: { dev: {}, judge: { access: read } }
workspace: { uncommitted: keep }
steps:
  - { id: work, agent: dev, input: "work" }
  - { id: judge, agent: judge, input: "judge", on_error: { again, at_most: 1, then: fail } }
`;

const nasty = {
  "changes a file": ["echo worse > work.txt", "work.txt"],
  "writes another file": ["echo new > new.txt", "new.txt"],
  commits: ["echo more > more.txt; git add more.txt; git commit --quiet -m fixed", "more.txt"],
  "moves the branch": ["git commit --quiet --allow-empty -m empty", "commits or what is staged"],
} as const;

test.each(Object.entries(nasty))(
  "[PF13 PF10] a judge that pulls and %s has failed, and the tree is as it was",
  async (_, [does, named]) => {
    const site = newSite();
    await begin(site, judged);
    const developer = await claim(site, "judged/dev");
    const tree = join(site.home, "worktrees", developer.runId);
    work(tree, "echo work > work.txt; git add .; git commit --quiet -m work; echo loose > loose.txt");
    await complete(site, developer, done);
    const judge = await claim(site, "judged/judge");
    work(tree, does);
    const reported = await complete(site, judge, done);
    expect(reported).toMatchObject({ accepted: true, advanced: false, runDone: false, outcome: "failed" });
    expect(reported.why).toContain(`it may only read, and it changed the tree: ${named}; that was put back`);
    expect(runGit(tree, "log", "--format=%s", "-1")).toBe("work");
    expect(runGit(tree, "status", "--porcelain")).toBe("?? loose.txt");
    expect(await perform(site, "judged/judge", done)).toMatchObject({ attempt: 2, reported: { runDone: true } });
  },
);

test("[PF13 PF10] the tree of a judge that pulls, changes it and then fails is put back, too", async () => {
  const site = newSite();
  await begin(site, judged);
  await perform(site, "judged/dev", done);
  const judge = await claim(site, "judged/judge");
  const tree = join(site.home, "worktrees", judge.runId);
  work(tree, "echo new > new.txt");
  expect(await fail(site, judge, "no idea")).toMatchObject({ outcome: "failed", why: "no idea" });
  expect(existsSync(join(tree, "new.txt"))).toBe(false);
});

const parallel = `pawl: 1
id: trees
agents: { planner: { }, dev: { } }
steps:
  - { id: plan, agent: planner, input: "{{task}}" }
  - id: build
    stories: { concurrency: 2, workspace: worktree }
    body:
      - id: code
        agent: dev
        input: "{{repo}}"
        checks: ['echo "slot=$PAWL_SLOT port=$PAWL_PORT ports=$PAWL_PORTS db=$DATABASE_URL" > "$(dirname "$PWD")/../seen"; test -n "$PAWL_PORT"']
        on: { rejected: { again, at_most: 1 } }
      - { id: integrate, integrate: true }
`;

test("[PF13 PF8] a pulled story's tree is set up as its repository says, and its checks get the slot's ports and variables", async () => {
  const site = newSite();
  writeFiles(site.repo, {
    ".pawl/config.yml":
      'workspace: { setup: ["touch made"], ports: 2, env: { DATABASE_URL: "postgres://localhost/app_{{slot}}" } }\n',
  });
  await begin(site, parallel);
  await perform(site, "trees/planner", plan([story("US-001")]));
  const coder = await claim(site, "trees/dev");
  const tree = coder.input.trim();
  expect(existsSync(join(tree, "made"))).toBe(true);
  work(tree, "echo a > a.txt; git add a.txt; git commit --quiet -m a");
  // An agent may call it from any directory.
  expect(await complete(site, coder, done)).toMatchObject({ accepted: true, advanced: true, outcome: "completed" });
  const { ports } = JSON.parse(readFileSync(`${tree}.slot.json`, "utf8")) as { ports: readonly number[] };
  expect(ports).toHaveLength(2);
  expect(readFileSync(join(site.home, "seen"), "utf8")).toBe(
    `slot=1 port=${ports[0]} ports=${ports.join(",")} db=postgres://localhost/app_1\n`,
  );
});

test("[PF13 PF7] if the setup of a tree fails for an agent that pulls, the attempt fails with the reason, until its limit is reached", async () => {
  const site = newSite();
  // The planner works in the run's own tree, which has no number.
  const setup = "case $PWD in *-1) echo no compiler; exit 3;; esac";
  writeFiles(site.repo, { ".pawl/config.yml": `workspace: { setup: ["${setup}"] }\n` });
  await begin(site, parallel.replace("        on: {", "        on_error: { again, at_most: 1 }\n        on: {"));
  await perform(site, "trees/planner", plan([story("US-001")]));
  for (const status of ["running", "failed"]) {
    const refused = await site.pawl("step", "claim", "trees/dev");
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain("no compiler");
    expect((await site.status()).run.status).toBe(status);
  }
  expect(await site.pawl("step", "claim", "trees/dev")).toMatchObject({ code: 0, stdout: '{"found":false}\n' });
});

const loose = `pawl: 1
id: loose
agents: { dev: {} }
workspace: { on_failure: reset }
steps:
  - { id: work, agent: dev, input: "{{task}} {{nobody_sets_this}}", on_error: { again, at_most: 3 } }
`;

test("[PF13 CM25] a pulled attempt reports what its prompt lacked, has a log, and its start and end are log events", async () => {
  const site = newSite();
  await begin(site, loose);
  const listening = { home: site.home, env: { PAWL_LOG: "json" } };
  const claimed = await pawl(["step", "claim", "loose/dev"], listening);
  const { stepId, runId } = JSON.parse(claimed.stdout) as { stepId: string; runId: string };
  const reported = await pawl(["step", "complete", stepId], { ...listening, input: done });
  const words = [claimed, reported].flatMap(({ stderr }) =>
    stderr.split("\n").flatMap((line) => (line.startsWith("{") ? [(JSON.parse(line) as { event: string }).event] : [])),
  );
  expect(words).toEqual(["step_started", "step_completed"]);
  const ended = (await site.events()).find(({ type }) => type === "attempt_ended");
  expect(JSON.stringify(ended)).toContain("the prompt names {{nobody_sets_this}}");
  expect(readFileSync(join(site.home, "logs", runId, "run-work-1.log"), "utf8")).toContain(done);
  expect(readdirSync(join(site.home, "logs", runId)).toSorted()).toEqual(["run-work-1.log", "run-work-1.prompt.md"]);
});

test("[PF13] a pulled attempt that fails where failures start fresh has its work saved and removed at once", async () => {
  const site = newSite();
  await begin(site, loose);
  const first = await claim(site, "loose/dev");
  const tree = join(site.home, "worktrees", first.runId);
  work(tree, "echo half > half.txt");
  expect(await fail(site, first, "no disk")).toMatchObject({ accepted: true, outcome: "failed", why: "no disk" });
  expect(existsSync(join(tree, "half.txt"))).toBe(false);
  expect(readFileSync(join(site.home, "salvage", first.runId, "run-work-1.diff"), "utf8")).toContain("half");
  const log = readFileSync(join(site.home, "logs", first.runId, "run-work-1.log"), "utf8");
  expect(log).toContain("no disk");
});

test("[PF14] of two simultaneous reports on one pulled attempt, the second waits, is refused, and touches nothing", async () => {
  const site = newSite();
  const slow = loose.replace("on_error:", 'checks: ["echo check >> ../../checks; sleep 2"], on_error:');
  await begin(site, slow);
  const { stepId } = await claim(site, "loose/dev");
  const [one, two] = await Promise.all([complete(site, { stepId }, done), complete(site, { stepId }, done)]);
  expect([one, two].filter(({ accepted }) => accepted)).toHaveLength(1);
  expect(readFileSync(join(site.home, "checks"), "utf8")).toBe("check\n");
});

test("[PF14] a report with a wrong token changes nothing in the tree and waits for no other report", async () => {
  const site = newSite();
  await begin(site, loose);
  const { stepId, runId } = await claim(site, "loose/dev");
  const file = join(site.home, "worktrees", runId, "mine.txt");
  writeFileSync(file, "mine\n");
  const foreign = await site.pawl("step", "fail", stepId, "--token", "not-mine", "sabotage");
  expect(foreign.code).toBe(6);
  expect(readFileSync(file, "utf8")).toBe("mine\n");
});

test("[PF13 PF20 PF21] a judge that pulls is told what it may do, and what its tools leave behind does no harm", async () => {
  const site = newSite();
  await begin(site, judged);
  await perform(site, "judged/dev", done);
  const judge = await claim(site, "judged/judge");
  expect(judge.input).toContain("You may only read.");
  const { run } = await site.status("1");
  work(join(site.home, "worktrees", run.id), "mkdir coverage; echo x > coverage/lcov.info");
  expect(await complete(site, judge, done)).toMatchObject({ accepted: true, advanced: true, runDone: true });
  const { steps } = await site.status("1");
  expect(steps[1]?.notes).toEqual(["what tools left behind was removed: coverage/lcov.info"]);
});
