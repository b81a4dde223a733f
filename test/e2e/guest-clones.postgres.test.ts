// The clone of a guest is damaged while it works.

import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startGuest } from "../support/machines.ts";
import { expectCode, newSite, pawl, type StatusDocument, startPawl, writeAt } from "../support/pawl.ts";
import { onPostgres, postgresAddress } from "../support/postgres.ts";
import { runGit } from "../support/repository.ts";
import { until } from "../support/until.ts";

onPostgres();

/** As a disk leaves it that has lost the end of files. The repository shares them. */
function cutPacks(clone: string): void {
  const folder = join(clone, ".git", "objects", "pack");
  const packs = readdirSync(folder).filter((name) => name.endsWith(".pack"));
  expect(packs).not.toEqual([]);
  for (const pack of packs) {
    const bytes = readFileSync(join(folder, pack));
    rmSync(join(folder, pack));
    writeFileSync(join(folder, pack), bytes.subarray(0, bytes.length / 2));
  }
}

const damages: readonly (readonly [string, (clone: string) => void])[] = [
  ["a pack of its clone is cut off", cutPacks],
  ["HEAD of its clone is empty", (clone) => writeFileSync(join(clone, ".git", "HEAD"), "")],
  ["its clone is gone", (clone) => rmSync(clone, { recursive: true })],
  ["the configuration of its clone cannot be read", (clone) => writeFileSync(join(clone, ".git", "config"), "[[")],
];

/** A run of two stories of two steps, so many at once. Each step waits while there is a file of its name. */
async function storiesOnGuest(concurrency: number) {
  const site = newSite();
  runGit(site.repo, "gc", "--quiet");
  const env = { PAWL_STORE: postgresAddress() };
  const call = async (...words: readonly string[]) => await pawl(words, { home: site.home, cwd: site.repo, env });
  const statusOf = async () => JSON.parse((await call("status", "1", "--json")).stdout) as StatusDocument;
  const host = startPawl(["worker", "--json"], { home: site.home, cwd: site.repo, env });
  onTestFinished(async () => {
    host.child.kill("SIGKILL");
    await host.ended;
  });
  await until(() => host.stdout().includes("\n"));
  const planned = ["US-1", "US-2"].map((id) => ({
    id,
    title: id,
    description: id,
    acceptanceCriteria: ["It is there."],
  }));
  const workflow = `pawl: 1
id: far
agents: { planner: {}, coder: {} }
steps:
  - { id: plan, agent: planner, input: "plan", produces: [stories] }
  - id: each
    stories: { concurrency: ${concurrency}, workspace: worktree }
    body:
      - { id: code, agent: coder, input: "code", labels: [of-two] }
      - { id: more, agent: coder, input: "more", labels: [of-two], on_error: fail }
      - { id: land, integrate: {} }
`;
  const agent = `case $PAWL_STEP in
plan) echo 'STORIES_JSON: ${JSON.stringify(planned)}';;
*) touch "${site.path("began")}-$PAWL_STEP-$PAWL_STORY"
while [ -e "${site.path("hold")}-$PAWL_STEP-$PAWL_STORY" ]; do sleep 0.05; done
[ $PAWL_STEP = code ] || [ -e "code-$PAWL_STORY.txt" ] || exit 1
echo work > "$PAWL_STEP-$PAWL_STORY.txt";;
esac
echo "STATUS: done"
`;
  const words = [
    writeAt(site, "far.yml", workflow),
    "do it",
    "--executor",
    `command: sh ${writeAt(site, "a.sh", agent)}`,
  ];
  const hold = (step: string) => writeFileSync(site.path(`hold-${step}`), "");
  const letGo = (step: string) => rmSync(site.path(`hold-${step}`));
  const start = async (...held: readonly string[]) => {
    held.forEach(hold);
    expectCode(await call("run", ...words, "--detach"), 0);
    const two = await startGuest({ site, env, name: "two" }, "--slots", "2");
    await until(() => held.every((step) => existsSync(site.path(`began-${step}`))));
    const repositories = join(two.home, "repositories");
    const [clone = ""] = readdirSync(repositories);
    return { two, clone: join(repositories, clone) };
  };
  const expectDone = async () => {
    await until(async () => (await statusOf()).run.status !== "running");
    expect((await statusOf()).run.status).toBe("done");
    const files = runGit(site.repo, "ls-tree", "--name-only", "HEAD").trim().split("\n");
    expect(files).toEqual(["README.md", "code-US-1.txt", "code-US-2.txt", "more-US-1.txt", "more-US-2.txt"]);
  };
  return { call, start, letGo, expectDone };
}

test.each(damages)("[WK83] %s: a guest clones again, and no story fails", async (_, damage) => {
  const { call, start, letGo, expectDone } = await storiesOnGuest(1);
  const { two, clone } = await start("more-US-1");
  damage(clone);
  letGo("more-US-1");
  await expectDone();
  expect(two.stderr()).toContain(`is cloned again, and what was there is in ${clone}.damaged`);
  expect((await call("events", "1")).stdout).toMatch(/more lost: the clone \S+ is damaged/);
  expect(two.child.exitCode).toBe(null);
});

test("[WK83] a damaged clone is not put aside while another attempt of the guest works there", async () => {
  const { start, letGo, expectDone } = await storiesOnGuest(2);
  const { two, clone } = await start("more-US-1", "more-US-2");
  cutPacks(clone);
  letGo("more-US-1");
  await until(() => two.stderr().includes("clones it again when nothing works there"));
  expect(existsSync(`${clone}.damaged`)).toBe(false);
  letGo("more-US-2");
  await expectDone();
  expect(existsSync(`${clone}.damaged`)).toBe(true);
});
