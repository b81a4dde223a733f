// Rounds: a project whose skills worked on a phase again. What an older round left must not be taken for the newest one.

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { tempDir } from "../../../../test/support/repository.ts";
import { standingOf } from "./position.ts";
import { projectFolder } from "./project-folder.ts";

type Step = readonly [type: string, folder: string, files?: Readonly<Record<string, unknown>>];

const pass = { "verification.json": { passed: true, gaps: [] } };
const gaps = { "verification.json": { passed: false, gaps: [{ id: "GAP-1", severity: "high" }] } };
const business = { "business-test-results.json": { passed: true, failures: [] } };
const businessFailed = { "business-test-results.json": { passed: false, failures: [{ id: "BT-1" }] } };
const review = (verdict: string) => ({ "review.json": { verdict, issues: [] } });
const uat = (result: string) => ({
  "uat.md": `---\nstatus: complete\n---\n## Tests\n### 1. It works\nresult: ${result}\n## Summary\ntotal: 1\npassed: ${result === "pass" ? 1 : 0}\n## Gaps\n[none]\n`,
});
const numbers = (status: string) => ({ ".tests/test-results.json": { results: [{ id: "T-1", status }] } });

interface Project {
  readonly milestones?: readonly unknown[];
  readonly artifacts?: readonly unknown[];
}

/** A project in which each step wrote its files in turn, later ones over earlier ones, and was recorded. */
function standing(steps: readonly Step[], { milestones, artifacts = [] }: Project = {}, phase?: string) {
  const root = tempDir("pawl-round-");
  const recorded = steps.map(([type, folder, files = {}]) => {
    for (const [name, content] of Object.entries({ "notes.md": "x", ...files }))
      write(join(root, ".workflow/scratch", folder, name), content);
    return { type, milestone: "M1", phase: 1, status: "completed", path: folder };
  });
  write(join(root, ".workflow/roadmap.md"), "# Roadmap\n");
  write(join(root, ".workflow/state.json"), {
    current_milestone: "M1",
    milestones: milestones ?? [{ id: "M1", name: "First", status: "active", phases: [1] }],
    artifacts: [...recorded, ...artifacts],
  });
  return standingOf(projectFolder(root), phase === undefined ? {} : { phase });
}

function write(file: string, content: unknown): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
}

const work: readonly Step[] = [
  ["plan", "plan-2"],
  ["execute", "execute-2"],
];
/** The first round, up to its test. */
const first: readonly Step[] = [
  ["verify", "verify-1", { ...pass, ...business }],
  ["business-test", "verify-1"],
  ["review", "review-1", review("PASS")],
];

