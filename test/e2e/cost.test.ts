// Costs, with stub programs in place of an agent that reports its cost and of one that reports only tokens.

import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { expectCode, newSite, type Site, writeAt } from "../support/pawl.ts";
import { printing } from "../support/stub-agents.ts";

const stories = 'STORIES_JSON: [{"id":"US-001","title":"One","description":"d","acceptanceCriteria":["c"]}]';

/** 1,000,000 fresh input tokens, 500,000 cached ones and 100,000 output tokens: 8.25 USD at 5, 0.5 and 30. */
const tokensOnly = { input_tokens: 1_500_000, cached_input_tokens: 500_000, output_tokens: 100_000 };

function stub(site: Site, name: string, version: string, text: string): string {
  const file = writeAt(
    site,
    name,
    `#!/bin/sh\n[ "$1" = --version ] && { echo ${version}; exit; }\ncat > /dev/null\n${text}`,
  );
  chmodSync(file, 0o755);
  return file;
}

/** Reports its cost. */
function claude(site: Site): string {
  const usage = { input_tokens: 1_000, cache_read_input_tokens: 500, output_tokens: 100 };
  const result = { type: "result", is_error: false, usage, total_cost_usd: 0.25, result: `STATUS: done\n${stories}` };
  const begin = { type: "system", subtype: "init", session_id: "s", model: "claude-opus-5-5" };
  return stub(site, "claude", "2.1.325", printing([begin, result]));
}

/** Reports tokens only. Its first attempt fails. */
function codex(site: Site): string {
  const text = printing([
    { type: "thread.started", thread_id: "s" },
    { type: "item.completed", item: { id: "i", type: "agent_message", text: "STATUS: done" } },
    { type: "turn.completed", usage: tokensOnly },
  ]);
  return stub(site, "codex", "codex-cli 0.166.0", `${text}[ "$PAWL_ATTEMPT" != 1 ]\n`);
}

function configure(site: Site, more: string, model = "gpt-5.5"): void {
  const executors = `executors: { claude: { program: ${claude(site)} }, codex: { program: ${codex(site)}, model: ${model} } }`;
  writeFileSync(join(site.home, "config.yml"), `${executors}\n${more}`);
}

const twoAgents = `pawl: 1
id: priced
agents: { planner: { executor: claude }, dev: { executor: codex } }
steps:
  - { id: plan, agent: planner, input: "{{task}}" }
  - id: work
    stories: {}
    body:
      - { id: code, agent: dev, input: "{{current_story}}", on_error: { again, at_most: 3 } }
`;

interface Cost {
  readonly total: Readonly<Record<string, number>>;
  readonly byExecutor: readonly Readonly<Record<string, unknown>>[];
  readonly byModel: readonly Readonly<Record<string, unknown>>[];
  readonly byStory: readonly Readonly<Record<string, unknown>>[];
  readonly attempts: readonly Readonly<Record<string, unknown>>[];
}

test("[CO1 CO2 CO5 CO7 CO9 CO10] a run's cost: reported or estimated, estimates marked, failed attempts included", async () => {
  const site = newSite();
  configure(site, "");
  expectCode(await site.pawl("run", writeAt(site, "priced.yml", twoAgents), "a task"), 0);

  const cost = await site.json<Cost>(["cost", "1"]);
  expect(cost.total).toEqual({
    attempts: 3,
    costUsd: 16.75,
    estimatedUsd: 16.5,
    inputTokens: 2_001_000,
    cacheReadTokens: 1_000_500,
    outputTokens: 200_100,
    unpriced: 0,
    unreported: 0,
  });
  expect(cost.byExecutor).toMatchObject([
    { executor: "codex", attempts: 2, costUsd: 16.5, estimatedUsd: 16.5 },
    { executor: "claude", attempts: 1, costUsd: 0.25, estimatedUsd: 0 },
  ]);
  expect(cost.byModel).toMatchObject([{ model: "gpt-5.5" }, { model: "claude-opus-5-5" }]);
  expect(cost.byStory).toMatchObject([
    { story: null, costUsd: 0.25 },
    { story: "US-001", costUsd: 16.5 },
  ]);
  expect(cost.attempts).toMatchObject([
    { step: "plan", outcome: "completed", version: "2.1.325" },
    { step: "code", number: 1, outcome: "failed", costUsd: 8.25, estimatedUsd: 8.25 },
    { step: "code", number: 2, outcome: "completed", costUsd: 8.25, version: "0.166.0" },
  ]);

  const text = (await site.pawl("cost", "1")).stdout;
  expect(text).toMatch(/^done, ~\$16\.75 in 3 attempts$/m);
  expect(text).toMatch(/^codex +2 +~\$16\.50 +2\.0M +1\.0M +200\.0k$/m);
  expect(text).toMatch(/^claude +1 +\$0\.25 +1\.0k +500 +100$/m);
  expect(text).toMatch(/^US-001\/code 1 +failed +gpt-5\.5 +~\$8\.25 /m);
  expect(text).toContain("~ is an estimate");

  const { run, stories: lanes } = await site.status();
  expect(run.usage).toEqual({
    costUsd: 16.75,
    estimatedUsd: 16.5,
    inputTokens: 2_001_000,
    cacheReadTokens: 1_000_500,
    outputTokens: 200_100,
    unreported: 0,
  });
  expect(lanes).toMatchObject([{ costUsd: 16.5, estimatedUsd: 16.5 }]);
  const status = (await site.pawl("status", "1")).stdout;
  expect(status).toMatch(/^done, .+, ~\$16\.75$/m);
  expect(status).toMatch(/US-001 .+~\$16\.50$/m);
});

