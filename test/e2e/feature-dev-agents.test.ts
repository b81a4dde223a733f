// All of feature-dev with each agent, as stub programs that are called, prompted and read as the real ones are. They run commands,
// commit, report by tools, and fix a story that was rejected. Rate limits and a stop in the middle are tested as well.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { project } from "../agents/model/feature-dev.ts";
import { limitMs, tokensOf, usdOfAnswer } from "../support/agent-voice.ts";
import { type EventDocument, eventLines, expectCode, type StatusDocument, statuses } from "../support/pawl.ts";
import { type PlayingSite, playingSite } from "../support/playing-agents.ts";
import { commitFile, log, runGit } from "../support/repository.ts";
import { until } from "../support/until.ts";

/** Those that report a cost, and one that reports only tokens. */
const agents = [
  { name: "claude", tellsMoney: true, version: "2.1.325" },
  { name: "codex", tellsMoney: false, version: "0.166.0" },
  { name: "opencode", tellsMoney: true, version: "1.18.33" },
  { name: "over-acp", tellsMoney: true, version: "9.9.9" },
] as const;

type AgentName = (typeof agents)[number]["name"];
const names: readonly AgentName[] = agents.map(({ name }) => name);

/** USD per million tokens. */
const prices = { codex: { input: 2, cached_input: 0.2, output: 10 } };

for (const { name, tellsMoney, version } of agents) {
  test(`[A87 EX30 EX31 EX11 EX87 PF12 MC1 CO2 CO7] ${name} works through feature-dev: plans, implements, is rejected, fixes it, and is approved`, async () => {
    const site = playingSite({}, { prices });
    commitFile(site.repo, "test.sh", project["test.sh"] ?? "");
    const called = await site.pawl("run", "feature-dev", "Two scripts that say hello", "--executor", name, "--json");
    expectCode(called, 0);
    const { run, steps, stories } = JSON.parse(called.stdout) as StatusDocument;
    expect(run.status).toBe("done");
    expect(statuses(steps)).toBe("plan:done,implement:done,test:done,pr:done,review:done");
    expect(stories.map(({ id, status, attempts }) => ({ id, status, attempts }))).toEqual([
      { id: "US-001", status: "done", attempts: 1 },
      { id: "US-002", status: "done", attempts: 2 },
    ]);
    expectTheWork(site, run.id, run.branch ?? "");
    expectTheirReports(site, run.id);
    await expectTheSums(site, run.usage, tellsMoney);

    const ends = await endsOf(site);
    expect(ends.map((end) => end["version"])).toEqual(ends.map(() => version));
    const sessions = ends.map(({ session }) => session);
    expect(sessions.filter((session) => !session)).toEqual([]);
    expect(new Set(sessions).size).toBe(10);
    // Each of them leaves a helper process running.
    for (const { notes } of ends) expect(notes).toEqual([expect.stringContaining("1 process")]);
    expect(site.left()).toEqual([]);
  });
}

/** On the branch of the run, each story once; nothing in the user's checkout, and no tree beside it. */
function expectTheWork(site: PlayingSite, run: string, branch: string): void {
  const { repo, home } = site;
  expect(log(repo, `main..${branch}`)).toEqual(["feat: US-002 - Greet a person", "feat: US-001 - Say hello"]);
  expect(runGit(repo, "show", `${branch}:greet.sh`)).toBe('echo "Hello, $1!"');
  expect(runGit(repo, "ls-tree", "-r", "--name-only", branch).split("\n")).toEqual([
    "README.md",
    "greet.sh",
    "hello.sh",
    "test.sh",
  ]);
  expect(runGit(repo, "status", "--porcelain")).toBe("");
  expect(runGit(repo, "worktree", "list").split("\n")).toHaveLength(1);
  expect(readdirSync(join(home, "worktrees"))).toEqual([]);
  const agentHome = join(home, "agents/feature-dev/developer");
  expect(existsSync(join(agentHome, `pr-${run}.md`))).toBe(true);
  expect(readFileSync(join(agentHome, "archive", run, "progress.txt"), "utf8")).toContain("US-002 was mended");
}

/** The plan and the three attempts on stories are reported by a tool; the other steps print their answers. */
function expectTheirReports(site: PlayingSite, run: string): void {
  const played = site.played();
  expect(played.map(({ moves }) => moves.filter((move) => move === "complete").length)).toEqual([
    1, 1, 0, 1, 0, 1, 0, 0, 0, 0,
  ]);
  const logOf = (name: string) => readFileSync(join(site.home, "logs", run, `${name}.log`), "utf8");
  for (const name of ["run-plan-1", "US-001-implement-1", "US-002-implement-2"])
    expect(logOf(name)).toMatch(/^\[pawl\] complete: /m);
  for (const name of ["US-002-verify-1", "run-review-1"]) expect(logOf(name)).not.toContain("[pawl] complete");

  // Each agent gets its role in its own way, and the feedback on the rejected story.
  for (const { told } of played) expect(told).toContain("Report by the tools of the MCP server `pawl`");
  expect(played[5]?.told).toContain("greet.sh must print `Hello, Ada!`");
  expect(played[3]?.told).not.toContain("must print");
}