describe("a phase that is worked on again", () => {
  test.each<[what: string, steps: readonly Step[], position: string]>([
    ["gaps, and a fix that is not verified", [["verify", "verify-1", gaps], ...work], "verify"],
    ["gaps, mended", [["verify", "verify-1", gaps], ...work, ["verify", "verify-2", pass]], "business-test"],
    ["passed, then gaps", [["verify", "verify-1", pass], ...work, ["verify", "verify-2", gaps]], "verify-failed"],
    ["a whole first round, then verified", [...first, ...work, ["verify", "verify-2", pass]], "business-test"],
    [
      "a first round that was finished, then verified",
      [...first, ["test", "test-1", uat("pass")], ...work, ["verify", "verify-2", pass]],
      "business-test",
    ],
    [
      "a failed test, and all of it again",
      [
        ...first,
        ["test", "test-1", uat("issue")],
        ...work,
        ["verify", "verify-2", { ...pass, ...business }],
        ["review", "review-2", review("WARN")],
        ["test", "test-2", uat("pass")],
      ],
      "milestone-audit",
    ],
  ])("[LP9 E36] %s", (_what, steps, position) => {
    expect(standing(steps)).toMatchObject({ kind: "known", position });
  });

  test.each<[what: string, steps: readonly Step[], position: string]>([
    ["nothing new is there but the verification", [], "business-test"],
    ["the review was done again there", [["review", "phase-1", review("WARN")]], "test"],
    ["the test was done again there", [["test", "phase-1", uat("issue")]], "test-failed"],
  ])("[LP9 E36] all rounds in one folder: %s", (_what, later, position) => {
    const old: readonly Step[] = [
      ["verify", "phase-1", { ...pass, ...business, ...review("PASS"), ...uat("pass") }],
      ["plan", "phase-1"],
      ["execute", "phase-1"],
      ["verify", "phase-1", pass],
    ];
    expect(standing(old.slice(0, 1))).toMatchObject({ position: "milestone-audit" });
    expect(standing([...old, ...later])).toMatchObject({ kind: "known", position });
  });

  test.each<[what: string, later: readonly Step[], position: string]>([
    ["not reviewed yet", [], "verify"],
    ["reviewed again", [["review", "review-2", review("PASS")]], "test"],
    ["blocked again", [["review", "review-2", review("BLOCK")]], "review-failed"],
    ["a review without its file", [["review", "review-2"]], "verify"],
    [
      "reviewed again and tested",
      [
        ["review", "review-2", review("PASS")],
        ["test", "test-1", uat("pass")],
      ],
      "milestone-audit",
    ],
    [
      "blocked twice, then good",
      [["review", "review-2", review("BLOCK")], ...work, ["review", "review-3", review("WARN")]],
      "test",
    ],
  ])("[LP10 E40] after a fix for a review: %s", (_what, later, position) => {
    const blocked = [...first.slice(0, 2), ["review", "review-1", review("BLOCK")] as const];
    expect(standing([...blocked, ...work, ...later])).toMatchObject({ kind: "known", position });
  });

  test("[LP10 E20] a review is no verification: a fix for a test, or a phase that was never verified, is verified", () => {
    const reviewed: Step = ["review", "review-2", review("PASS")];
    expect(standing([...first, ["test", "test-1", uat("issue")], ...work, reviewed])).toMatchObject({
      position: "verify",
    });
    expect(standing([["review", "review-1", review("BLOCK")], ...work, reviewed])).toMatchObject({
      position: "verify",
    });
    const bad: readonly Step[] = [
      ["verify", "verify-1", gaps],
      ["review", "review-1", review("PASS")],
    ];
    expect(standing([...bad, ...work, reviewed])).toMatchObject({ position: "verify" });
  });

  test.each<[what: string, later: readonly Step[], position: string]>([
    ["a business test that fails after a review", [["business-test", "business-2", businessFailed]], "business-test"],
    ["one that passes after a review", [["business-test", "business-2", business]], "test"],
    [
      "a review that blocks after a test",
      [
        ["test", "test-1", uat("pass")],
        ["review", "review-2", review("BLOCK")],
      ],
      "review-failed",
    ],
    [
      "numbers of an older test",
      [
        ["test", "test-1", { ...uat("issue"), ...numbers("fail") }],
        ["test", "test-2", uat("pass")],
      ],
      "milestone-audit",
    ],
    [
      "numbers of this test",
      [
        ["test", "test-1", uat("pass")],
        ["test", "test-2", { ...uat("pass"), ...numbers("fail") }],
      ],
      "test-failed",
    ],
  ])("[LP11 E21] %s", (_what, later, position) => {
    expect(standing([...first, ...later])).toMatchObject({ kind: "known", position });
  });

  test("[LP4 E19] what another skill recorded after verify is passed over, even without a folder", () => {
    const steps: readonly Step[] = [["verify", "verify-1", pass]];
    const debug = { type: "debug", milestone: "M1", phase: 1, status: "completed", path: "gone" };
    expect(standing(steps, { artifacts: [debug] })).toMatchObject({ position: "business-test" });
  });
});