test("[CO3 CO4] a model without a price shows as unknown, until the user names one", async () => {
  const site = newSite();
  configure(site, "", "nobodys-model");
  const file = writeAt(site, "priced.yml", twoAgents);
  expectCode(await site.pawl("run", file, "a task"), 0);
  expect((await site.json<Cost>(["cost", "1"])).total).toMatchObject({ costUsd: 0.25, estimatedUsd: 0, unpriced: 2 });
  const text = (await site.pawl("cost", "1")).stdout;
  expect(text).toMatch(/^done, \$0\.25 \+ \? in 3 attempts$/m);
  expect(text).toMatch(/^codex +2 +\? /m);
  expect(text).toContain("no price for nobodys-model. Write it below `prices`");

  configure(site, "prices: { nobodys-model: { input: 1, cached_input: 0.1, output: 2 } }\n", "nobodys-model");
  expectCode(await site.pawl("run", file, "a task"), 0);
  expect((await site.json<Cost>(["cost", "2"])).total).toMatchObject({ costUsd: 2.75, estimatedUsd: 2.5, unpriced: 0 });
  configure(site, "prices: { codex: { input: 0, output: 0 } }\n", "nobodys-model");
  expectCode(await site.pawl("run", file, "a task"), 0);
  expect((await site.json<Cost>(["cost", "3"])).total).toMatchObject({ costUsd: 0.25, estimatedUsd: 0, unpriced: 0 });
});

const endless = (budget: string) => `pawl: 1
id: endless
agents: { dev: { executor: codex } }
steps: [{ id: code, agent: dev, input: "{{task}}", on_error: { again, at_most: 50 }, on: { passed: { again, at_most: 50 } }${budget} }]
`;

test.each([
  ["of a run", "budget: { usd: 3.5 }\n", "", 1, "has spent its 3.5 USD"],
  ["of a step", "", ", budget: { usd: 3.5, then: gate }", 3, "the budget of 3.5 USD is used up"],
])("[CO6] a budget %s in money stops an agent that reports only tokens", async (_, config, budget, code, why) => {
  const site = newSite();
  configure(site, `prices: { gpt-5.5: { input: 1, cached_input: 0, output: 10 } }\n${config}`);
  expectCode(await site.pawl("run", writeAt(site, "endless.yml", endless(budget)), "a task"), code);
  const status = await site.status();
  expect(status.why).toContain(why);
  // At 2 USD each, the second attempt was the last that could begin.
  expect(status.run.usage).toMatchObject({ costUsd: 4, estimatedUsd: 4 });
  expect(status.steps).toMatchObject([{ attempts: 2 }]);
});

