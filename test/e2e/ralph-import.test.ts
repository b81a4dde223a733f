// A PRD that was begun earlier: by another program, whose state file is continued, or by Pawl itself, when it is called again.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { expectCode, type Site, statuses } from "../support/pawl.ts";
import { callsOf, chainOf, type PrdSite, prdSite, type StateFile, writePrd } from "../support/prd.ts";
import { fingerprint, log, runGit } from "../support/repository.ts";

const samples = fileURLToPath(new URL("../../../shared/samples/dynamic-ralph/", import.meta.url));
const seedExample = `${samples}from-seed/workflow_state.full-example.json`;
const generated = `${samples}generated-by-5734a6b/workflow_state.json`;
const flatPrd = `${samples}prd.flat.7174a1e.json`;

/** An earlier run left the second story half done, on a branch. */
function begun(acts: Readonly<Record<string, string>> = {}): PrdSite {
  const site = prdSite([{ id: "US-001" }, { id: "US-002", depends_on: ["US-001"] }, { id: "US-003" }], { acts });
  leaveBranch(site, "ralph/US-002", "half.txt");
  writeFile(site.shared("workflow_state.json"), readFileSync(seedExample, "utf8"));
  return site;
}

test.skipIf(!existsSync(seedExample))(
  "[C39 C44 C102 RA35 RA37] with the seed's example in the shared folder, the run continues at step-013, new ids follow, nothing is lost (skipped without the samples)",
  async () => {
    const added = [{ type: "coding", description: "Fix it" }];
    const edit = { operation: "add_after", target_step_id: "step-008", reason: "a gap", new_steps: added };
    const site = begun({ "US-002.review": `edits '${JSON.stringify([edit])}'` });
    const before = JSON.parse(readFileSync(seedExample, "utf8")) as StateFile;
    const called = await site.run();
    expectCode(called, 0);
    expect(called.stderr).toContain("workflow_state.json was found and is imported: 1 done, 1 in progress");
    expect(callsOf(site).filter((call) => !call.startsWith("US-003"))).toEqual([
      "US-002.step-013.1 initial_testing",
      "US-002.step-008.1 review",
      "US-002.step-014.1 coding",
      "US-002.step-009.1 prune_tests",
      "US-002.step-010.1 final_review",
    ]);
    const story = site.story("US-002");
    expect(chainOf(story)).toBe(
      "step-007:completed,step-011:completed,step-012:completed,step-013:completed,step-008:completed,step-014:completed,step-009:completed,step-010:completed",
    );
    const old = before.stories["US-002"];
    expect(story.history.slice(0, old?.history.length)).toEqual(old?.history);
    expect(story.steps[0]).toEqual(old?.steps[0]);
    expect(site.prompt("US-002", "step-013")).toContain("Fixed transition validation logic");
    expect(site.story("US-001").status).toBe("completed");
    expect(chainOf(site.story("US-003"))).toContain("step-010:completed");
    // The work on the earlier branch is part of the story's one commit.
    expect(log(site.repo, "main")).toContain("feat(ralph): US-002 - Title of US-002");
    expect(runGit(site.repo, "show", "main:half.txt")).toBe("half");
    // A story with the same id in a later run is a different story.
    writePrd(site.prd, [{ id: "US-002" }]);
    site.act({ "US-002.step-001": "exit 1" });
    expectCode(await site.run(), 1);
    expect(site.story("US-002").history.map(({ action }) => action)).toEqual([
      "story_claimed",
      "step_started",
      "step_failed",
      "story_failed",
    ]);
  },
);

test.skipIf(!existsSync(generated))(
  "[C44 RA35 CM23] a state of the original is imported: what is done stays done, what failed waits for a retry (skipped without the samples)",
  async () => {
    const site = prdSite([]);
    const taken = ["prd", "import", generated, "--executor", site.executor];
    const { run } = await site.json<{ run: { number: number } }>([...taken, "--detach"]);
    expect(run.number).toBe(1);
    expect(statuses((await site.status("1")).stories)).toBe(
      "US-001:done,US-002:done,US-003:failed,US-004:blocked,US-005:failed",
    );
    expect(callsOf(site)).toEqual([]);
    expectCode(await site.pawl("retry", "1", "--story", "US-003"), 0);
    expectCode(await site.pawl("resume", "1"), 1);
    expect(statuses((await site.status("1")).stories)).toBe(
      "US-001:done,US-002:done,US-003:done,US-004:done,US-005:failed",
    );
    expect(callsOf(site)[0]).toBe("US-003.step-005.1 coding");
    expect(callsOf(site).filter((call) => call.startsWith("US-004"))).toHaveLength(10);
    expect(site.story("US-005").steps[2]).toMatchObject({ status: "cancelled" });
  },
);

