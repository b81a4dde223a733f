// Full disks while a guest works and hands its work over.

import { execFileSync } from "node:child_process";
import { closeSync, cpSync, existsSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, type TestContext, test } from "vitest";
import { startGuest } from "../support/machines.ts";
import { expectCode, newSite, pawl, type StatusDocument, startPawl, writeAt } from "../support/pawl.ts";
import { onPostgres, postgresAddress } from "../support/postgres.ts";
import { runGit } from "../support/repository.ts";
import { until } from "../support/until.ts";

onPostgres();

interface SmallDisk {
  fill(): void;
  free(): void;
}

/** Mounts a small disk at `path`, which keeps what it has. */
function smallDisk(context: TestContext, path: string): SmallDisk {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const before = `${path}.before`;
  cpSync(path, before, { recursive: true });
  try {
    execFileSync("/bin/mount", ["-t", "tmpfs", "-o", "size=24m,mode=700", "pawl-test", path], { stdio: "ignore" });
  } catch {
    context.skip("a small disk cannot be mounted here");
  }
  onTestFinished(() => void execFileSync("/bin/umount", ["-l", path]));
  cpSync(before, path, { recursive: true });
  const ballast = join(path, "ballast");
  return {
    fill() {
      const handle = openSync(ballast, "w");
      for (let size = 1024 * 1024; size >= 1; size = Math.floor(size / 2)) while (takes(handle, size));
      closeSync(handle);
    },
    free: () => rmSync(ballast),
  };
}

function takes(handle: number, size: number): boolean {
  try {
    return writeSync(handle, Buffer.alloc(size)) > 0;
  } catch {
    return false;
  }
}

/** A story of two steps on a guest. The agent of the first has finished its files when `isWritten`, and ends after `go`. */
async function storyOnGuest(context: TestContext, small: "two" | "repo" | "home/logs", config: string) {
  const site = newSite();
  const env = { PAWL_STORE: postgresAddress() };
  const call = async (...words: readonly string[]) => await pawl(words, { home: site.home, cwd: site.repo, env });
  const statusOf = async () => JSON.parse((await call("status", "1", "--json")).stdout) as StatusDocument;
  expectCode(await call("runs"), 0);
  const disk = smallDisk(context, site.path(small));
  const host = startPawl(["worker", "--json"], { home: site.home, cwd: site.repo, env: { ...env, PAWL_LOG: "json" } });
  onTestFinished(async () => {
    host.child.kill("SIGKILL");
    await host.ended;
  });
  await until(() => host.stdout().includes("\n"));
  const planned = [{ id: "US-1", title: "A file", description: "A file.", acceptanceCriteria: ["It is there."] }];
  const workflow = `pawl: 1
id: far
agents: { planner: {}, coder: {} }
steps:
  - { id: plan, agent: planner, input: "plan", produces: [stories] }
  - id: each
    stories: { workspace: worktree }
    body:
      - { id: code, agent: coder, input: "code", labels: [of-two], on_error: fail }
      - { id: more, agent: coder, input: "more", labels: [of-two], on_error: fail }
      - { id: land, integrate: {} }
`;
  const agent = `case $PAWL_STEP in
plan) echo 'STORIES_JSON: ${JSON.stringify(planned)}';;
code) head -c 1000000 /dev/urandom > large; touch "${site.path("written")}"; until [ -e "${site.path("go")}" ]; do sleep 0.05; done; echo "one line";;
more) [ -s large ] || exit 1; echo more > more;;
esac
echo "$PAWL_STEP" >> "${site.path("performed")}"
echo "STATUS: done"
`;
  const words = [
    writeAt(site, "far.yml", workflow),
    "do it",
    "--executor",
    `command: sh ${writeAt(site, "a.sh", agent)}`,
  ];
  expectCode(await call("run", ...words, "--detach"), 0);
  const two = await startGuest({ site, env, name: "two", config });
  const isWritten = () => existsSync(site.path("written"));
  const go = () => writeFileSync(site.path("go"), "");
  /** It is done, each step was performed once, and the base has all of it. */
  const expectDone = async () => {
    await until(async () => (await statusOf()).run.status !== "running");
    expect((await statusOf()).run.status).toBe("done");
    const files = runGit(site.repo, "ls-tree", "--name-only", "HEAD").trim().split("\n");
    expect(files).toEqual(["README.md", "large", "more"]);
    const ends = (await call("events", "1", "--json")).stdout
      .split("\n")
      .filter((line) => line.includes('"attempt_ended"'));
    expect(ends.filter((line) => !line.includes('"outcome":"completed"'))).toEqual([]);
    expect(ends).toHaveLength(4);
  };
  return { site, call, disk, host, two, isWritten, go, expectDone };
}

const plenty = "workspace: { min_free: 0 }\n";

const fullDisks = [
  ["the guest", "two", /the work of US-1 waits to be handed over: the disk is full; free some disk space/],
  ["the repository of the run", "repo", /waits to be handed over: \S+ has no disk space left: free some there/],
] as const;
for (const [whose, small, says] of fullDisks)
  test(`[WK84] the disk of ${whose} is full when a guest hands over: the work waits, the guest says what to do, and all goes on when there is space`, async (context) => {
    const { disk, two, isWritten, go, expectDone } = await storyOnGuest(context, small, plenty);
    await until(isWritten);
    disk.fill();
    go();
    await until(() => says.test(two.stderr()));
    disk.free();
    await expectDone();
    expect(two.child.exitCode).toBe(null);
  });

test("[WK82] the disk of the host is full when the log of a guest comes: it is written once there is space", async (context) => {
  const { call, disk, host, isWritten, go, expectDone } = await storyOnGuest(context, "home/logs", plenty);
  await until(isWritten);
  disk.fill();
  go();
  await until(() => host.stderr().includes('"log.not_received"'));
  disk.free();
  await expectDone();
  const lines = async () =>
    (await call("logs", "1", "--raw")).stdout.split("\n").filter((line) => line.endsWith("one line"));
  await until(async () => (await lines()).length > 0);
  expect(await lines()).toHaveLength(1);
});

test("[WK85] a guest whose disk has less space than is wanted says so, and takes no new story", async (context) => {
  const { two, isWritten } = await storyOnGuest(context, "two", "workspace: { min_free: 1GB }\n");
  await until(() => two.stderr().includes("(workspace.min_free): no new story begins"));
  expect(isWritten()).toBe(false);
});
