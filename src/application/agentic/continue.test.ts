import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agenticProject } from "../../../test/support/agentic-project.ts";
import { runGit } from "../../../test/support/repository.ts";
import { approveStory, noteStory, rejectStory, retryStory } from "./answers.ts";
import { projectBudget } from "./budget.ts";
import { projectPlace } from "./place.ts";
import { effectiveTable, projectPrompt } from "./prompts.ts";
import { say } from "./say.ts";
import { skipStep } from "./skip.ts";
import { viewProject } from "./view.ts";

// Each session is a process, and a story has eight of them.
const signal = new AbortController().signal;

test("[PJ4 PJ5 PJ6 AG15 D10 D38 D43 D44 D46 D47 D54 D60 D87 D91] level 2 moves to the review, and from an approval to the end of the story", async () => {
  const { app, root, go, sessions, prompt, state } = await agenticProject("2", ["US-001", "US-002"]);
  const asked = await go();
  expect(asked.result).toMatchObject({ type: "needs_human" });
  expect(asked.report).toContain(
    "US-001 needs your review:\n- Scenario 1: Add an item\nOne clarification needed: how many",
  );
  expect(sessions()).toEqual(["US-001 bdd 1", "US-001 sdd-delta 1", "US-001 contract 1"]);
  expect(JSON.parse(readFileSync(join(root, ".ai/STATE.json"), "utf8"))).toMatchObject({
    story: "US-001",
    step: "review",
    status: "needs_human",
  });
  // A review is not passed by saying "continue", and not by guessing.
  expect((await go()).result.type).toBe("needs_human");
  const unclear = await say(app, "30 items, others OK", { signal });
  expect(unclear).toMatchObject({ action: "unknown", continued: null });
  expect(unclear.reply).toContain("pawl project approve --note '30 items, others OK'");
  await approveStory(app, { note: "30 items, others OK" });
  const next = await go();
  expect(next.report).toContain("US-002 needs your review");
  expect(sessions().slice(3, 8)).toEqual([
    "US-001 scaffold 1",
    "US-001 impl 1",
    "US-001 verify 1",
    "US-001 update-memory 1",
    "US-002 bdd 1",
  ]);
  const noted = sessions().filter((session) => prompt(session).includes("30 items"));
  expect(noted).toEqual(["US-001 scaffold 1"]);
  // The memory is updated from the results of the session before.
  expect(state("US-001 verify 1")).toMatchObject({ status: "running", tests: null, files_changed: [] });
  expect(state("US-001 update-memory 1")).toMatchObject({
    status: "running",
    completed_at: null,
    tests: { pass: 44, fail: 0, skip: 0 },
    files_changed: ["US-001.txt"],
  });
  expect(runGit(root, "log", "--format=%s")).toContain("feat: US-001 - Story US-001");
  expect((await say(app, "stop for today", { signal })).reply).toBe(
    'OK. Project A progress:\n✅ US-001\n⏭ Next US-002\nSay "continue A" tomorrow to resume.',
  );
  await say(app, "approve", { signal });
  expect((await go()).result).toMatchObject({ type: "done" });
  expect((await go()).result).toEqual({ type: "done", summary: "All stories are done: US-001, US-002." });
  expect((await projectBudget(app, undefined)).stories).toEqual([]);
});

