// Gates as a person uses them: an approval is for what was shown, the first answer counts, a reason chooses the route, a deadline
// answers when no person does, and no command gets around a gate.

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { expectCode, newSite, type Site, statuses, writeAt } from "../support/pawl.ts";
import { implementing, plan, story, writeScript } from "../support/scripts.ts";

const reviewed = `
pawl: 1
id: reviewed
agents: { worker: {} }
steps:
  - { id: work, agent: worker, input: "{{task}} {{feedback}}" }
  - id: look
    gate: "Is this right?"
    options:
      approve: next
      reject: { default: fail, unclear: { back_to: work } }
  - { id: ship, agent: worker, input: "ship {{task}}" }
`;

async function held(site: Site, workflow = reviewed): Promise<string> {
  const script = writeScript(site, {
    work: [{ write: { "a.txt": "{{attempt}}\n" }, commit: "work {{attempt}}", say: "STATUS: done" }],
    ship: [{ say: "STATUS: done" }],
  });
  expectCode(await site.pawl("run", writeAt(site, "reviewed.yml", workflow), "Do it", "--script", script), 3);
  const { gates } = await site.status("1");
  return gates[0]?.id ?? "";
}

test("[GA2 X30] two processes answer at the same moment: one counts, the other is refused, and the run continues once", async () => {
  const site = newSite();
  const gate = await held(site);
  const answers = await Promise.all([0, 1, 2, 3].map(() => site.pawl("answer", gate, "approve")));
  expect(answers.map(({ code }) => code).filter((code) => code === 6)).toHaveLength(3);
  expectCode(await site.pawl("resume", "1"), 0);
  expect(statuses((await site.status("1")).steps)).toContain("ship:done");
});

test("[GA4] an approval for one tree does not approve another: it is refused, the gate shows the new state, and accepts a new answer", async () => {
  const site = newSite();
  const gate = await held(site);
  const { run } = await site.status("1");
  writeFileSync(join(site.home, "worktrees", run.id, "a.txt"), "changed meanwhile\n");
  const moved = await site.pawl("approve", "1");
  expectCode(moved, 6);
  expect(moved.stderr).toContain("changed since");
  expect(await site.status("1")).toMatchObject({ run: { status: "held" }, gates: [{ id: gate, status: "open" }] });
  expectCode(await site.pawl("approve", "1"), 0);
  expectCode(await site.pawl("resume", "1"), 0);
});

test("[GA4] a tree that is gone is the one that would be made again: its approval counts, and work that was not committed is missed", async () => {
  const site = newSite();
  await held(site);
  const { run } = await site.status("1");
  const tree = join(site.home, "worktrees", run.id);
  // As after a restore from a backup, which has no trees.
  rmSync(tree, { recursive: true });
  expectCode(await site.pawl("approve", "1"), 0);
  expectCode(await site.pawl("resume", "1"), 0);

  const uncommitted = newSite();
  const script = writeScript(uncommitted, { work: [{ write: { "a.txt": "1\n" }, say: "STATUS: done" }] });
  const file = writeAt(uncommitted, "reviewed.yml", reviewed);
  expectCode(await uncommitted.pawl("run", file, "Do it", "--script", script), 3);
  rmSync(join(uncommitted.home, "worktrees", (await uncommitted.status("1")).run.id), { recursive: true });
  expectCode(await uncommitted.pawl("approve", "1"), 6);
});

const integrated = `
pawl: 1
id: integrated
agents: { worker: {} }
steps:
  - { id: plan, agent: worker, input: "{{task}}" }
  - id: build
    stories: { workspace: worktree }
    body:
      - { id: implement, agent: worker, input: "{{current_story}}" }
      - { id: integrate, integrate: true }
  - { id: look, gate: "Ship it?", options: { approve: next, reject: fail } }
`;