/** The usage is what the streams reported: every answer costs the same. */
async function expectTheSums(site: PlayingSite, usage: object, tellsMoney: boolean): Promise<void> {
  const answers = site.played().reduce((sum, played) => sum + played.answers, 0);
  const { fresh, cached, written } = tokensOf(answers);
  const { input, cached_input: cachedInput, output } = prices.codex;
  const estimate = (fresh * input + cached * cachedInput + written * output) / 1_000_000;
  const sums = {
    inputTokens: fresh,
    cacheReadTokens: cached,
    outputTokens: written,
    costUsd: expect.closeTo(tellsMoney ? answers * usdOfAnswer : estimate, 9),
    estimatedUsd: expect.closeTo(tellsMoney ? 0 : estimate, 9),
  };
  expect(usage).toEqual({ ...sums, unreported: 0 });
  const cost = JSON.parse((await site.pawl("cost", "1", "--json")).stdout) as Cost;
  expect(cost.total).toEqual({ ...sums, attempts: 10, unpriced: 0, unreported: 0 });
  const rejected = cost.byStory.find(({ story }) => story === "US-002");
  expect(rejected).toMatchObject({ attempts: 4 });
}

interface Cost {
  readonly total: object;
  readonly byStory: readonly { readonly story: string | null }[];
}

async function endsOf(site: PlayingSite, run = "1"): Promise<readonly EventDocument[]> {
  return (await eventsOf(site, run)).filter(({ type }) => type === "attempt_ended");
}

async function eventsOf(site: PlayingSite, run = "1"): Promise<readonly EventDocument[]> {
  return eventLines((await site.pawl("events", run, "--json")).stdout);
}

/** A single counted failure would end the run. */
function workflowOf(...steps: readonly AgentName[]): string {
  const line = (step: AgentName) =>
    `  - { id: ${step}, agent: ${step}, input: "do it", expects: "STATUS: done", on_error: fail }\n`;
  const roles = steps.map((step) => `${step}: { executor: ${step} }`).join(", ");
  return `pawl: 1\nid: plain\nagents: { ${roles} }\nsteps:\n${steps.map(line).join("")}`;
}

test("[PF9 AT10 LI6] a rate limit is waited out for as long as each agent says, and counts against no limit of the step", async () => {
  const site = playingSite({ rateLimits: 1, moves: [{ does: "shell", command: "git log --oneline" }] });
  const run = await site.pawl("run", site.write("all.yml", workflowOf(...names)), "a task", "--json");
  expectCode(run, 0);
  const { steps } = JSON.parse(run.stdout) as StatusDocument;
  expect(steps.map(({ id, status, attempts }) => ({ id, status, attempts }))).toEqual(
    names.map((id) => ({ id, status: "done", attempts: 2 })),
  );
  const events = await eventsOf(site);
  for (const name of names) {
    const dispatched = events.filter(({ type, step }) => type === "attempt_dispatched" && step === name);
    const ends = dispatched.map((one) => events.find((end) => isEndOf(end, one)));
    expect(ends).toMatchObject([
      { outcome: "rate_limited", why: expect.stringContaining("try again in 1.5s") },
      { outcome: "completed" },
    ]);
    const readied = events.findLast(
      ({ type, step, notBefore }) => type === "step_readied" && step === name && notBefore,
    );
    const waitsUntil = Number(readied?.["notBefore"]);
    const [first = 0, second = 0] = dispatched.map(({ at }) => Date.parse(at));
    expect(waitsUntil).toBeGreaterThanOrEqual(first + limitMs);
    expect(waitsUntil).toBeLessThanOrEqual(Date.parse(ends[0]?.at ?? "") + limitMs);
    expect(second).toBeGreaterThanOrEqual(waitsUntil);
  }
  expect(site.left()).toEqual([]);
});

function isEndOf({ type, attempt }: EventDocument, dispatched: EventDocument): boolean {
  return type === "attempt_ended" && attempt === dispatched["attempt"];
}

/** A process in its own session, as daemons have one, and a command that never ends. */
const forever = "setsid tail -f /dev/null > /dev/null 2>&1 < /dev/null & tail -f /dev/null";

test("[EX11 EX40 PS5] agents that another process stops in the middle of a shell command leave nothing running", async () => {
  const site = playingSite({ moves: [{ does: "shell", command: forever }] });
  const runs = names.map((name) => {
    const file = site.write(`${name}.yml`, workflowOf(name));
    return site.start("run", file, "a task", "--json");
  });
  await until(() => site.left().filter((command) => command === "tail -f /dev/null").length === 2 * names.length);
  for (const [index] of names.entries()) expectCode(await site.pawl("cancel", String(index + 1)), 0);

  const documents = (await Promise.all(runs.map(({ ended }) => ended))).map(
    ({ stdout }) => JSON.parse(stdout) as StatusDocument,
  );
  expect(documents.map(({ run }) => run.status)).toEqual(names.map(() => "cancelled"));
  for (const { run } of documents) expect(await endsOf(site, run.id)).toMatchObject([{ outcome: "cancelled" }]);
  expect(site.left()).toEqual([]);
});