test("[CO8] without a run, all runs are listed, newest first, with their sum; --limit and --all say how many", async () => {
  const site = newSite();
  const none = await site.pawl("cost");
  expectCode(none, 0);
  expect(none.stderr).toContain("There is no run yet");
  configure(site, "");
  const file = writeAt(site, "priced.yml", twoAgents);
  for (const task of ["first", "second", "third"]) expectCode(await site.pawl("run", file, task), 0);

  const all = await site.json<{ runs: readonly Readonly<Record<string, unknown>>[]; total: unknown; more: boolean }>([
    "cost",
  ]);
  expect(all.runs.map(({ number, costUsd, attempts }) => [number, costUsd, attempts])).toEqual([
    [3, 16.75, 3],
    [2, 16.75, 3],
    [1, 16.75, 3],
  ]);
  expect(all.total).toMatchObject({ attempts: 9, costUsd: 50.25, estimatedUsd: 49.5 });
  expect(all.more).toBe(false);
  expect(await site.json(["cost", "--all"])).toEqual(all);
  const two = await site.json<typeof all>(["cost", "--limit", "2"]);
  expect(two).toMatchObject({ total: { costUsd: 33.5 }, more: true });
  const text = (await site.pawl("cost", "--limit", "2")).stdout;
  expect(text).toMatch(/^3 +priced +done +3 +~\$16\.75 .+third$/m);
  expect(text).toMatch(/^ +total +6 +~\$33\.50 .+older runs are left out; --all has them$/m);
  expect(text).not.toContain("first");
  expect(text).toContain("~ is an estimate");
});

test("[CO9 CO12] where no agent reported usage, no cost is shown", async () => {
  const site = newSite();
  const silent = twoAgents.replaceAll(/executor: \w+/g, "executor: mine");
  const said = writeAt(site, "agent.sh", `cat > /dev/null; printf '%s\\n' 'STATUS: done' '${stories}'\n`);
  writeFileSync(join(site.home, "config.yml"), `executors: { mine: { command: [sh, ${said}] } }\n`);
  expectCode(await site.pawl("run", writeAt(site, "silent.yml", silent), "a task"), 0);
  const text = (await site.pawl("cost", "1")).stdout;
  expect(text).toMatch(/^done, no usage was reported in 2 attempts$/m);
  expect(text).toMatch(/^mine +2 +- +- +- +-$/m);
  expect((await site.pawl("cost")).stdout).toMatch(/^1 +priced +done +2 +- +- +- +- +a task$/m);
});

test.each([
  [5, ["cost", "7"], "there is no run 7"],
  [5, ["cost", "nobody"], "there is no run nobody"],
  [2, ["cost", "--limit", "many"], "--limit many is not a number"],
  [2, ["cost", "--limit", "0"], "--limit 0 is not a number"],
  [2, ["cost", "1", "--all"], "--limit and --all are for the list of runs"],
] as const)("[CO7 CO8] exit code %i for %j", async (code, args, message) => {
  const called = await newSite().pawl(...args);
  expectCode(called, code);
  expect(called.stderr).toContain(message);
  expect(called.stderr).toContain("hint: ");
});

test("[CO11] a money cap that nothing can count is said at the start and in why, and refused with `unknown: stop`", async () => {
  const site = newSite();
  const capped = (caps: string) =>
    writeAt(
      site,
      "capped.yml",
      `pawl: 1\nid: capped\ncaps: ${caps}\nagents: { a: {} }\nsteps:\n  - { id: one, agent: a, input: x }\n`,
    );
  const run = (caps: string) => site.pawl("run", capped(caps), "x", "--executor", "command: sleep 600", "--detach");
  const said = await run("{ usd: 5 }");
  expect(said).toMatchObject({ code: 0, stderr: expect.stringContaining("The cap of 5 USD cannot hold") });
  expect((await site.pawl("why", "1")).stdout).toContain("The cap of 5 USD cannot hold: a program reports no cost");
  const refused = await run("{ usd: 5, unknown: stop }");
  expect(refused).toMatchObject({ code: 6, stderr: expect.stringContaining("hint:") });
  expect((await site.pawl("runs")).stdout).not.toContain("#2");
  // A cap of exactly the default is a cap all the same.
  expect((await run("{ usd: 1000, unknown: stop }")).stderr).toContain("The cap of 1000 USD cannot hold");

  writeFileSync(join(site.home, "config.yml"), "budget: { usd: 7, unknown: stop }\n");
  expect(await run("{}")).toMatchObject({ code: 6, stderr: expect.stringContaining("The cap of 7 USD cannot hold") });
  writeFileSync(join(site.home, "config.yml"), "budget: { unknown: stop }\n");
  const step = "budget: { usd: 2, at_most: 3, then: fail }, on: { rejected: again }";
  const file = `pawl: 1\nid: step\nagents: { a: {} }\nsteps:\n  - { id: one, agent: a, input: x, ${step} }\n`;
  const budgeted = await site.pawl("run", writeAt(site, "step.yml", file), "x", "--executor", "command: true");
  expect(budgeted).toMatchObject({
    code: 6,
    stderr: expect.stringContaining("The budget of 2 USD of one cannot hold"),
  });
});
