// Steps that fail, hang or are killed: what is kept of their work, what is restored, and how the story continues.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isAlive, processIdentity } from "../../src/system/process/identity.ts";
import { expectCode } from "../support/pawl.ts";
import {
  begun,
  expectNothingLeft,
  impatientWorkflow,
  integrated,
  newRalph,
  processesOf,
  type Ralph,
} from "../support/ralph.ts";
import { commitFile, log, runGit, tempDir } from "../support/repository.ts";
import { until } from "../support/until.ts";

function sharedFile(ralph: Ralph, name: string): string {
  return readFileSync(join(ralph.shared, name), "utf8");
}

function stepOf(ralph: Ralph, story: string, type: string) {
  const step = ralph.story(story).steps.find((candidate) => candidate.type === type);
  if (step === undefined) throw new Error(`${story} has no ${type}`);
  return step;
}

// Everything that an agent can do to a tree, and an edit request; then it fails.
const failing = `
*/planning) echo plan > plan.txt; commit ;;
US-001/coding)
  if [ -e "$S/mended" ]; then
    test "$(cat tracked.txt)" = base && test ! -e new.txt && test -s plan.txt && test -s "$PAWL_SHARED/scratch.md" || exit 1
    echo good > good.txt
  else
    mkdir -p "$PAWL_SHARED/workflow_edits"
    echo '[{"operation":"skip","target_step_id":"step-003","reason":"why not"}]' > "$PAWL_SHARED/workflow_edits/US-001.json"
    echo committed > tracked.txt; rm gone.txt; commit
    echo 'and changed' >> tracked.txt; printf '\\000\\001' > binary.bin; mkdir sub; echo untracked > sub/new.txt
    git add binary.bin
    exit 1
  fi ;;`;

test("[C67 C79 C80 C81 C82 C110 PF2] a step that edits, commits, leaves files and exits 1: all of it is in a diff that applies, nothing of it anywhere else, and retry continues at that step", async () => {
  const ralph = newRalph([{ id: "US-001" }], { agent: failing });
  commitFile(ralph.repo, "gone.txt", "gone\n");
  commitFile(ralph.repo, "tracked.txt", "base\n");
  const base = runGit(ralph.repo, "rev-parse", "main");
  expectCode(await ralph.run(), 1);

  const failed = stepOf(ralph, "US-001", "coding");
  expect(failed).toMatchObject({ status: "failed", error: expect.stringContaining("exit code 1") });
  expect(ralph.story("US-001").status).toBe("failed");
  expect(sharedFile(ralph, "scratch.md")).toMatch(new RegExp(`US-001 failed at ${failed.id}: .*exit code 1`));
  expect(readdirSync(join(ralph.shared, "workflow_edits"))).toEqual(["failed"]);
  const [edits = ""] = readdirSync(join(ralph.shared, "workflow_edits/failed"));
  expect(sharedFile(ralph, `workflow_edits/failed/${edits}`)).toContain("why not");
  expect(stepOf(ralph, "US-001", "final_review").status).toBe("pending");
  expect(runGit(ralph.repo, "rev-parse", "main")).toBe(base);

  // The work of the step before it is kept: the branch is where the failed step began.
  const start = failed.git_sha_at_start ?? "";
  expect(runGit(ralph.repo, "rev-parse", "ralph/US-001")).toBe(start);
  expect(log(ralph.repo, `main..${start}`)).toEqual(["US-001 planning"]);
  const copy = join(tempDir(), "copy");
  runGit(ralph.repo, "clone", "--quiet", "--no-checkout", ralph.repo, copy);
  runGit(copy, "checkout", "--quiet", "--detach", start);
  runGit(copy, "apply", join(ralph.shared, `failures/US-001-${failed.id}.diff`));
  expect(readFileSync(join(copy, "tracked.txt"), "utf8")).toBe("committed\nand changed\n");
  expect(readFileSync(join(copy, "sub/new.txt"), "utf8")).toBe("untracked\n");
  expect([...readFileSync(join(copy, "binary.bin"))]).toEqual([0, 1]);
  expect(existsSync(join(copy, "gone.txt"))).toBe(false);

  ralph.release("mended");
  expectCode(await ralph.pawl("retry", "1", "--story", "US-001"), 0);
  expect(stepOf(ralph, "US-001", "coding").status).toBe("pending");
  expectCode(await ralph.pawl("resume", "1"), 0);
  expect(begun(ralph.journal()).filter((step) => step === "US-001/planning")).toHaveLength(1);
  const files = ["README.md", "gone.txt", "good.txt", "plan.txt", "tracked.txt"];
  expect(runGit(ralph.repo, "ls-tree", "-r", "--name-only", "main").split("\n")).toEqual(files);
  expect(log(ralph.repo, `${base}..main`)).toEqual(["feat(ralph): US-001 - Title of US-001"]);
  await expectNothingLeft(ralph);
});

