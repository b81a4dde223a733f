// status.json as the log of a run gives it, and the plan of a session before it starts.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { completed } from "../../../../test/support/engine/reports.ts";
import { lifecycleDefinition, SessionDriver } from "../../../../test/support/lifecycle-session.ts";
import { chooser, nextCommand } from "../../../../test/support/random-run.ts";
import { startOf } from "../../../../test/support/sample-runs.ts";
import type { Command } from "../../../domain/command.ts";
import { decidedValues } from "../../../domain/route.ts";
import type { Run } from "../../../domain/run.ts";
import { decide, startRun } from "../../../engine/decide.ts";
import { english } from "../locale/en.ts";
import { sessionView } from "./display.ts";
import { plannedSession } from "./planned-session.ts";
import { sessionDocument } from "./session-document.ts";
import { SessionLog } from "./session-log.ts";
import { stepIn } from "./shown-steps.ts";

const skills = (phase: string) => [
  `maestro-analyze ${phase}`,
  `maestro-plan ${phase}`,
  `maestro-execute ${phase}`,
  `maestro-verify ${phase}`,
  "◆ post-verify",
  `quality-business-test ${phase}`,
  "◆ post-business-test",
  `quality-review ${phase}`,
  "◆ post-review",
  `quality-test-gen ${phase}`,
  `quality-test ${phase}`,
  "◆ post-test",
];
const ending = ["maestro-milestone-audit", "maestro-milestone-complete", "◆ post-milestone"];
const marked = (mark: string, ...steps: readonly string[]) => steps.map((step) => `${mark} ${step}`);

const planned = (position: string, at: { milestone?: string; phase?: string } = {}, later: readonly string[] = []) => {
  const from = { position, milestone: at.milestone ?? null, phase: at.phase ?? null };
  const session = plannedSession(lifecycleDefinition(), 'a "shop", with tea', from, later);
  const shown = session.steps.map(({ type, skill, args, stage }) =>
    type === "decision" ? `◆ ${stage}` : `${skill} ${args}`.trim(),
  );
  return { ...session, shown };
};
const first = { milestone: "M1", phase: "1" };

describe("the plan of a session that does not exist yet", () => {
  test("[LS1 E27 E32] goes from where the project stands to the end of the milestone: from plan, 14 steps with 5 decisions", () => {
    const { shown, steps, target } = planned("plan", first);
    expect(shown).toEqual([...skills("1").slice(1), ...ending]);
    expect(steps).toHaveLength(14);
    expect(steps.filter(({ type }) => type === "decision")).toHaveLength(5);
    expect(steps.flatMap(({ barrier, stage }) => (barrier ? [stage] : []))).toEqual(["plan", "execute"]);
    expect(target).toBe("milestone-complete");
  });

  test("[LS1 E16 E17 E26] begins with what the project lacks, and does not invent a phase", () => {
    const setUp = [
      'maestro-brainstorm "a \\"shop\\", with tea"',
      "maestro-init",
      'maestro-roadmap "a \\"shop\\", with tea"',
    ];
    expect(planned("brainstorm").shown).toEqual([...setUp, ...skills("{phase}"), ...ending]);
    expect(planned("init").shown).toEqual([...setUp.slice(1), ...skills("{phase}"), ...ending]);
    expect(planned("roadmap").shown).toEqual([...setUp.slice(2), ...skills("{phase}"), ...ending]);
  });

  test("[LS1 E24 E43] jumps to a decision that failed, to the audit, and past the end; takes later phases along", () => {
    expect(planned("verify-failed", first).shown).toEqual([...skills("1").slice(4), ...ending]);
    expect(planned("milestone-audit", first).shown).toEqual(ending);
    expect(planned("complete").shown).toEqual(["◆ post-milestone"]);
    expect(planned("test", first, ["2"]).shown).toEqual([...skills("1").slice(10), ...skills("2"), ...ending]);
  });
});

