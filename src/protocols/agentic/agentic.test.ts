// The protocol in a run: what its executors find and leave in `.ai/`, and what STATE.json shows.

import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agenticWorkflow, makeAgenticWorld, specOf } from "../../../test/support/agentic-world.ts";
import { runGit } from "../../../test/support/repository.ts";
import { describeProtocol } from "../protocol.contract.ts";
import { agentic } from "./agentic.ts";

describeProtocol({ ...agentic, storiesFor: (task) => [specFor(task)] }, agenticWorkflow);

function specFor(task: string) {
  return { id: "US-001" as never, title: task, description: "", acceptanceCriteria: [], dependsOn: [] };
}

test("[AG13 AG14 AG15 AG16 D4 D14 D16 D20 D52] executors talk by files alone, STATE.json shows each phase, and nothing of .ai/ is committed", async () => {
  const site = await makeAgenticWorld(`
cp .ai/STATE.json "$seen/$PAWL_STEP-$PAWL_ATTEMPT.json"
[ ! -e .ai/HANDOFF.md ] || cp .ai/HANDOFF.md "$seen/$PAWL_STEP-$PAWL_ATTEMPT.md"
echo "$PAWL_STEP $PAWL_ATTEMPT" >> work.txt
case $PAWL_STEP-$PAWL_ATTEMPT in
bdd-1) handoff failing "reason: nfr_missing" "tests_pass: 1" "tests_fail: 2" ;;
bdd-2) handoff complete "files_changed: [docs/a.md]" ;;
impl-1) [ ! -e .ai/executor-result ]; printf 'status: pass\\nsummary: done it\\n' > .ai/executor-result; handoff failing ;;
esac
`);
  site.write("step-rules.yaml", "steps: {}\n");
  const run = await site.begin(["US-001", "US-002"]);
  expect(await site.drive(run)).toBe("held");
  const running = JSON.parse(site.seen("bdd-1.json")) as object;
  expect(running).toEqual({
    project: "repo",
    story: "US-001",
    step: "bdd",
    attempt: 1,
    max_attempts: 3,
    status: "running",
    reason: null,
    dispatched_at: expect.stringMatching(/^\d{4}-.*Z$/),
    completed_at: null,
    timeout_min: 5,
    tests: null,
    failing_tests: [],
    lint_pass: null,
    files_changed: [],
    blocked_by: [],
    human_note: null,
  });
  expect(JSON.parse(site.seen("bdd-2.json"))).toMatchObject({
    attempt: 2,
    max_attempts: 3,
    status: "running",
    tests: null,
  });
  // The second session reads the hand-off of the first.
  expect(site.seen("bdd-2.md")).toContain("reason: nfr_missing");
  expect(site.state()).toMatchObject({
    story: "US-001",
    step: "review",
    status: "needs_human",
    reason: null,
    files_changed: ["docs/a.md"],
    completed_at: expect.any(String),
  });
  expect(site.state("states/US-002.json")).toMatchObject({
    story: "US-002",
    step: "bdd",
    attempt: 1,
    status: "pending",
  });
  expect(site.read("HANDOFF.md")).toBe(site.read("handoffs/US-001.md"));
  expect(site.read("HANDOFF.md")).toContain("status: complete");

  await site.answer(run, "US-001", "approve");
  expect(await site.drive(run)).toBe("held");
  expect(site.state("states/US-001.json")).toMatchObject({ step: "done", status: "pass" });
  expect(site.state()).toMatchObject({ story: "US-002", step: "review", status: "needs_human" });
  const files = runGit(site.world.repo, "ls-tree", "-r", "--name-only", "main").split("\n");
  expect(files).toContain("work.txt");
  expect(files.filter((file) => file.startsWith(".ai/"))).toEqual([]);
  expect(runGit(site.world.repo, "status", "--porcelain", "--untracked-files=all")).toBe("?? .ai/step-rules.yaml");
});