// Exit code 0 each time: only the words say no.
const refusing = `
US-001/final_review)
  printf 'SUMMARY: NOT DONE. Do not merge this.\\nSTATUS: failed\\nREASON: criterion 1 is not met\\n'; exit ;;
US-002/coding) echo "$PAWL_ATTEMPT" > rounds.txt; commit ;;
US-002/final_review)
  if [ "$PAWL_ATTEMPT" = 1 ]; then printf '## Summary\\nNot yet.\\n\\nSTATUS: retry\\nISSUES:\\n- no filter\\n'; exit; fi ;;`;

test("[PR32 PR33 C110] a final review that says no in words is not merged: failed fails the story, retry sends it back to coding", async () => {
  const ralph = newRalph([{ id: "US-001" }, { id: "US-002" }], { agent: refusing });
  expectCode(await ralph.run(), 1);

  expect(stepOf(ralph, "US-001", "final_review")).toMatchObject({
    status: "failed",
    error: expect.stringContaining("criterion 1 is not met"),
  });
  expect(begun(ralph.journal()).filter((step) => step.startsWith("US-002"))).toEqual([
    "US-002/planning",
    "US-002/coding",
    "US-002/final_review",
    "US-002/coding",
    "US-002/final_review",
  ]);
  const prompt = readdirSync(join(ralph.home, "logs"), { recursive: true, encoding: "utf8" }).find((name) =>
    name.endsWith("US-002-step-002-2.prompt.md"),
  );
  expect(readFileSync(join(ralph.home, "logs", prompt ?? ""), "utf8")).toContain("- no filter");
  expect(integrated(ralph.repo)).toEqual(["US-002"]);
  expect(runGit(ralph.repo, "show", "main:rounds.txt")).toBe("2");
});

test("[C82 C87 LC8 DR2] a story that is retried while another has its slot continues there afterwards, with its own commits", async () => {
  const ralph = newRalph([{ id: "US-001" }, { id: "US-002" }], {
    agent: `${failing}
US-002/coding) : > "$S/second"; echo theirs > second.txt; echo dirty > dirty.txt; await_file go; commit ;;`,
  });
  commitFile(ralph.repo, "gone.txt", "gone\n");
  commitFile(ralph.repo, "tracked.txt", "base\n");
  const driver = ralph.startRun("--agents", "1");
  await until(() => ralph.isThere("second"));
  expect(ralph.story("US-001").status).toBe("failed");
  ralph.release("mended");
  expectCode(await ralph.pawl("retry", "1", "--story", "US-001"), 0);
  ralph.release("go");
  expectCode(await driver.ended, 0);
  const coded = ralph.journal().filter(({ what, type }) => what === "begin" && type === "coding");
  expect(coded.map(({ story, slot }) => `${story} in ${slot}`)).toEqual(["US-001 in 1", "US-002 in 1", "US-001 in 1"]);
  expect(begun(ralph.journal()).filter((step) => step === "US-001/planning")).toHaveLength(1);
  const changed = (commit: string) => runGit(ralph.repo, "show", "--format=", "--name-only", commit).split("\n");
  expect(changed("main~1")).toEqual(["dirty.txt", "plan.txt", "second.txt"]);
  expect(changed("main")).toEqual(["good.txt"]);
  await expectNothingLeft(ralph);
});

