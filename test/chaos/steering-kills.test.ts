// Processes that are killed by SIGKILL while a person drops a story, a program sends a signal, and a hook runs: each is done once or
// not at all, and the run then ends as it would have. Each moment is a fact that an agent or the store tells, not a time.

import type { ChildProcess } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { campaignMs } from "../support/patience.ts";
import { expectCode, newSite, type Site, writeAt } from "../support/pawl.ts";
import { runGit } from "../support/repository.ts";
import { until } from "../support/until.ts";

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await ended;
}

async function countOf(site: Site, ...types: readonly string[]): Promise<readonly number[]> {
  const events = await site.events();
  return types.map((type) => events.filter((event) => event.type === type).length);
}

const pidIn = (file: string) => Number(readFileSync(file, "utf8"));
const isGone = (pid: number) => {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
};

const stories = JSON.stringify(
  ["US-1", "US-2"].map((id) => ({ id, title: id, description: "d", acceptanceCriteria: ["a"] })),
);

const body = `pawl: 1
id: dropped
agents: { worker: {} }
steps:
  - { id: plan, agent: worker, input: "{{task}}" }
  - id: all
    stories: { workspace: worktree, concurrency: 1 }
    body:
      - { id: code, agent: worker, input: "{{current_story}}" }
      - { id: look, agent: worker, input: "{{current_story}}" }
      - { id: land, integrate: {} }
`;

test("[DP2 DP5 RC42] a driver that is killed while a dropped story's agent is being stopped: the story ends once, as dropped", {
  timeout: campaignMs,
}, async () => {
  const site = newSite();
  // The first story's agent does not end when it is asked to.
  const agent = writeAt(
    site,
    "agent.sh",
    `if [ "$PAWL_STEP" = plan ]; then echo 'STORIES_JSON: ${stories}'; echo STATUS: done; exit; fi
echo "$PAWL_STORY $PAWL_STEP" >> "$PAWL_SHARED/begun"
if [ "$PAWL_STEP" = code ]; then
  echo "$PAWL_STORY" > "$PAWL_STORY.txt"; git add -A; git -c user.name=a -c user.email=a@b commit -qm "$PAWL_STORY"
elif [ "$PAWL_STORY" = US-1 ]; then
  trap '' TERM INT HUP; echo $$ > "$PAWL_SHARED/pid.new"; mv "$PAWL_SHARED/pid.new" "$PAWL_SHARED/pid"
  while :; do sleep 0.05; done
fi
echo STATUS: done`,
  );
  const driver = site.start("run", writeAt(site, "dropped.yml", body), "Do it", "--executor", `command: sh ${agent}`);
  const pidFile = join(site.home, "pid");
  await until(() => existsSync(pidFile));
  const pid = pidIn(pidFile);
  expectCode(await site.pawl("story", "drop", "1", "US-1", "--as", "done"), 0);
  await kill(driver.child);
  expect(await countOf(site, "attempt_stopping")).toEqual([1]);
  await until(() => isGone(pid));
  // A second word about it changes nothing, whether the first one is through or not.
  expectCode(await site.pawl("story", "drop", "1", "US-1"), 6);
  expectCode(await site.pawl("resume", "1"), 0);
  const { stories: ended, run } = await site.status();
  expect([run.status, ended.map(({ status }) => status)]).toEqual(["done", ["done", "done"]]);
  expect(readFileSync(join(site.home, "begun"), "utf8")).toBe("US-1 code\nUS-1 look\nUS-2 code\nUS-2 look\n");
  expect(runGit(site.repo, "ls-tree", "-r", "--name-only", "main").split("\n")).toEqual(["README.md", "US-2.txt"]);
  expect(runGit(site.repo, "log", "-1", "--format=%s", "pawl/US-1")).toBe("US-1");
});

const signalled = `pawl: 1
id: signalled
agents: { worker: {} }
steps:
  - { id: first, signal: go, produces: [one] }
  - { id: second, signal: go, produces: [two] }
  - { id: tell, command: 'echo "$ROUND" >> "$OUT"', env: { ROUND: "{{two}}", OUT: "{{out}}" } }
`;