test("[AG13 AG14 AG15 D20 D52 D53 D77] two stories at once and one that waits for both: each has its own state and hand-off, and none sees a result of another", async () => {
  const site = await makeAgenticWorld(
    `
[ -e .ai/executor-result ] && touch "$seen/stale"
echo "$PAWL_STORY $PAWL_STEP" >> "$seen/$PAWL_STORY"
# Each waits until the other one is at work.
case $PAWL_STORY-$PAWL_STEP in
US-001-bdd) until [ -e "$seen/US-002" ]; do sleep 0.05; done ;;
US-002-bdd) until [ -e "$seen/US-001" ]; do sleep 0.05; done ;;
esac
echo "$PAWL_STEP" >> "$PAWL_STORY.txt"
printf 'status: pass\nsummary: done it\n' > .ai/executor-result
handoff pass "files_changed: [$PAWL_STORY.txt]"
`,
    agenticWorkflow
      .replace("concurrency: 1", "concurrency: 2")
      .replace(/ {6}- id: review\n.*\n.*\n/, "")
      .replace("back_to: review", "back_to: bdd"),
  );
  site.write("executor-result", "status: failing\nreason: scope_warning\n");
  const run = await site.begin([
    specOf("US-001"),
    specOf("US-002"),
    { ...specOf("US-003"), dependsOn: [specOf("US-001").id, specOf("US-002").id] },
  ]);
  expect(await site.drive(run)).toBe("done");
  for (const story of ["US-001", "US-002", "US-003"]) {
    expect(site.state(`states/${story}.json`)).toMatchObject({
      story,
      step: "done",
      files_changed: [`${story}.txt`],
      blocked_by: [],
    });
    expect(site.read(`handoffs/${story}.md`)).toContain(`story: ${story}\nstep: impl\n`);
    expect(site.seen(story)).toBe(`${story} bdd\n${story} impl\n`);
  }
  expect(() => site.seen("stale")).toThrow("ENOENT");
  expect(site.read("HANDOFF.md")).toBe(site.read("handoffs/US-003.md"));
  // The file has the last hand-off only; the store has all of them.
  const handoffs = (await site.world.events(run)).flatMap((event) =>
    event.type === "attempt_ended" && typeof event.facts?.["handoff"] === "string" ? [event.facts["handoff"]] : [],
  );
  expect(handoffs).toHaveLength(6);
  expect(new Set(handoffs).size).toBe(6);
});

test("[AG9 AG15 D18 D51] a session that asks shows as needs_human, with its question at the gate", async () => {
  const site = await makeAgenticWorld(`
case $PAWL_STORY in
US-001) handoff needs_human ;;
US-002) handoff failing "reason: scope_warning" ;;
esac
`);
  const run = await site.begin(["US-001", "US-002"]);
  expect(await site.drive(run)).toBe("held");
  expect(site.state("states/US-001.json")).toMatchObject({
    step: "bdd",
    attempt: 1,
    status: "needs_human",
    reason: null,
  });
  const gates = (await site.world.run(run)).stories["US-001" as never]?.gates;
  expect(gates?.at(-1)).toMatchObject({ cause: "asked", question: expect.stringContaining("- a question") });
});

test("[AG20 D47 D55 D74] a note of a person is in the next prompt exactly once, with the attempt and the files to read", async () => {
  const workflow = agenticWorkflow.replace(
    'input: "{{current_story_id}}"\n        timeout: 10m',
    'input: "Do it.{{attempt_line}}\\n{{files_to_read}}\\n{{human_instruction}}End."\n        timeout: 10m',
  );
  const site = await makeAgenticWorld(
    'cat > "$seen/$PAWL_STEP-$PAWL_ATTEMPT"; [ $PAWL_STEP-$PAWL_ATTEMPT = impl-1 ] && handoff failing || handoff pass',
    workflow,
  );
  const run = await site.begin();
  await site.drive(run);
  await site.answer(run, "US-001", "approve", "30 seconds, others OK");
  expect(await site.drive(run)).toBe("done");
  const first = site.seen("impl-1");
  expect(first.match(/30 seconds, others OK/g)).toHaveLength(1);
  expect(first).toContain("- (none)\n=== Human Instruction ===");
  expect(first).not.toContain("(Attempt");
  const second = site.seen("impl-2");
  expect(second).toContain("Do it.\n(Attempt 2 of 3)");
  expect(second).not.toContain("30 seconds");
});