// A process in its own session, out of reach of a signal to the process group.
const clingy = `
  echo half > half.txt; git add half.txt
  setsid sh -c 'echo $$ > "$1/grandchild.new"; mv "$1/grandchild.new" "$1/grandchild"; sleep 600' - "$S" &
  sh -c 'echo $$ > "$1/child.new"; mv "$1/child.new" "$1/child"; sleep 600' - "$S" &
  echo $$ > "$S/agent.new"; mv "$S/agent.new" "$S/agent"`;

/** The agent and what it started, once they run. */
async function family(ralph: Ralph) {
  const names = ["agent", "child", "grandchild"];
  await until(() => names.every((name) => ralph.isThere(name)));
  const identities = names.map((name) => processIdentity(Number(readFileSync(ralph.path(name), "utf8"))));
  const found = identities.filter((identity) => identity !== null);
  expect(found).toHaveLength(3);
  return { agent: found[0], isGone: () => !found.some((identity) => isAlive(identity)) };
}

test("[C76 C79] a silent agent is stopped at its limit with everything that it started; its step is cancelled and says so, its story failed", async () => {
  // Enough to begin on a busy machine: what counts is that it is over, not when.
  const ralph = newRalph([{ id: "US-001" }], {
    agent: `*/planning)${clingy}\n  sleep 600 ;;`,
    workflow: impatientWorkflow,
  });
  expectCode(await ralph.run(), 1);
  expect(["agent", "child", "grandchild"].filter((name) => !ralph.isThere(name))).toEqual([]);
  expect(await processesOf(ralph)).toBe(0);
  expect(stepOf(ralph, "US-001", "planning")).toMatchObject({
    status: "cancelled",
    error: expect.stringContaining("time limit after 6 s"),
  });
  expect(ralph.story("US-001").status).toBe("failed");
  expect(sharedFile(ralph, "failures/US-001-step-001.diff")).toContain("half.txt");
  expect(integrated(ralph.repo)).toEqual([]);
});

test("[C31 C79 RC9] an agent that is killed from outside fails its step, and its work is kept as a diff; a retry starts from where it began", async () => {
  const ralph = newRalph([{ id: "US-001" }], {
    agent: `
*/coding)
  if [ "$PAWL_ATTEMPT" = 1 ]; then${clingy}
    sleep 600
  fi
  test ! -e half.txt || exit 1
  echo whole > whole.txt ;;`,
  });
  const driver = ralph.startRun();
  const { agent, isGone } = await family(ralph);
  process.kill(agent?.pid ?? 0, "SIGKILL");
  expectCode(await driver.ended, 1);
  expect(isGone()).toBe(true);
  const ended = (await ralph.events()).filter(({ type }) => type === "attempt_ended");
  expect(ended.map(({ outcome }) => outcome).filter((outcome) => outcome !== "completed")).toEqual(["failed"]);
  expect(stepOf(ralph, "US-001", "coding").error).toContain("it died by SIGKILL");
  expectCode(await ralph.pawl("retry", "1"), 0);
  expectCode(await ralph.pawl("resume", "1"), 0);
  expect(begun(ralph.journal()).filter((step) => step === "US-001/coding")).toHaveLength(2);
  expect(sharedFile(ralph, `failures/US-001-${stepOf(ralph, "US-001", "coding").id}.diff`)).toContain("half.txt");
  expect(runGit(ralph.repo, "ls-tree", "--name-only", "main").split("\n")).toEqual(["README.md", "whole.txt"]);
  await expectNothingLeft(ralph);
});

test("[C90 C110 PF3] a story whose tests stay red fails at its review, and leaves nothing on the base", async () => {
  const ralph = newRalph([{ id: "US-001" }]);
  const base = runGit(ralph.repo, "rev-parse", "main");
  expectCode(await ralph.run("--test", "echo this is red; false"), 1);
  expect(begun(ralph.journal()).filter((step) => step === "US-001/final_review")).toHaveLength(3);
  expect(stepOf(ralph, "US-001", "final_review").status).toBe("failed");
  expect(stepOf(ralph, "US-001", "final_review").error).toContain("red");
  expect(runGit(ralph.repo, "rev-parse", "main")).toBe(base);
});