test("[PJ7 D19 D33 D35 D45 D49 D70] every reason leads where the table says", async () => {
  const { app, go, report, sessions } = await agenticProject("2");
  report("US-001 impl 1", "failing constitution_violation");
  report("US-001 impl 2", "failing needs_clarification");
  report("US-001 impl 3", "failing nfr_missing");
  await go();
  expect(await rejectStory(app, { reason: "nonsense" }).catch((error: unknown) => error)).toMatchObject({
    code: "USAGE",
    hint: "use one of: needs_clarification, constitution_violation, scope_warning, nfr_missing, test_timeout, default",
  });
  await rejectStory(app, { reason: "constitution_violation", note: "one owner per module" });
  await go();
  expect(sessions().slice(3)).toEqual(["US-001 sdd-delta 2", "US-001 contract 2"]);
  await approveStory(app, {});
  // impl 1 goes back to the delta, which ends at the review again.
  expect((await go()).report).toContain("needs your review");
  expect(sessions().slice(5)).toEqual([
    "US-001 scaffold 1",
    "US-001 impl 1",
    "US-001 sdd-delta 3",
    "US-001 contract 3",
  ]);
  await approveStory(app, {});
  // impl 2 asks for a person.
  expect((await go()).report).toContain("needs your review");
  await approveStory(app, {});
  expect((await go()).result.type).toBe("done");
  expect(sessions().filter((session) => session.includes("impl"))).toHaveLength(4);
});

test("[PJ7 D48 D50 D51 D89] max 3 is 3 attempts, verify and impl stop, retry and skip go on", async () => {
  const { app, go, report, sessions } = await agenticProject("2");
  for (const attempt of [1, 2, 3]) report(`US-001 bdd ${attempt}`, "failing null");
  const stuck = await go();
  expect(stuck.report).toContain("US-001 stuck at bdd (3 attempts)");
  expect(sessions()).toHaveLength(3);
  expect((await go()).result.type).toBe("needs_human");
  await noteStory(app, { text: "shorter" });
  await retryStory(app, {});
  await go();
  expect(sessions().slice(3)).toEqual(["US-001 bdd 4", "US-001 sdd-delta 1", "US-001 contract 1"]);
  expect(await skipStep(app, {}).catch((error: unknown) => error)).toMatchObject({ code: "REFUSED" });
  await skipStep(app, { yes: true });
  report("US-001 verify 1", "failing null");
  report("US-001 verify 2", "failing null");
  expect((await go()).report).toContain("US-001 stuck at verify (2 attempts)");
  expect(sessions().filter((session) => /verify|impl/.test(session))).toEqual([
    "US-001 impl 1",
    "US-001 verify 1",
    "US-001 impl 2",
    "US-001 verify 2",
  ]);
  await skipStep(app, {});
  expect((await go()).result.type).toBe("done");
});

test("[PJ8 D5 D6 D7 D8 D30 D36 D40 D102] rules and prompts need neither a run nor STATE.json", async () => {
  const { app, root } = await agenticProject("2");
  const { steps, file } = await effectiveTable(app, undefined);
  expect(file).toBe(null);
  expect(steps["bdd"]).toMatchObject({ next_on_pass: "sdd-delta", max_attempts: 3, timeout_min: 5 });
  expect(steps["verify"]).toMatchObject({ next_on_pass: "update-memory", max_attempts: 2 });
  const { prompt, story, step } = await projectPrompt(app, { step: "bdd", story: "US-007" });
  expect([story, step]).toEqual(["US-007", "bdd"]);
  expect(prompt).toMatch(/^You are executing step BDD for US-007\./);
  const asks: Readonly<Record<string, readonly string[]>> = {
    bootstrap: ["PROJECT_CONTEXT.md", "docs/sdd.md", "docs/constitution.md", "PROJECT_MEMORY.md"],
    glossary: ["docs/ddd/glossary.md", "docs/sdd.md", "docs/bdd/US-007.md"],
    nfr: ["docs/nfr.md", "@perf(PERF-01)", "p95 < 200ms"],
    "integration-tests": ["@integration", "docs/bdd/US-007.md", "docs/api/openapi.yaml"],
  };
  for (const [name, words] of Object.entries(asks)) {
    const supplement = await projectPrompt(app, { step: name, story: "US-007" });
    for (const word of words) expect(supplement.prompt).toContain(word);
  }
  expect(await projectPrompt(app, { step: "review" }).catch((error: unknown) => error)).toMatchObject({
    code: "NOT_FOUND",
  });
  const view = await viewProject(app, await projectPlace(app, root));
  expect(view.report).toBe(
    "Project A: choose a story. Next is US-001 Story US-001, continue?\nNext: pawl project continue",
  );
});