test("[GA4] a gate that opens when the last story is integrated shows no tree, and accepts the first answer", async () => {
  const site = newSite();
  const script = writeScript(site, { plan: [{ say: plan([story("US-001")]) }], implement: [implementing()] });
  expectCode(await site.pawl("run", writeAt(site, "integrated.yml", integrated), "Do it", "--script", script), 3);
  expectCode(await site.pawl("approve", "1"), 0);
  expectCode(await site.pawl("resume", "1"), 0);
});

test("[GA6 GA11 GA5] a rejection with a reason goes where that reason leads, and its note reaches the next prompt", async () => {
  const site = newSite();
  await held(site);
  expectCode(await site.pawl("reject", "1", "--reason", "Unclear", "--note", "say which colour"), 0);
  expectCode(await site.pawl("resume", "1"), 3);
  const { run, steps } = await site.status("1");
  expect(steps.find((step) => step.id === "work")).toMatchObject({ attempts: 2 });
  expect(readFileSync(join(site.home, "logs", run.id, "run-work-2.prompt.md"), "utf8")).toContain("say which colour");
  // The first approval was for work that no longer exists, so the question is asked again.
  expectCode(await site.pawl("approve", "1"), 0);
  expectCode(await site.pawl("resume", "1"), 0);
});

test("[PN2] a note with the last answer of a run has reached nobody, and `status` says so", async () => {
  const site = newSite();
  const text = 'pawl: 1\nid: last\nsteps: [{ id: look, gate: "Good?" }]\n';
  expectCode(await site.pawl("run", writeAt(site, "last.yml", text), "Do it"), 3);
  expectCode(await site.pawl("approve", "1", "--note", "rename it later"), 0);
  const { stdout } = await site.pawl("status", "1");
  expect(stdout).toContain("note for the run, which no attempt has read: rename it later");
});

test("[GA12] without an answer in time, the declared option is taken", async () => {
  const site = newSite();
  const soon = reviewed.replace(
    'gate: "Is this right?"',
    'gate: "Is this right?"\n    deadline: { after: 1s, then: approve }',
  );
  await held(site, soon);
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  expectCode(await site.pawl("resume", "1"), 0);
  expect((await site.pawl("events", "1")).stdout).toContain("answered approve");
});

test("[GA13 GA3] a gate survives resume, pause and retry, and cannot be bypassed; wrong answers change nothing", async () => {
  const site = newSite();
  const gate = await held(site);
  expectCode(await site.pawl("resume", "1"), 3);
  expectCode(await site.pawl("pause", "1"), 0);
  expectCode(await site.pawl("resume", "1"), 3);
  expectCode(await site.pawl("retry", "1"), 6);
  expectCode(await site.pawl("answer", gate, "maybe"), 2);
  expectCode(await site.pawl("answer", "no-such-gate", "approve"), 5);
  expectCode(await site.pawl("approve", "1", "--note", "x".repeat(100_000)), 2);
  const status = await site.status("1");
  expect(status.gates).toMatchObject([{ id: gate, status: "open" }]);
  expect(statuses(status.steps)).toContain("ship:waiting");
  expect(status.why).toContain("Is this right?");
});

test("[GA2 SO1] kill -9 at any moment of an answer: it counts completely, with all its consequences, or not at all", async () => {
  const site = newSite();
  const gate = await held(site);
  let taken = false;
  for (let delayMs = 0; delayMs <= 240 && !taken; delayMs += 12) {
    const answering = site.start("answer", gate, "approve");
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    answering.child.kill("SIGKILL");
    await answering.ended;
    const { gates, steps } = await site.status("1");
    taken = gates[0]?.status === "answered";
    expect(statuses(steps)).toBe(taken ? "work:done,look:done,ship:ready" : "work:done,look:held,ship:waiting");
  }
  expect((await site.pawl("answer", gate, "approve")).code).toBe(taken ? 6 : 0);
  expectCode(await site.pawl("resume", "1"), 0);
});