test("[SG2 SG3 RC42] a sender and a driver that are killed around a signal: it is there once or not at all, and one step takes it", {
  timeout: campaignMs,
}, async () => {
  const site = newSite();
  const out = site.path("told");
  const args = ["--context", `out=${out}`, "--executor", "command: true"];
  expectCode(await site.pawl("run", writeAt(site, "signalled.yml", signalled), "Do it", ...args), 3);
  // Killed as early as its log shows nothing, and as soon as it shows something: then it must have been the whole.
  for (let round = 1; (await countOf(site, "signal_taken"))[0] === 0; round += 1) {
    const sender = site.start("signal", "1", "go", `{"one": "${round}", "two": "${round}"}`);
    if (round % 2 === 0)
      await until(async () => (await countOf(site, "signal_received"))[0] !== 0 || sender.child.exitCode !== null);
    await kill(sender.child);
  }
  expect(await countOf(site, "signal_received", "signal_taken")).toEqual([1, 1]);
  expect((await site.status()).steps.map(({ status }) => status)).toEqual(["done", "held", "waiting"]);
  expectCode(await site.pawl("signal", "1", "go", '{"one": "last", "two": "last"}'), 0);
  // The driver is killed as soon as its command has begun: what it wrote is there, and the signals are not taken again.
  const driver = site.start("resume", "1");
  await until(() => existsSync(out) || driver.child.exitCode !== null);
  await kill(driver.child);
  if ((await site.status()).run.status === "running") expectCode(await site.pawl("resume", "1"), 0);
  expect((await site.status()).run.status).toBe("done");
  expect(await countOf(site, "signal_received", "signal_taken")).toEqual([2, 2]);
  expect(new Set(readFileSync(out, "utf8").trim().split("\n"))).toEqual(new Set(["last"]));
});

const worked = `pawl: 1
id: worked
agents: { worker: {} }
steps:
  - { id: work, agent: worker, input: "{{task}}" }
`;

test("[HK1 HK2 HK3 RC42] a driver that is killed in each hook: the hook's processes are gone, and the agent's work counts once", {
  timeout: campaignMs,
}, async () => {
  const site = newSite();
  const held = (name: string) => join(site.home, `hold-${name}`);
  const pidOf = (name: string) => join(site.home, `pid-${name}`);
  /** A hook that works as long as its file is there. */
  const hook = (name: string) =>
    `echo ${name} >> ${site.home}/diary; if [ -e ${held(name)} ]; then echo $$ > ${pidOf(name)}.new; mv ${pidOf(name)}.new ${pidOf(name)}; while :; do sleep 0.05; done; fi`;
  const names = ["before_run", "after_run", "before_remove"];
  const hooks = names.map((name) => `    ${name}: [${JSON.stringify(hook(name))}]\n`).join("");
  writeAt(site, "home/config.yml", `workspace:\n  hooks:\n${hooks}`);
  const agent = writeAt(
    site,
    "agent.sh",
    `echo agent >> ${site.home}/diary; echo work > work.txt; git add -A
git -c user.name=a -c user.email=a@b commit -qm work; echo STATUS: done`,
  );
  for (const name of names) writeFileSync(held(name), "");
  const killedIn = async (name: string, child: ChildProcess) => {
    await until(() => existsSync(pidOf(name)));
    const pid = pidIn(pidOf(name));
    await kill(child);
    await until(() => isGone(pid));
    rmSync(held(name));
  };
  const run = ["run", writeAt(site, "worked.yml", worked), "Do it", "--executor", `command: sh ${agent}`];
  await killedIn("before_run", site.start(...run).child);
  expect(readFileSync(join(site.home, "diary"), "utf8")).toBe("before_run\n");
  await killedIn("after_run", site.start("resume", "1").child);
  await killedIn("before_remove", site.start("resume", "1").child);
  await site.pawl("runs");
  await until(async () => (await site.status()).run.status === "done");
  const diary = readFileSync(join(site.home, "diary"), "utf8").trim().split("\n");
  expect(diary.filter((line) => line === "agent")).toEqual(["agent"]);
  expect(diary.at(-1)).toBe("before_remove");
  expect(runGit(site.repo, "log", "--format=%s", "pawl/1-do-it")).toBe("work\nfirst");
});
