// All of feature-dev with each real agent: two stories, one of which is rejected and fixed. Real tool calls, real commits.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { expectCode, statuses } from "../support/pawl.ts";
import { log, runGit } from "../support/repository.ts";
import { used } from "./model/conversation.ts";
import { featureDev, project } from "./model/feature-dev.ts";
import { completionsOf } from "./model/server.ts";
import { players } from "./players.ts";
import { type AgentSite, agentSite, endsOf, usageIn } from "./site.ts";

for (const player of players) {
  const { name, reports } = player;
  test(`[EX30 EX31 MC1] ${name} works through feature-dev: plans, implements, is rejected, fixes it, and is approved`, async () => {
    const site = await agentSite([player], { model: featureDev, project });
    const run = await site.pawl("run", "feature-dev", "Write two scripts that say hello", "--executor", name);
    expect(site.model.problems).toEqual([]);
    expectCode(run, 0);
    await expectTheFeature(site);

    const ends = await endsOf(site);
    expect(ends.filter(({ session }) => !session)).toEqual([]);
    const usage = usageIn(ends);
    // Every answer costs the same. An agent that reports less reports at least the last answer of each attempt.
    const answers = site.model.exchanges.length;
    const reported = reports.tokens ? answers : ends.length;
    expect(usage.outputTokens).toBeGreaterThanOrEqual(reported * used.written);
    expect(usage.outputTokens).toBeLessThanOrEqual(answers * used.written);
    const read = usage.inputTokens + usage.cacheReadTokens;
    expect(read).toBeGreaterThanOrEqual(reported * (used.fresh + used.cached));
    expect(read).toBeLessThanOrEqual(answers * (used.fresh + used.cached));
    expect(usage.costUsd - usage.estimatedUsd > 1e-9).toBe(reports.money);
  });
}

async function expectTheFeature(site: AgentSite): Promise<void> {
  const { run, steps, stories } = await site.status();
  expect(run.status).toBe("done");
  expect(statuses(steps)).toBe("plan:done,implement:done,test:done,pr:done,review:done");
  expect(stories.map(({ id, status, attempts }) => ({ id, status, attempts }))).toEqual([
    { id: "US-001", status: "done", attempts: 1 },
    { id: "US-002", status: "done", attempts: 2 },
  ]);

  const branch = run.branch ?? "";
  expect(log(site.repo, branch)).toEqual(["feat: US-002 - Greet a person", "feat: US-001 - Say hello", "first"]);
  expect(runGit(site.repo, "show", `${branch}:greet.sh`)).toBe('echo "Hello, $1!"');
  expect(runGit(site.repo, "status", "--porcelain")).toBe("");

  const agentHome = join(site.home, "pawl/agents/feature-dev/developer");
  expect(existsSync(join(agentHome, `pr-${run.id}.md`))).toBe(true);
  const archived = join(agentHome, "archive", run.id, "progress.txt");
  expect(readFileSync(archived, "utf8")).toContain("US-002 was mended");

  // The plan, and three attempts on stories; the other steps report as text.
  expect(completionsOf(site.model)).toBe(4);
  expect(site.left()).toEqual([]);
}