test("[C44 RA36] a state file of another version, or a file that is not one, is refused, and nothing is changed", async () => {
  const site = prdSite([{ id: "US-001" }]);
  const state = site.shared("workflow_state.json");
  for (const [text, why] of [
    ['{"version": 2, "stories": {}}', "has version 2; only version 1 is supported"],
    ['{"version": 1, "stories": {"US-001": {"status": "soon"}}}', "stories.US-001.status"],
    ["[1, 2", "2"],
  ] as const) {
    writeFile(state, text);
    const before = fingerprint(site.repo);
    const called = await site.run();
    expectCode(called, 2);
    expect(called.stderr).toContain(why);
    expectCode(await site.pawl("prd", "import", state, "--executor", site.executor), 2);
    expect(readFileSync(state, "utf8")).toBe(text);
    expect(fingerprint(site.repo)).toEqual(before);
  }
  expect(JSON.parse((await site.pawl("runs", "--json")).stdout)).toMatchObject({ runs: [] });
});

test("[C87] a branch of that name with other commits is neither used nor lost", async () => {
  const site = prdSite([{ id: "US-001" }]);
  const commit = leaveBranch(site, "ralph/US-001", "mine.txt");
  expectCode(await site.run(), 0);
  expect(runGit(site.repo, "rev-parse", "ralph/US-001")).toBe(commit);
  expect(log(site.repo, "main")).toEqual(["feat(ralph): US-001 - Title of US-001", "first"]);
});

test.skipIf(!existsSync(flatPrd))(
  "[C12 C13 C16 RA5] a flat PRD of the original: what passes is not run again (skipped without the samples)",
  async () => {
    const site = prdSite([]);
    const text = readFileSync(flatPrd, "utf8");
    writeFileSync(site.prd, text);
    const run = ["prd", "run", site.prd, "--executor", site.executor];
    expect(await site.json(run)).toMatchObject({ run: null, open: 0 });
    expect(readFileSync(site.prd, "utf8")).toBe(text);
    const stories = JSON.parse(text) as readonly { readonly id: string }[];
    const reopened = stories.map((story) => (story.id === "US-004" ? { ...story, passes: false } : story));
    writeFileSync(site.prd, JSON.stringify(reopened));
    expectCode(await site.run(), 0);
    expect(new Set(callsOf(site).map((call) => call.split(".")[0]))).toEqual(new Set(["US-004"]));
    expect(log(site.repo, "main")).toHaveLength(2);
  },
);

test("[C44 CM24] called again, it continues the run that uses the folder, and adds the new stories", async () => {
  const site = prdSite([{ id: "US-001" }]);
  expectCode(await site.run("--detach"), 0);
  const done = { id: "US-000", passes: true };
  writePrd(site.prd, [{ id: "US-001" }, done, { id: "US-002", depends_on: ["US-000", "US-001"] }]);
  const again = await site.run("--agents", "3");
  expectCode(again, 0);
  expect(again.stderr).toContain("new in the PRD: US-002");
  expect(again.stderr).toContain("continues with 4 stories at once");
  expect(statuses((await site.status("1")).stories)).toBe("US-001:done,US-002:done");
  // All stories pass now.
  const third = await site.run();
  expectCode(third, 0);
  expect(third.stderr).toContain("nothing to do");
  expect(site.story("US-002").status).toBe("completed");
  expect(callsOf(site)).toHaveLength(20);
});

test("[C31 C82 C94 CM24] after a failure it says what to do, and does nothing by itself; a retry continues", async () => {
  const site = prdSite([{ id: "US-001" }, { id: "US-002", depends_on: ["US-001"] }], {
    acts: { "US-001.step-003.1": "exit 3" },
  });
  expectCode(await site.run(), 1);
  expect(site.story("US-002")).toMatchObject({ status: "blocked", steps: [] });
  const calls = callsOf(site).length;
  const again = await site.run();
  expectCode(again, 6);
  expect(again.stderr).toContain("pawl retry 1");
  expect(callsOf(site)).toHaveLength(calls);
  expectCode(await site.pawl("retry", "1", "--story", "US-001"), 0);
  expectCode(await site.run(), 0);
  expect(callsOf(site).filter((call) => call.startsWith("US-001.step-003"))).toHaveLength(2);
  expect(site.story("US-002").status).toBe("completed");
});

test("[C44 RA3] another PRD cannot use the folder of an unfinished run; the files of a finished run stay beside the new ones", async () => {
  const site = prdSite([{ id: "US-001" }]);
  expectCode(await site.run("--detach"), 0);
  const other = site.path("other.json");
  writePrd(other, [{ id: "US-009" }]);
  const called = await site.pawl("prd", "run", other, "--executor", site.executor);
  expectCode(called, 6);
  expect(called.stderr).toContain("--shared");
  expectCode(await site.pawl("resume", "1"), 0);
  expectCode(await site.pawl("prd", "run", other, "--executor", site.executor), 0);
  expect(Object.keys(site.state().stories)).toEqual(["US-009"]);
  const kept = JSON.parse(readFileSync(site.shared("workflow_state.1.json"), "utf8")) as StateFile;
  expect(kept.stories["US-001"]?.status).toBe("completed");
});

function leaveBranch(site: Site, branch: string, file: string): string {
  runGit(site.repo, "checkout", "--quiet", "-b", branch);
  writeFile(`${site.repo}/${file}`, "half\n");
  runGit(site.repo, "add", "--all");
  runGit(site.repo, "commit", "--quiet", "--message=half of it");
  runGit(site.repo, "checkout", "--quiet", "main");
  return runGit(site.repo, "rev-parse", branch);
}

function writeFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
