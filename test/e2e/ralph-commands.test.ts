// The commands around a PRD: a single request without one, checking one, steering a run, and editing the steps of a story by hand.

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { expectCode, newSite, statuses, writeAt } from "../support/pawl.ts";
import { callsOf, editsIn, prdSite, writePrd } from "../support/prd.ts";
import { log, runGit } from "../support/repository.ts";
import { writeScript } from "../support/scripts.ts";
import { until } from "../support/until.ts";

/** Skips the steps that a test does not need. */
const short = ["step-003", "step-004", "step-007", "step-008", "step-009"].map((target_step_id) => ({
  operation: "skip",
  target_step_id,
  reason: "small",
}));

interface Lane {
  readonly id: string;
  readonly status: string;
  readonly slot: number | null;
  readonly startedAt: string | null;
  readonly costUsd: number;
  readonly steps: readonly { readonly id: string; readonly name: string; readonly status: string }[];
}

interface EditDocument {
  readonly applied: boolean;
  readonly before: readonly { readonly id: string; readonly status: string; readonly description: string }[];
  readonly after: readonly { readonly id: string; readonly status: string; readonly description: string }[];
  readonly notes: readonly string[];
}

test("[C98 C100 C105 CM26] one request is worked on as one story: a commit on the branch, and no files left", async () => {
  const site = prdSite([], { acts: { planning: `edits '${JSON.stringify(short)}'` } });
  const called = await site.pawl("agent", "run", "Fix", "the N+1 query", "--executor", site.executor);
  expectCode(called, 0);
  expect(called.stderr).toContain("The work is on branch main");
  expect(log(site.repo)).toEqual(["feat(ralph): oneshot - Fix the N+1 query", "first"]);
  expect(site.prompt("oneshot", "step-005")).toContain("Fix the N+1 query");
  expect(callsOf(site).map((call) => call.split(" ")[1])).toEqual(
    "context_gathering planning coding linting final_review".split(" "),
  );
  expect(readdirSync(`${site.home}/shared`)).toEqual([]);
  expect(existsSync(`${site.repo}/.pawl`)).toBe(false);
  expect(runGit(site.repo, "status", "--porcelain", "--ignored")).toBe("");
});

test("[C100 CM26] when it fails, its files are kept and named, and a retry continues", async () => {
  const site = prdSite([], {
    acts: { "oneshot.step-002.1": "exit 1", "oneshot.step-002.2": `edits '${JSON.stringify(short)}'` },
  });
  const called = await site.pawl("agent", "run", "Do it", "--executor", site.executor);
  expectCode(called, 1);
  const [, dir = ""] = /Its files are in (.+)/.exec(called.stderr) ?? [];
  expect(readFileSync(`${dir}/scratch.md`, "utf8")).toContain("oneshot failed at step-002");
  expect(readdirSync(dir)).toEqual(expect.arrayContaining(["logs", "workflow_state.json"]));
  expectCode(await site.pawl("retry", "1"), 0);
  expectCode(await site.pawl("resume", "1"), 0);
  expect(existsSync(dir)).toBe(false);
  expect(log(site.repo)[0]).toBe("feat(ralph): oneshot - Do it");
});

test("[C14 C16 CM23] checking a PRD without a run shows the order of its stories and what blocks them", async () => {
  const site = prdSite([
    { id: "A", depends_on: ["B"] },
    { id: "B" },
    { id: "C", passes: true },
    { id: "D", depends_on: ["A", "C"] },
  ]);
  const { stories } = await site.json<{ stories: { id: string; wave: number }[] }>(["prd", "check", site.prd]);
  expect(stories.map(({ id, wave }) => `${id}${wave}`)).toEqual(["A2", "B1", "C0", "D3"]);
  expect((await site.pawl("prd", "check", site.prd)).stdout).toMatch(/wave 1 {2}B .*\n.*wave 2 {2}A .*after B/);
  expect(existsSync(`${site.home}/pawl.db`)).toBe(false);
});

test("[CM23 C16] only the requested stories of a PRD are run; their dependencies must be done or requested, too", async () => {
  const site = prdSite([{ id: "A" }, { id: "B", depends_on: ["A"] }, { id: "C", depends_on: ["B"] }], {
    acts: { planning: `edits '${JSON.stringify(short)}'` },
  });
  const missing = await site.run("--story", "B");
  expectCode(missing, 2);
  expect(missing.stderr).toContain("--story A B");
  expectCode(await site.run("--story", "nobody"), 5);
  expectCode(await site.run("--story", "A", "B"), 0);
  expect(log(site.repo, "main")).toHaveLength(3);
  expect(
    (JSON.parse(readFileSync(site.prd, "utf8")) as { userStories: { passes?: boolean }[] }).userStories.map(
      ({ passes }) => passes,
    ),
  ).toEqual([true, true, undefined]);
  expectCode(await site.run("--story", "C"), 0);
  expect(log(site.repo, "main")[0]).toBe("feat(ralph): C - Title of C");
});