describe("status.json", () => {
  test("[LS2 E30 E31 E28] has the fields of a session, in their order", () => {
    const { document } = new SessionDriver().stands("plan");
    const { steps, ...fields } = document;
    expect(Object.keys(document)).toEqual([
      "id",
      "created_at",
      "intent",
      "status",
      "lifecycle_position",
      "target",
      "phase",
      "milestone",
      "auto_mode",
      "context",
      "steps",
      "waves",
      "current_step",
      "updated_at",
      "pawl",
    ]);
    expect(fields).toMatchObject({
      id: "ralph-20260506-131226",
      intent: "the task",
      status: "running",
      lifecycle_position: "plan",
      target: "milestone-complete",
      phase: 1,
      milestone: "M1",
      auto_mode: false,
      context: { plan_dir: null, analysis_dir: null, brainstorm_dir: null },
      waves: [],
      current_step: 0,
      pawl: { run: "run-1", status: "running", why: "", codes: [] },
    });
    expect(steps[0]).toEqual({
      index: 0,
      id: "M1-P1/plan",
      type: "skill",
      skill: "maestro-plan",
      args: "1",
      barrier: true,
      status: "pending",
      wave: null,
      summary: null,
      artifacts: null,
      error: null,
      stage: "plan",
    });
    expect(steps[3]).toMatchObject({
      type: "decision",
      skill: "maestro-ralph",
      args: '{"decision":"post-verify","retry_count":0,"max_retries":2}',
    });
  });

  test("[LS2 E27 E79] a session from plan has the steps of its plan, and neither locate nor stand", () => {
    const session = new SessionDriver().stands("plan");
    expect(session.shown).toEqual(marked(" ", ...planned("plan", first).shown));
  });

  test("[LS3 E53 E79] each end of a skill is a wave and moves the position; a stop before a decision is no pause", () => {
    const session = new SessionDriver().stands("plan");
    session.claim("M1-P1/plan");
    expect(session.document).toMatchObject({
      current_step: 0,
      steps: [{ status: "running", wave: 1 }, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}],
      waves: [{ n: 1, status: "running", step_indexes: [0], csv: "wave-1.csv", results_csv: "wave-1-results.csv" }],
    });
    const positions = ["plan", "execute", "verify"].map((stage) => {
      const wave = { number: 1, position: 1, call: `maestro-${stage} 1`, csv: "", artifacts: `scratch/${stage}` };
      session.pass(`M1-P1/${stage}`, { summary: `${stage} went well`, facts: { wave } });
      return session.document.lifecycle_position;
    });
    expect(positions).toEqual(["execute", "verify", "business-test"]);
    const { document } = session;
    expect(document).toMatchObject({ status: "running", current_step: 3, pawl: { status: "held" } });
    expect(document.steps[2]).toMatchObject({
      status: "completed",
      wave: 3,
      summary: "verify went well",
      artifacts: "scratch/verify",
    });
    expect(document.waves.map(({ n, status, step_indexes }) => [n, status, step_indexes])).toEqual([
      [1, "completed", [0]],
      [2, "completed", [1]],
      [3, "completed", [2]],
    ]);
  });

  test("[LS4 E38 E45 E47 E67 E68] fix loops stand behind their decision, under stable ids, until the escalation pauses the session", () => {
    const session = new SessionDriver().stands("verify");
    session.pass("M1-P1/verify");
    session.decides("M1-P1/post-verify", "fix", 'the cart is "empty"');
    const loop = [
      'quality-debug "the cart is \\"empty\\""',
      "maestro-plan --gaps 1",
      "maestro-execute 1",
      "maestro-verify 1",
    ];
    expect(session.shown.slice(0, 7)).toEqual([
      ...marked("+", "maestro-verify 1", "◆ post-verify"),
      ...marked(" ", ...loop, "◆ post-verify"),
    ]);
    const [, decision, debug] = session.document.steps;
    expect(decision).toMatchObject({ id: "M1-P1/post-verify", summary: 'fix: the cart is "empty"' });
    const id = debug?.id;
    for (const round of [2, 3]) {
      for (const stage of ["debug", "plan-gaps", "execute", "verify"]) session.pass(`M1-P1/${stage}~${round}`);
      session.decides("M1-P1/post-verify", "fix", "still empty");
    }
    expect(session.document.steps[2]).toMatchObject({ id, index: 2, status: "completed" });
    session.pass("M1-P1/debug~4");
    const { steps, pawl, status, current_step } = session.document;
    const decisions = steps.filter(({ stage }) => stage === "post-verify");
    expect(decisions.map(({ args }) => JSON.parse(args).retry_count)).toEqual([0, 1, 2, 2]);
    expect(decisions.map(({ id: each }) => each)).toEqual([
      "M1-P1/post-verify",
      "M1-P1/post-verify#2",
      "M1-P1/post-verify#3",
      "M1-P1/post-verify#4",
    ]);
    expect(pawl.codes.map(({ code, step, inserted }) => [code, step, inserted])).toEqual([
      ["W001", "M1-P1/post-verify", ["debug", "plan-gaps", "execute", "verify"]],
      ["W001", "M1-P1/post-verify", ["debug", "plan-gaps", "execute", "verify"]],
      ["W002", "M1-P1/post-verify", ["debug", "escalate", "verify"]],
    ]);
    expect(status).toBe("paused");
    expect(steps[current_step]).toMatchObject({ stage: "escalate", type: "decision", status: "pending" });
    expect(pawl.why).toContain("debug has run");
    session.answer("M1-P1/escalate~2", "again");
    expect(session.document.steps[current_step]).toMatchObject({ status: "completed", summary: "again" });
  });

  test("[LS5 E14 E54 E65] a failed skill pauses the session, the rest stays pending, and again is one more wave of the same step", () => {
    const session = new SessionDriver().stands("execute");
    session.claim("M1-P1/execute");
    session.must(
      session.finishing(
        session.attempts("M1-P1/execute")[0] as never,
        {
          ...completed({ kind: "passed" }),
          outcome: "timed_out",
          why: "its time was over",
          retryAt: null,
        } as never,
      ),
      "driver",
    );
    expect(session.document).toMatchObject({ status: "paused", current_step: 0 });
    expect(session.document.steps.map(({ status }) => status)).toEqual(["failed", ...Array(12).fill("pending")]);
    expect(session.document.steps[0]).toMatchObject({ error: "its time was over", wave: 1 });
    expect(session.document.pawl.codes).toMatchObject([{ code: "E005", why: "its time was over" }]);
    session.answer("M1-P1/execute", "again");
    session.reject("M1-P1/execute", "no plan");
    expect(session.document.steps[0]).toMatchObject({ status: "failed", error: "no plan", wave: 2 });
    session.answer("M1-P1/execute", "again");
    session.pass("M1-P1/execute");
    expect(session.document).toMatchObject({ status: "running", lifecycle_position: "verify", current_step: 1 });
    expect(session.document.waves.map(({ status, step_indexes }) => [status, step_indexes])).toEqual([
      ["failed", [0]],
      ["failed", [0]],
      ["completed", [0]],
    ]);
  });

  test("[LS6 E25 E63 E64] what a reader cannot tell pauses the session with its code", () => {
    const session = new SessionDriver().stands("verify");
    session.pass("M1-P1/verify");
    session.decides("M1-P1/post-verify", "unknown", "verification.json is missing");
    expect(session.document).toMatchObject({ status: "paused", pawl: { status: "held" } });
    expect(session.document.pawl.codes).toMatchObject([{ code: "E004", why: "verification.json is missing" }]);
    const lost = new SessionDriver();
    lost.say("locate", "unknown", { facts: { code: "E003", decision: { why: "E003: no folder" } } });
    expect(lost.document.pawl.codes).toMatchObject([{ code: "E003", step: "locate", why: "no folder" }]);
    const unread = new SessionDriver();
    unread.say("locate", "unknown");
    expect(unread.document.pawl.codes).toMatchObject([{ code: "E002" }]);
  });

  test("[LS7 E42 E60 E75] from nothing through two milestones: the phase is known after the roadmap, and the chain grows", () => {
    const session = new SessionDriver("none");
    session.say("locate", "brainstorm");
    expect(session.document).toMatchObject({
      lifecycle_position: "brainstorm",
      phase: null,
      milestone: null,
      auto_mode: true,
    });
    expect(session.shown).toEqual(
      marked(
        " ",
        'maestro-brainstorm "the task"',
        "maestro-init",
        'maestro-roadmap "the task"',
        ...skills("{phase}"),
        ...ending,
      ),
    );
    for (const stage of ["brainstorm", "init", "roadmap"]) session.pass(`${stage}~2`);
    session.stands("analyze");
    expect(session.shown.slice(3)).toEqual(marked(" ", ...skills("1"), ...ending));
    const milestone = (id: string) => {
      for (const stage of ["analyze", "plan", "execute", "verify"]) session.pass(`${id}/${stage}`);
      session.decides(`${id}/post-verify`, "proceed");
      session.pass(`${id}/business-test`);
      session.decides(`${id}/post-business-test`, "proceed");
      session.pass(`${id}/review`);
      session.decides(`${id}/post-review`, "proceed");
      for (const stage of ["test-gen", "test"]) session.pass(`${id}/${stage}`);
      session.decides(`${id}/post-test`, "proceed");
      for (const stage of ["milestone-audit", "milestone-complete"]) session.pass(stage);
    };
    milestone("M1-P1");
    session.decides("post-milestone", "more");
    session.stands("analyze", ["M2-P1"]);
    expect(session.document).toMatchObject({ milestone: "M2", phase: 1, lifecycle_position: "analyze" });
    expect(session.shown.slice(18)).toEqual(marked(" ", ...skills("1"), ...ending));
    milestone("M2-P1");
    session.decides("post-milestone", "complete");
    const { document } = session;
    expect(document).toMatchObject({ status: "completed", lifecycle_position: "complete", current_step: 33 });
    expect(document.steps).toHaveLength(33);
    expect(document.steps.every(({ status }) => status === "completed")).toBe(true);
    expect(document.waves).toHaveLength(3 + 2 * 10);
  });

  test("[LS14 E55] the context of a phase stays through the end of its milestone, and that of the project for good", () => {
    const session = new SessionDriver("none").stands("finished");
    const left = (context: Readonly<Record<string, string | null>>) => ({ facts: { context } });
    const empty = { plan_dir: null, analysis_dir: null, brainstorm_dir: null };
    session.decides("M1-P1/post-test", "fix");
    session.pass("M1-P1/debug-uat~2", left({ ...empty, plan_dir: "p", brainstorm_dir: "b" }));
    session.pass("M1-P1/plan-gaps~2", left({ ...empty, plan_dir: "q", brainstorm_dir: "b" }));
    session.pass("M1-P1/execute~2", left(empty));
    expect(session.document.context).toEqual({ ...empty, plan_dir: "q", brainstorm_dir: "b" });
    const next = new SessionDriver("none").stands("plan", ["M1-P1", "M1-P2"]);
    next.pass("M1-P1/plan", left({ ...empty, plan_dir: "p", brainstorm_dir: "b" }));
    for (const stage of ["execute", "verify"]) next.pass(`M1-P1/${stage}`);
    next.decides("M1-P1/post-verify", "proceed");
    next.pass("M1-P1/business-test");
    next.decides("M1-P1/post-business-test", "proceed");
    next.pass("M1-P1/review");
    next.decides("M1-P1/post-review", "proceed");
    for (const stage of ["test-gen", "test"]) next.pass(`M1-P1/${stage}`);
    next.decides("M1-P1/post-test", "proceed");
    expect(next.document.context).toEqual({ ...empty, plan_dir: "p", brainstorm_dir: "b" });
    next.say("M1-P2/stand", "plan");
    next.pass("M1-P2/plan", left(empty));
    expect(next.document.context).toEqual({ ...empty, brainstorm_dir: "b" });
  });

  test("[LS8] a decision that a person went past is skipped; a run that ended otherwise is a paused session", () => {
    const session = new SessionDriver().stands("verify");
    session.pass("M1-P1/verify");
    session.answer("M1-P1/post-verify", "skip");
    expect(session.document.steps[1]).toMatchObject({ stage: "post-verify", status: "skipped" });
    expect(session.document.current_step).toBe(2);
    session.cancel("enough");
    expect(session.document).toMatchObject({ status: "paused", pawl: { status: "cancelled", why: "enough" } });
  });

  test("[LS8] what was done before a run was cancelled stays, and the rest is pending, once", () => {
    const session = new SessionDriver().stands("plan");
    for (const stage of ["plan", "execute", "verify"]) session.pass(`M1-P1/${stage}`);
    const { shown, document } = session;
    session.cancel("enough");
    expect(session.shown).toEqual(shown);
    expect(session.document).toMatchObject({
      lifecycle_position: document.lifecycle_position,
      current_step: 3,
      phase: 1,
      pawl: { status: "cancelled" },
    });
    expect(sessionView(session.document, lifecycleDefinition(), english)).not.toContain("Resume");
  });

  test("[LS2 E29] other skills in the file are other skills in the session", () => {
    const definition = lifecycleDefinition((text) =>
      text.replaceAll("maestro-", "acme-").replaceAll("quality-", "qa-"),
    );
    const session = new SessionDriver("marked", definition).stands("plan");
    expect(session.shown.slice(0, 3)).toEqual(marked(" ", "acme-plan 1", "acme-execute 1", "acme-verify 1"));
  });
});