test("[AG10 D25] a folder or a link in the place of the project's hand-off fails no session in a story's tree", async () => {
  for (const occupy of [mkdirSync, (path: string) => symlinkSync("/etc/hostname", path)]) {
    const site = await makeAgenticWorld("handoff pass");
    const run = await site.begin();
    occupy(join(site.ai, "HANDOFF.md"));
    expect(await site.drive(run)).toBe("held");
    expect((await site.world.attempts(run))[0]?.state).toMatchObject({ outcome: "completed" });
  }
});

test("[AG38] a link in the place of .ai/ is not followed: the next session in that tree gets a folder again, the project's is left alone", async () => {
  const site = await makeAgenticWorld(
    `
case $PAWL_ATTEMPT in
1) rm -r .ai; mkdir "$seen/tree" "$seen/project"; ln -s "$seen/tree" .ai
   rm -r "$LIFTED"; ln -s "$seen/project" "$LIFTED"; exit 1 ;;
*) ls "$seen/tree" "$seen/project" > "$seen/found"; handoff pass ;;
esac`.replaceAll("$LIFTED", "$seen/../repo/.ai"),
  );
  expect(await site.drive(await site.begin())).toBe("held");
  const [tree, project] = site.seen("found").split("\n\n");
  expect([tree, project].map((list) => list?.trim().split("\n").slice(1))).toEqual([[], []]);
});

test("[AG21 AG22 AG24 AG25 FC1 D15 D25 D74] a changed STATE.json: a note is taken, a forged pass is refused, what is broken is restored, and a foreign one stays", async () => {
  const site = await makeAgenticWorld("handoff pass");
  const run = await site.begin();
  await site.drive(run);
  const before = site.state();
  // As the next command does, in a process of its own.
  const look = async () => {
    await site.world.parts.projections.show(run);
    await site.world.parts.projections.close();
  };
  const own = { owner: { team: ["a"] } };
  site.write("STATE.json", JSON.stringify({ ...before, ...own, status: "pass", human_note: "use UTC" }));
  await look();
  expect(site.state()).toEqual({ ...before, ...own, human_note: "use UTC" });
  expect((await site.world.run(run)).header.notes).toMatchObject([{ text: "use UTC", by: "file", story: "US-001" }]);
  expect(site.read("hook.log")).toContain('status "pass" is not taken: answers are given with `pawl project approve`');
  const recorded = (await site.world.parts.store.events(run, 0, 1_000)).flatMap(({ event }) =>
    event.type === "file_change_adopted" || event.type === "file_change_refused" ? [[event.type, event.field]] : [],
  );
  expect(recorded).toEqual([
    ["file_change_adopted", "human_note"],
    ["file_change_refused", "status"],
    ["file_change_adopted", "owner"],
  ]);
  for (const broken of ['{"project": 1,', '{"project": "other"']) {
    site.write("STATE.json", broken);
    await look();
    expect(site.state()).toEqual({ ...before, ...own, human_note: "use UTC" });
  }
  expect(site.read("STATE.json.broken")).toBe('{"project": 1,');
  expect(site.read("STATE.json.broken.2")).toBe('{"project": "other"');
  expect(site.read("hook.log")).toMatch(/STATE\.json:1:15: not valid JSON/);
  rmSync(join(site.ai, "STATE.json"));
  await look();
  expect(site.state()).toEqual({ ...before, ...own, human_note: "use UTC" });
  expect(site.read("hook.log")).toContain("STATE.json was removed; Pawl writes it again");
  // A field that is removed again stays away, and one in the counts stays where there are counts.
  site.write("STATE.json", JSON.stringify({ ...before, human_note: "use UTC" }));
  await look();
  expect(site.state()).toEqual({ ...before, human_note: "use UTC" });
  site.write("STATE.json", '{"tasks": []}');
  await look();
  expect(site.read("STATE.json")).toBe('{"tasks": []}');
  await look();
  expect(site.read("STATE.json")).toBe('{"tasks": []}');
  expect(site.read("hook.log").match(/is not of this protocol \(it has tasks\)/g)).toHaveLength(1);
  expect(await site.world.status(run)).toBe("held");
});