describe("folders, times and names", () => {
  const artifact = (type: string, path: string, more: Readonly<Record<string, unknown>> = {}) => ({
    type,
    milestone: "M1",
    phase: 1,
    status: "completed",
    path,
    ...more,
  });

  test("[LP6 E23] a path that names a report leads to its folder", () => {
    const steps: readonly Step[] = [...first, ["test", "20260503-test-P1-shop", uat("pass")]];
    const report = artifact("test", "scratch/20260503-test-P1-shop/report.json");
    expect(standing(steps.slice(0, 3), { artifacts: [report] })).toMatchObject({ kind: "unclear", code: "E003" });
    expect(
      standing([...steps.slice(0, 3), ["grill", "20260503-test-P1-shop", uat("pass")]], { artifacts: [report] }),
    ).toMatchObject({
      position: "milestone-audit",
    });
  });

  test("[LP6 E23 E63] a folder that is gone is not replaced by one of another milestone or of an older round", () => {
    const milestones = [
      { id: "M0", status: "completed", phases: [1] },
      { id: "M1", status: "active", phases: [1] },
    ];
    const other: Step = ["grill", "20260501-verify-P1-other", pass];
    const lost = artifact("verify", "phases/01-shop");
    const ofOther = artifact("verify", "20260501-verify-P1-other", { milestone: "M0" });
    expect(standing([other], { milestones, artifacts: [lost] })).toMatchObject({ position: "business-test" });
    expect(standing([other], { milestones, artifacts: [ofOther, lost] })).toMatchObject({
      kind: "unclear",
      code: "E003",
    });
    const older: Step = ["verify", "20260501-verify-P1-shop", pass];
    expect(standing([older, ...work], { artifacts: [lost] })).toMatchObject({ kind: "unclear", code: "E003" });
  });

  test("[LP4 E15] a day alone is no time: the list orders then", () => {
    const dated = [
      artifact("plan", "p", { created_at: "2026-05-03T10:00:00Z" }),
      artifact("execute", "e", { created_at: "2026-05-03" }),
    ];
    expect(standing([], { artifacts: dated })).toMatchObject({ position: "verify" });
  });

  test("[LP2 LP3 E15 E22] a phase P1 is phase 1, also where it is asked for; phases may have names", () => {
    const milestones = [{ id: "M1", status: "active", phases: ["P1", "billing"] }];
    const steps: readonly Step[] = [["plan", "plan-1"]];
    expect(standing(steps, { milestones })).toMatchObject({ position: "execute", phase: "1" });
    for (const asked of ["1", "01", "P1"]) expect(standing(steps, { milestones }, asked)).toMatchObject({ phase: "1" });
    const named = artifact("analyze", "a", { phase: "billing" });
    expect(standing(steps, { milestones, artifacts: [named] }, "billing")).toMatchObject({ position: "plan" });
  });

  test.each<[what: string, milestones: readonly unknown[], place: string]>([
    [
      "a milestone",
      [
        { id: "M1", phases: [1] },
        { id: "M1", phases: [2] },
      ],
      "/milestones/1",
    ],
    ["a phase", [{ id: "M1", phases: [1, "01"] }], "/milestones/0/phases/1"],
  ])("[LP7 E25] %s that is there twice is refused", (_what, milestones, place) => {
    expect(standing([], { milestones })).toMatchObject({ kind: "unclear", code: "E002", evidence: [{ place }] });
  });

  test("[LP7 LP1 E25] a key twice, and a .workflow that is a link or a file, are refused", () => {
    const root = tempDir("pawl-round-");
    write(join(root, ".workflow/state.json"), '{"milestones": [], "artifacts": [], "milestones": []}');
    expect(standingOf(projectFolder(root))).toMatchObject({ kind: "unclear", evidence: [{ place: "/milestones" }] });
    const linked = tempDir("pawl-round-");
    symlinkSync(join(root, ".workflow"), join(linked, ".workflow"));
    expect(standingOf(projectFolder(linked))).toMatchObject({ kind: "unclear", code: "E002" });
    const file = tempDir("pawl-round-");
    write(join(file, ".workflow"), "x");
    expect(standingOf(projectFolder(file))).toMatchObject({ kind: "unclear", code: "E002" });
  });
});