test("[C43 CM27 RA29] lanes show each story with its position among its steps, its slot, age and cost", async () => {
  const site = newSite();
  writePrd(site.path("prd.json"), [{ id: "US-001" }, { id: "US-002", depends_on: ["US-001"] }]);
  const usage = { usd: 0.25, input: 100, output: 7 };
  const go = site.path("go");
  const script = writeScript(site, {
    "*": [{ say: "SUMMARY\nfine\nSTATUS: done", usage }],
    planning: [
      { story: "US-001", say: "SUMMARY\nplanned", edits: short, usage },
      { say: "SUMMARY\nplanned", edits: short },
    ],
    coding: [
      { story: "US-001", run: [`until [ -f '${go}' ]; do sleep 0.05; done`], say: "SUMMARY\ncoded" },
      { say: "no" },
    ],
  });
  const running = site.start("prd", "run", site.path("prd.json"), "--script", script);
  const lanes = async () => (await site.json<{ stories: Lane[] }>(["status", "1"])).stories;
  const [first, second] =
    (await until(async () => {
      const found = await lanes().catch(() => []);
      return found[0]?.steps.some(({ name, status }) => name === "coding" && status === "running") ? found : null;
    })) ?? [];
  expect(first).toMatchObject({ id: "US-001", status: "running", slot: 1, costUsd: 0.5 });
  expect(Date.parse(first?.startedAt ?? "")).toBeGreaterThan(0);
  expect(second).toMatchObject({ status: "waiting", slot: null, startedAt: null, costUsd: 0, steps: [] });
  expect((await site.pawl("status", "1")).stdout).toMatch(
    /● US-001 {2}running {2}Title of US-001 {2}at step-005 coding, 5 of 11 {2}slot 1 {2}\S+ {2}\$0\.50/,
  );
  writeFileSync(go, "");
  expectCode(await running.ended, 0);
  const state = JSON.parse(readFileSync(`${site.repo}/.pawl/ralph/workflow_state.json`, "utf8")) as {
    stories: Record<string, { steps: Record<string, unknown>[] }>;
  };
  const [gathering, , , , coding] = state.stories["US-001"]?.steps ?? [];
  expect(gathering).toMatchObject({ cost_usd: 0.25, input_tokens: 100, output_tokens: 7 });
  expect(coding).toMatchObject({ cost_usd: null, input_tokens: null, output_tokens: null });
});

test("[C7 C53 CM28] a person edits upcoming steps by the rules for agents, sees them before and after, and is refused in the same cases", async () => {
  const site = prdSite([{ id: "US-001" }]);
  expectCode(await site.run("--detach"), 0);
  const edit = (...args: readonly string[]) => ["edit", "1", "--story", "US-001", "--reason", "as agreed", ...args];
  const ids = ({ after }: EditDocument) =>
    after.map(({ id, status }) => (status === "skipped" ? `-${id}` : id).replace("step-0", ""));
  const shown = await site.json<EditDocument>(edit());
  const preview = await site.json<EditDocument>(edit("--skip", "step-009", "--preview"));
  expect([preview.applied, ids(preview).includes("-09")]).toEqual([false, true]);
  expect(await site.json<EditDocument>(edit())).toEqual(shown);

  const several = [
    ["--add-after", "step-007", "coding", "Fix it"],
    ["--add-before", "step-010", "linting", "Again"],
    ["--split", "step-008", "review:Security", "review:Speed: twice"],
    ["--skip", "step-009"],
    ["--describe", "step-005", "Only the", "read path"],
  ].flat();
  await site.json<EditDocument>(edit(...several));
  const order =
    "step-002,step-001,step-004,step-003,step-005,step-006,step-007,step-011,step-014,step-013,step-012,step-010";
  await site.json<EditDocument>(edit("--reorder", order));
  const file = writeAt(site, "edits.json", JSON.stringify({ op: "skip", step_id: "step-003" }));
  const last = await site.json<EditDocument>(edit("--file", file));
  expect(ids(last).join(" ")).toBe("02 01 04 -03 05 06 07 11 14 13 -09 12 10");
  expect(last.after.find(({ id }) => id === "step-014")?.description).toBe("Speed: twice");
  expect(last.notes.join()).toContain("step_id");

  for (const args of [
    ["--skip", "step-004", "--skip", "step-006"],
    ["--skip", "step-004", "--reorder", "step-010"],
    ["--add-after", "step-005", "rebase_resolve", "x"],
  ]) {
    const called = await site.pawl(...edit(...args));
    expectCode(called, 6);
    expect(called.stderr).toContain("nothing was changed");
  }
  expectCode(await site.pawl(...edit("--add-after", "step-005")), 2);
  expectCode(await site.pawl(...edit("--file", writeAt(site, "broken.json", "{"))), 2);
  expectCode(await site.pawl("edit", "1", "--story", "nobody", "--skip", "step-001"), 6);
  expect((await site.json<EditDocument>(edit())).after.filter(({ id }) => id !== "integrate")).toEqual(last.after);

  expectCode(await site.pawl("resume", "1"), 0);
  expect(callsOf(site).map((call) => call.split(".")[1])).toEqual(
    "02 01 04 05 06 07 11 14 13 12 10".split(" ").map((number) => `step-0${number}`),
  );
  expect(site.prompt("US-001", "step-005")).toContain("Only the read path");
  for (const entry of editsIn(site.story("US-001")))
    expect(entry).toMatchObject({ agent_id: null, step_id: null, details: { reason: "as agreed" } });
});