test("[LS2 LS4 E31 E45 E79] in every state of a run its steps are numbered without a gap, its ids are unique and stay, and nothing past changes", () => {
  const definition = lifecycleDefinition();
  let deepest = 0;
  let longest = 0;
  fc.assert(
    fc.property(fc.integer(), fc.constantFrom("marked" as const, "none" as const), (seed, waits) => {
      const choose = chooser(seed);
      const started = startRun(startOf(definition, { waits }));
      let { run } = started;
      const log = new SessionLog();
      for (const event of started.events) log.apply(event);
      const past = new Map<number, string>();
      for (let turn = 0; turn < 150 && run.header.end?.status !== "cancelled"; turn += 1) {
        const decision = decide(run, decided(run, nextCommand(run, 2_000 + turn * 10, choose), choose));
        if (!decision.accepted) continue;
        run = decision.run;
        for (const event of decision.events) log.apply(event);
        const { steps, current_step, waves } = sessionDocument("ralph-1", run, log);
        expect(steps.map(({ index }) => index)).toEqual(steps.map((_, index) => index));
        expect(new Set(steps.map(({ id }) => id)).size).toBe(steps.length);
        const isOver = ({ status }: (typeof steps)[number]) => status === "completed" || status === "skipped";
        expect(steps.slice(0, current_step).every(isOver)).toBe(true);
        expect(steps[current_step] === undefined || !isOver(steps[current_step])).toBe(true);
        for (const step of steps.slice(0, log.past.length)) {
          expect(past.get(step.index) ?? step.id).toBe(step.id);
          past.set(step.index, step.id);
        }
        for (const { n, status } of waves) expect([n, status]).not.toContain("pending");
        expect(steps.filter(({ wave, type }) => wave !== null && type === "decision")).toEqual([]);
        deepest = Math.max(deepest, log.past.length);
        longest = Math.max(longest, waves.length);
      }
    }),
    { numRuns: 60 },
  );
  expect(deepest).toBeGreaterThan(10);
  expect(longest).toBeGreaterThan(10);
});

/** A decision says one of its values instead, and locate plans a phase. */
function decided(run: Run, command: Command, choose: (below: number) => number): Command {
  if (command.type !== "finish_attempt" || command.report.outcome !== "completed") return command;
  const scope = command.story === null ? run.header : run.stories[command.story];
  const name = scope?.attempts.find(({ id }) => id === command.attempt)?.name;
  const definition = name === undefined ? undefined : stepIn(run.header.definition, command.story, name);
  if (definition?.kind !== "decision") return command;
  const values = name === "locate" ? ["phases", "phases", "init", "audit"] : decidedValues(definition.on);
  const value = values[choose(values.length)] ?? "";
  const spec = { title: "", description: "", acceptanceCriteria: [], dependsOn: [] };
  const stories = value === "phases" ? [{ id: `M${run.header.stories.length + 1}-P1` as never, ...spec }] : null;
  return { ...command, report: completed({ kind: "value", value }, { stories }) };
}
