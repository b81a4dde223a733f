// The readers of a lifecycle's decisions, and the values of its calls, on project folders.

import { mkdirSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { planned, writeProject } from "../../../../test/support/lifecycle-project.ts";
import { SessionDriver } from "../../../../test/support/lifecycle-session.ts";
import { tempDir } from "../../../../test/support/repository.ts";
import { attemptId, type StoryId, stepId, stepName, storyId } from "../../../domain/ids.ts";
import type { Run } from "../../../domain/run.ts";
import type { DecisionRead, DecisionWork } from "../../protocol.ts";
import { lifecycle } from "../lifecycle.ts";
import { stepIn } from "../session/shown-steps.ts";
import { phaseIn, phaseStory } from "./phase-plan.ts";
import { phaseOf } from "./phase-story.ts";
import { readProjectState } from "./project-state.ts";

type Files = Readonly<Record<string, unknown>>;

const milestones = [
  { id: "M1", name: "First", status: "active", phases: [1, 2] },
  { id: "M2", name: "Second", status: "pending", phases: [1] },
];
const artifact = (type: string, phase = 1, path = `20260503-${type}-P${phase}-shop`) => ({
  type,
  milestone: "M1",
  phase,
  status: "completed",
  path,
});
const scratch = (type: string, name: string, phase = 1) => `.workflow/scratch/20260503-${type}-P${phase}-shop/${name}`;

function project(files: Files): string {
  const root = tempDir("pawl-lifecycle-");
  writeProject(root, files);
  return root;
}

interface At {
  readonly story?: string | null;
  readonly step?: string;
  readonly context?: Readonly<Record<string, string>>;
  /** A skill of the story began then. */
  readonly skillAt?: number;
  readonly aheadMs?: number;
  readonly feedback?: string;
  /** The story is done. */
  readonly isDone?: boolean;
}

function workIn(root: string, at: At = {}): DecisionWork {
  const { story = "M1-P1", step = "post-verify", context = {}, skillAt, feedback = "", isDone = false } = at;
  const id: StoryId | null = story === null ? null : storyId(story);
  const driver = new SessionDriver().stands("verify", [story ?? "M1-P1"]);
  const { header, stories } = driver.run;
  const own = id === null ? undefined : stories[id];
  const skill = { ...own?.attempts.at(-1), name: stepName("verify"), story: id, startedAt: skillAt ?? 0 };
  const chain = own?.chain.map((each) => (each.name === step ? { ...each, feedback } : each)) ?? [];
  const attempts = skillAt === undefined ? [] : [skill as (typeof header.attempts)[number]];
  const run: Run = {
    header: {
      ...header,
      context,
      stories: (id === null ? [] : header.stories).map((each) => (isDone ? { ...each, status: "done" } : each)),
      place: { ...header.place, repo: root },
    },
    stories: own === undefined ? {} : { [own.id]: { ...own, chain, attempts } },
  };
  const definition = stepIn(header.definition, id, stepName(step)) as DecisionWork["definition"];
  const attempt = {
    id: attemptId("a"),
    story: id,
    step: stepId(step),
    name: stepName(step),
  } as DecisionWork["attempt"];
  return { run, attempt, definition, workspace: root, file: null };
}

async function read(reader: string, root: string, at: At = {}): Promise<DecisionRead> {
  const found = await lifecycle.readers?.[reader]?.read({ ...workIn(root, at), aheadMs: at.aheadMs });
  if (found === undefined) throw new Error(`no reader ${reader}`);
  return found;
}

describe("locate", () => {
  const at = { story: null, step: "locate" };
  const ids = ({ stories = [] }: DecisionRead) => stories.map(({ id }) => id);

  test("[LD1 E16 E17 E18 E75] names what the project lacks, then plans the phase where it stands", async () => {
    expect(await read("locate", project({}), at)).toMatchObject({ value: "brainstorm", feedback: "" });
    expect(await read("locate", project({ "a.ts": "x" }), at)).toMatchObject({ value: "init" });
    expect(await read("locate", project({ ".workflow/state.json": {} }), at)).toMatchObject({ value: "roadmap" });
    const found = await read("locate", project(planned(milestones)), at);
    expect(found).toMatchObject({ value: "phases", outputs: { milestone: "M1", phase: "1" } });
    expect(ids(found)).toEqual(["M1-P1"]);
    expect(found.evidence[0]).toMatchObject({
      file: ".workflow/state.json",
      sha256: expect.stringMatching(/^\w{64}$/),
    });
  });

  test("[LD1 LP1] a session's own folder is no .workflow of the project", async () => {
    const session = { ".workflow/.ralph/ralph-20260503-101010/status.json": "{}" };
    expect(await read("locate", project(session), at)).toMatchObject({ value: "brainstorm" });
    expect(await read("locate", project({ ...session, "a.ts": "x" }), at)).toMatchObject({ value: "init" });
    const empty = project({});
    mkdirSync(join(empty, ".workflow"));
    expect(await read("locate", empty, at)).toMatchObject({ value: "init" });
  });

  test("[LD1 E22 E43] plans the phase that was chosen, or every open one; the choice is for the first milestone", async () => {
    const root = project(planned(milestones));
    expect(ids(await read("locate", root, { ...at, context: { wanted_phase: "2" } }))).toEqual(["M1-P2"]);
    expect(ids(await read("locate", root, { ...at, context: { all_phases: "true" } }))).toEqual(["M1-P1", "M1-P2"]);
    const later = { story: "M0-P1", step: "stand", context: { wanted_phase: "2" } };
    expect(ids(await read("locate", root, later))).toEqual(["M1-P1"]);
    expect(await read("locate", root, { ...at, context: { wanted_phase: "9" } })).toMatchObject({
      value: "unknown",
      facts: { code: "E002" },
    });
  });

  test("[LD10] a phase that the session has worked on is not planned again: a person is asked, also where names differ in case", async () => {
    const taken = (story: string) => ({ story, step: "stand" });
    const root = project(planned(milestones));
    expect(await read("locate", root, taken("M1-P1"))).toMatchObject({
      value: "unknown",
      why: expect.stringContaining("has worked on phase 1 of M1 (M1-P1), which is not finished"),
    });
    expect(await read("locate", root, taken("m1-p1"))).toMatchObject({ value: "unknown" });
    const all = { ...taken("M1-P2"), context: { all_phases: "true" } };
    expect(ids(await read("locate", root, all))).toEqual(["M1-P1"]);
  });

  test("[LD1 E25 E63] what cannot be told is unknown, with its code, the file and the place", async () => {
    const broken = project({ ...planned(milestones), ".workflow/state.json": '{"milestones": {}}' });
    const found = await read("locate", broken, at);
    expect(found).toMatchObject({ value: "unknown", facts: { code: "E002" }, evidence: [{ place: "/milestones" }] });
    expect(found.feedback).toMatch(/^E002: /);
    const gone = project(planned([milestones[0] as (typeof milestones)[number]], [artifact("verify")]));
    expect(await read("locate", gone, at)).toMatchObject({ value: "unknown", facts: { code: "E003" } });
  });
});

describe("stand", () => {
  test("[LD2 E20 E21] says where the phase of its story stands", async () => {
    const root = project({
      ...planned(milestones, [artifact("analyze"), artifact("plan", 2)]),
    });
    expect(await read("stand", root, { step: "stand" })).toMatchObject({ value: "plan" });
    expect(await read("stand", root, { story: "M1-P2", step: "stand" })).toMatchObject({ value: "execute" });
    expect(await read("stand", root, { story: "M9-P1", step: "stand" })).toMatchObject({
      value: "unknown",
      why: expect.stringContaining("has no phase M9-P1 any more"),
    });
  });
});

describe("results of a phase", () => {
  const verified = (files: Files): string =>
    project({
      ...planned(milestones, [artifact("verify")]),
      [scratch("verify", "verification.json")]: { passed: true, gaps: [] },
      ...files,
    });

  test("[LD3 E36 E37 E38] post-verify reads the newest verification, and says what it found wrong", async () => {
    expect(await read("verification", verified({}))).toMatchObject({ value: "proceed" });
    const gaps = [{ severity: "low", description: "a typo" }, { severity: "high", title: "no\n cart" }, "no till"];
    const failed = verified({ [scratch("verify", "verification.json")]: { passed: false, gaps } });
    expect(await read("verification", failed)).toMatchObject({
      value: "fix",
      feedback: "passed is false, with 3 gaps: high: no cart; low: a typo; no till",
    });
  });

  test("[LD3 E39 E40 E41] business test, review and test read their files in the folder of the phase", async () => {
    const root = verified({
      [scratch("verify", "business-test-results.json")]: { passed: false, failures: ["x"] },
      [scratch("verify", "review.json")]: { verdict: "WARN", issues: [{ severity: "critical", description: "a key" }] },
      [scratch("verify", "uat.md")]:
        "---\nstatus: complete\n---\n## Tests\n### 1. It works\nresult: pass\n## Summary\ntotal: 1\npassed: 1\n## Gaps\n[none]\n",
      [scratch("verify", ".tests/test-results.json")]: { tests: [{ name: "a", status: "failed" }] },
    });
    expect(await read("business-test", root)).toMatchObject({ value: "fix" });
    expect(await read("review", root)).toMatchObject({
      value: "fix",
      feedback: expect.stringContaining("critical: a key"),
    });
    expect(await read("uat", root)).toMatchObject({
      value: "fix",
      evidence: [{ file: expect.stringContaining(".tests") }],
    });
    rmSync(join(root, scratch("verify", ".tests")), { recursive: true });
    expect(await read("uat", root)).toMatchObject({ value: "proceed" });
  });

  test("[LD4 E63 E64] a folder or a file that is missing is unknown: E003 with what was looked for, E004 with the file", async () => {
    const none = await read("review", verified({}));
    expect(none).toMatchObject({ value: "unknown", facts: { code: "E004" } });
    expect(none.evidence[0]).toEqual({ file: scratch("verify", "review.json"), sha256: null, place: null });
    const gone = project(planned(milestones, [artifact("verify", 1, "elsewhere")]));
    const lost = await read("verification", gone);
    expect(lost).toMatchObject({
      value: "unknown",
      facts: { code: "E003" },
      evidence: [{ place: "/artifacts/0/path" }],
    });
    expect(lost.why).toContain(".workflow/scratch/*-P1-*");
    expect(await read("verification", project(planned(milestones)))).toMatchObject({ facts: { code: "E003" } });
    const unclear = verified({ [scratch("verify", "review.json")]: { verdict: "FIXED" } });
    expect(await read("review", unclear)).toMatchObject({ value: "unknown", facts: { code: "E004" } });
  });

  test("[LD3 WK60] in one folder for all rounds, a result counts if the skill before the decision has written it", async () => {
    const path = "phases/01-shop";
    const dir = `.workflow/scratch/${path}`;
    const rounds = ["verify", "plan", "execute"].map((type) => artifact(type, 1, path));
    const root = project({
      ...planned(milestones, rounds),
      [`${dir}/verification.json`]: { passed: true, gaps: [] },
      [`${dir}/review.json`]: { verdict: "PASS", issues: [] },
    });
    const old = new Date("2026-05-03T10:00:00Z");
    utimesSync(join(root, dir, "review.json"), old, old);
    const began = Date.parse("2026-05-03T11:00:00Z");
    expect(await read("review", root, { skillAt: began })).toMatchObject({
      value: "unknown",
      facts: { code: "E004" },
    });
    const now = new Date("2026-05-03T11:00:01Z");
    utimesSync(join(root, dir, "review.json"), now, now);
    expect(await read("review", root, { skillAt: began })).toMatchObject({ value: "proceed" });
    // The time of attempts is the server's, and that of files is this machine's.
    expect(await read("review", root, { skillAt: began, aheadMs: -5_000 })).toMatchObject({ value: "unknown" });
    expect(await read("review", root, { skillAt: began + 600_000, aheadMs: 600_000 })).toMatchObject({
      value: "proceed",
    });
  });

  test("[LP13] a result that speaks of another phase says nothing about this one", async () => {
    const speaksOf = async (phase: unknown) =>
      await read("verification", verified({ [scratch("verify", "verification.json")]: { phase, passed: true } }));
    expect(await speaksOf(2)).toMatchObject({
      value: "unknown",
      why: "it speaks of phase 2, not of phase 1",
      evidence: [{ place: "/phase" }],
    });
    for (const own of [1, "1", "P01", "1-cart", null]) expect(await speaksOf(own)).toMatchObject({ value: "proceed" });
  });

  test("[LD3] a result of an older round that is only recorded anew does not count", async () => {
    const root = verified({});
    const file = join(root, scratch("verify", "verification.json"));
    const old = new Date("2026-05-03T10:00:00Z");
    utimesSync(file, old, old);
    const began = Date.parse("2026-05-03T11:00:00Z");
    expect(await read("verification", root, { skillAt: began })).toMatchObject({
      value: "unknown",
      why: expect.stringContaining("is older than the skill that ran last"),
    });
    expect(await read("verification", root)).toMatchObject({ value: "proceed" });
  });
});

test("[LD7 E42] after a milestone: the next one, none, or a question where the state file does not say so", async () => {
  const at = { story: null, step: "post-milestone", context: { milestone: "M1" } };
  const withStates = (...states: readonly string[]) =>
    project(planned(milestones.map((each, index) => ({ ...each, status: states[index] ?? "pending" }))));
  const ended = withStates("completed", "pending");
  writeProject(ended, {
    ".workflow/state.json": JSON.stringify({
      current_milestone: "M2",
      milestones: [{ ...milestones[0], status: "completed" }, milestones[1]],
    }),
  });
  expect(await read("milestone", ended, at)).toMatchObject({ value: "more", why: "M1 is done; M2 comes next" });
  expect(await read("milestone", withStates("completed", "completed"), at)).toMatchObject({ value: "complete" });
  const phases = [artifact("verify"), artifact("verify", 2)];
  const uat =
    "---\nstatus: complete\n---\n## Tests\n### 1. It works\nresult: pass\n## Summary\ntotal: 1\npassed: 1\n## Gaps\n[none]\n";
  const open = project({
    ...planned(milestones, phases),
    ...Object.fromEntries(
      [1, 2].flatMap((phase) => [
        [scratch("verify", "verification.json", phase), { passed: true, gaps: [] }],
        [scratch("verify", "uat.md", phase), uat],
      ]),
    ),
  });
  expect(await read("milestone", open, at)).toMatchObject({ value: "unknown", facts: { code: "E002" } });
});

test("[LD11] a milestone that says it is complete while a phase of it is not finished is a question, unless the session finished that phase", async () => {
  const at = { story: null, step: "post-milestone", context: { milestone: "M1" } };
  const complete = milestones.map((each) => ({ ...each, status: "completed" }));
  const half = project(planned(complete, [artifact("execute", 1)]));
  expect(await read("milestone", half, at)).toMatchObject({
    value: "unknown",
    why: expect.stringContaining("says that M1 is complete, but phase 1 of M1 is not finished: execute is the newest"),
  });
  const next = planned([...complete.slice(0, 1), ...milestones.slice(1)], [artifact("execute", 1)]);
  expect(await read("milestone", project(next), at)).toMatchObject({ value: "unknown" });
  // Archived with its artifacts, nothing of it can be told.
  expect(await read("milestone", project(planned(complete)), at)).toMatchObject({ value: "complete" });
  const alone = complete.map((each) => ({ ...each, phases: [1] }));
  const overruled = { ...at, story: "M1-P1", isDone: true };
  expect(await read("milestone", project(planned(alone, [artifact("execute", 1)])), overruled)).toMatchObject({
    value: "complete",
  });
});

describe("the values of a call", () => {
  const values = (root: string, at: At) => lifecycle.values?.(workIn(root, at), root);

  test("[LD8 E49] phase, milestone, intent and folders; quotes of the intent are escaped", () => {
    const root = project({ ...planned(milestones, [artifact("plan")]), [scratch("plan", "plan.json")]: {} });
    const found = values(root, { step: "execute" });
    expect(found).toMatchObject({ phase: "1", milestone: "M1", plan_dir: ".workflow/scratch/20260503-plan-P1-shop" });
    expect(found).toMatchObject({ scratch_dir: ".workflow/scratch/20260503-plan-P1-shop" });
  });

  test("[LD8 E49] a call that names something unknown fails, and says which", () => {
    const root = project(planned(milestones));
    expect(values(root, { step: "analyze" })).toMatchObject({ phase: "1" });
    const work = workIn(root, { step: "analyze" });
    const broken = { ...work, definition: { ...work.definition, input: "maestro-execute {{plan_dir}}" } };
    expect(() => lifecycle.values?.(broken, root)).toThrow(/analyze: the call needs \{\{plan_dir\}\}/);
    expect(() => values(root, { story: null, step: "milestone-audit" })).not.toThrow();
  });
});

describe("phases as stories", () => {
  const state = (id: string, phase: string) =>
    readProjectState(JSON.stringify({ milestones: [{ id, status: "active", phases: [phase] }] }));

  test.each([
    ["M1", "2", "M1-P2"],
    ["MVP-Pilot", "1", "MVP-Pilot-P1"],
    ["里程碑", "1", /^M-[0-9a-f]{6}-P1$/],
    ["M1", "Payment", /^M1-Ppayment-[0-9a-f]{6}$/],
    ["x".repeat(80), "y".repeat(80), /^M-x{14}-[0-9a-f]{6}-Py{16}-[0-9a-f]{6}$/],
  ])("[LD2] %s, %s: the story's id is safe, and leads back to the phase", (milestone, phase, id) => {
    const found = state(milestone, phase);
    const [only] = found.milestones;
    if (only === undefined) throw new Error("no milestone");
    const story = phaseStory({ milestone: only, phase }).id;
    expect(story).toMatch(typeof id === "string" ? new RegExp(`^${id}$`) : id);
    expect(phaseIn(found, story)).toMatchObject({ milestone: { id: milestone }, phase });
    expect(phaseOf(story)).not.toBeNull();
  });
});

describe("what a gate says where the files of a project cannot be understood", () => {
  test.each(["locate", "stand", "verification", "milestone"])(
    "[LP7 LP12 LD4 E62] %s: E002 with the file, and the place in it",
    async (reader) => {
      const root = project({ ...planned(milestones), ".workflow/state.json": { version: "9.0", milestones } });
      const found = await read(reader, root);
      const why =
        '.workflow/state.json cannot be understood: its version is "9.0", and Pawl knows versions up to 3, in /version';
      expect(found).toMatchObject({ value: "unknown", facts: { code: "E002" }, evidence: [{ place: "/version" }] });
      expect(found.feedback).toBe(`E002: ${why}`);
      rmSync(join(root, ".workflow/state.json"));
      mkdirSync(join(root, ".workflow/state.json"));
      expect(await read(reader, root)).toMatchObject({
        value: "unknown",
        facts: { code: "E002" },
        feedback: "E002: .workflow/state.json cannot be understood: it is a directory; put a regular file in its place",
        evidence: [{ file: ".workflow/state.json" }],
      });
    },
  );

  test("[LP6 LD4 E63] a verify folder that was deleted: E003 with the path that state.json names", async () => {
    const root = project({
      ...planned(milestones, [artifact("plan"), artifact("execute"), artifact("verify")]),
      [scratch("plan", "plan.json")]: {},
      [scratch("execute", "verification.json")]: { passed: true },
    });
    const found = await read("verification", root);
    expect(found).toMatchObject({
      value: "unknown",
      facts: { code: "E003" },
      evidence: [{ place: "/artifacts/2/path" }],
    });
    expect(found.why).toContain("looked for .workflow/scratch/20260503-verify-P1-shop");
  });
});