test("[C109 DR4 DR5] pause lets the running steps of all stories end, resume continues, cancel stops them", async () => {
  const site = prdSite([{ id: "A" }, { id: "B" }]);
  const go = site.shared("go");
  site.act({
    planning: `until [ -f '${go}' ]; do sleep 0.05; done`,
    coding: `echo $$ >> '${site.path("pids")}'; sleep 300`,
  });
  const running = site.start("prd", "run", site.prd, "--executor", site.executor, "--agents", "2");
  await until(() => callsOf(site).filter((call) => call.endsWith("planning")).length === 2);
  expectCode(await site.pawl("pause", "1"), 0);
  writeFileSync(go, "");
  expectCode(await running.ended, 3);
  expect(callsOf(site)).toHaveLength(4);
  expect(statuses((await site.status("1")).stories)).toBe("A:running,B:running");
  const again = site.start("resume", "1");
  await until(() => callsOf(site).filter((call) => call.endsWith("coding")).length === 2);
  expectCode(await site.pawl("cancel", "1", "--reason", "enough"), 0);
  expectCode(await again.ended, 1);
  for (const pid of readFileSync(site.path("pids"), "utf8").trim().split("\n"))
    expect(existsSync(`/proc/${pid}`)).toBe(false);
  expect(runGit(site.repo, "worktree", "list").split("\n")).toHaveLength(1);
  expect(Object.values(site.state().stories).map(({ status }) => status)).toEqual(["failed", "failed"]);
  expect(log(site.repo, "main")).toEqual(["first"]);
});

test("[CM16 C18 PR39] the workflow can be shown and simulated, edits, conflicts and reviews without a verdict included", async () => {
  const site = newSite();
  const shown = (await site.pawl("workflow", "show", "dynamic-ralph")).stdout;
  for (const line of ["context_gathering", "only when a route inserts it", "one commit on the base", "stays last"])
    expect(shown).toContain(line);
  const script = writeScript(site, {
    "*": [{ say: "SUMMARY\nfine\nSTATUS: done" }],
    planning: [{ say: "SUMMARY\nfine", edits: short }],
    integrate: [{ attempt: 1, exit: 1, say: "conflict in a.txt" }, { say: "" }],
  });
  const { stdout, code } = await site.pawl("workflow", "simulate", "dynamic-ralph", "--script", script);
  expect(code).toBe(0);
  const path = stdout.split("\n").filter((line) => line.startsWith("▶ oneshot"));
  expect(path.map((line) => line.slice(10))).toEqual(
    "context_gathering,planning,coding,linting,final_review,integrate,rebase_resolve,final_review (attempt 2),integrate (attempt 2)".split(
      ",",
    ),
  );

  const prose = writeScript(site, {
    "*": [{ say: "SUMMARY\nfine" }],
    planning: [{ say: "SUMMARY\nfine", edits: short }],
    final_review: [{ say: "NOT DONE. Do not merge this.\n\nSUMMARY\nfine" }],
  });
  const unread = await site.pawl("workflow", "simulate", "dynamic-ralph", "--script", prose);
  expect(unread.code).toBe(1);
  expect(unread.stdout.match(/^▶ oneshot.final_review/gm)).toHaveLength(3);
  expect(unread.stdout).not.toMatch(/^▶ oneshot.integrate/m);
});
