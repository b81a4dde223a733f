import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { tempDir } from "../../../../test/support/repository.ts";
import { standingOf } from "./position.ts";
import { projectFolder } from "./project-folder.ts";
import { stateOf } from "./state-file.ts";

type Files = Readonly<Record<string, unknown>>;

/** A project folder; what is no text is written as JSON. */
function project(files: Files): string {
  const root = tempDir("pawl-lifecycle-");
  for (const [name, content] of Object.entries(files)) {
    const file = join(root, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  }
  return root;
}

const stands = (root: string, phase?: string) => standingOf(projectFolder(root), phase === undefined ? {} : { phase });
const standing = (files: Files, phase?: string) => stands(project(files), phase);

const milestones = [{ id: "M1", name: "First", status: "active", phases: [1] }];
const artifact = (type: string, more: Readonly<Record<string, unknown>> = {}) => ({
  type,
  milestone: "M1",
  phase: 1,
  status: "completed",
  path: `20260503-${type}-P1-shop`,
  ...more,
});
const inScratch = (name: string) => `.workflow/scratch/20260503-verify-P1-shop/${name}`;
const state = (artifacts: readonly unknown[], more: Readonly<Record<string, unknown>> = {}): Files => ({
  ".workflow/roadmap.md": "# Roadmap\n",
  ".workflow/state.json": { current_milestone: "M1", milestones, artifacts, ...more },
});
const verified = (files: Files): Files => ({
  ...state([artifact("verify")]),
  [inScratch("verification.json")]: { passed: true, gaps: [] },
  ...Object.fromEntries(Object.entries(files).map(([name, content]) => [inScratch(name), content])),
});
const uat = (result: string, status = "complete") =>
  `---\nstatus: ${status}\n---\n## Tests\n### 1. It works\nresult: ${result}\n## Summary\ntotal: 1\npassed: ${result === "pass" ? 1 : 0}\n## Gaps\n[none]\n`;

describe("a project without artifacts", () => {
  test.each<[what: string, files: Files, position: string]>([
    ["nothing at all", {}, "brainstorm"],
    [
      "a README, a licence and dot files",
      { "README.md": "x", LICENSE: "x", ".gitignore": "x", ".github/a.yml": "x" },
      "brainstorm",
    ],
    ["installed packages", { "node_modules/a/index.js": "x" }, "brainstorm"],
    ["a source file", { "src/deep/a.ts": "x" }, "init"],
    ["a .workflow without a state", { ".workflow/notes.md": "x" }, "init"],
    ["a state without milestones", { ".workflow/state.json": {} }, "roadmap"],
    ["an empty list of milestones", { ".workflow/state.json": { milestones: [] } }, "roadmap"],
    ["milestones without a roadmap", { ".workflow/state.json": { milestones } }, "roadmap"],
  ])("[LP1 E16 E17 E18 E20] %s", (_what, files, position) => {
    expect(standing(files)).toMatchObject({ kind: "known", position, phase: null });
  });
});

describe("a phase by its newest artifact", () => {
  test.each([
    [[], "analyze"],
    [["analyze"], "plan"],
    [["analyze", "plan"], "execute"],
    [["analyze", "plan", "execute"], "verify"],
    [["verify", "plan"], "execute"],
    [["verify", "execute"], "verify"],
    [["analyze", "grill", "brainstorm"], "plan"],
  ])("[LP4 E19 E20] %j", (types, position) => {
    const found = standing(state(types.map((type) => artifact(type))));
    expect(found).toMatchObject({ position, milestone: "M1", phase: "1" });
    expect(found.evidence[0]?.file).toBe(".workflow/state.json");
  });

  test("[LP4 E15] one that is not completed, of another milestone or of another phase, does not count; times order them", () => {
    const others = [
      artifact("plan", { status: "failed" }),
      artifact("plan", { milestone: "M2" }),
      artifact("plan", { phase: 2 }),
      artifact("plan", { status: undefined }),
    ];
    const more = { milestones: [...milestones, { id: "M2", status: "pending", phases: [1] }] };
    expect(standing(state([artifact("analyze"), ...others], more))).toMatchObject({ position: "plan" });
    const dated = [
      artifact("plan", { created_at: "2026-05-03T10:00:00Z" }),
      artifact("analyze", { created_at: "2026-05-03T09:00:00Z" }),
    ];
    expect(standing(state(dated))).toMatchObject({ position: "execute" });
  });

  test("[LP2 E15] milestones by name, phases as texts and objects, a phase 01 that is 1", () => {
    const forms = [[1], ["1"], ["01"], [{ id: 1, title: "Shop" }]];
    for (const phases of forms) {
      const named = { current_milestone: "First", milestones: [{ ...milestones[0], phases }] };
      expect(standing(state([artifact("plan", { milestone: "First", phase: "1" })], named))).toMatchObject({
        position: "execute",
        phase: "1",
      });
    }
  });
});

describe("after verify", () => {
  test.each<[what: string, files: Files, position: string]>([
    ["gaps", { "verification.json": { passed: false } }, "verify-failed"],
    ["passed alone", {}, "business-test"],
    ["a business test that failed", { "business-test-results.json": { passed: false } }, "business-test"],
    ["a business test that passed", { "business-test-results.json": { passed: true, failures: [] } }, "review"],
    ["a review that blocks", { "review.json": { verdict: "BLOCK" } }, "review-failed"],
    ["a review that passed", { "review.json": { verdict: "WARN" } }, "test"],
    [
      "an acceptance test that goes on",
      { "review.json": { verdict: "PASS" }, "uat.md": uat("[pending]", "testing") },
      "test",
    ],
    ["one that failed", { "uat.md": uat("issue") }, "test-failed"],
    [
      "one whose results failed",
      { "uat.md": uat("pass"), ".tests/test-results.json": { results: [{ status: "fail" }] } },
      "test-failed",
    ],
    ["one that passed", { "uat.md": uat("pass"), "review.json": { verdict: "BLOCK" } }, "milestone-audit"],
    [
      "gaps and a passed test",
      { "verification.json": { status: "gaps_found" }, "uat.md": uat("pass") },
      "verify-failed",
    ],
  ])("[LP5 E21] %s", (_what, files, position) => {
    const found = standing(verified(files));
    expect(found).toMatchObject({ kind: "known", position, phase: "1", milestone: "M1" });
    expect(found.evidence[0]?.file).toContain(".workflow/scratch/");
  });

  test.each<[what: string, files: Files]>([
    ["a verification that says nothing", { "verification.json": { status: "DONE" } }],
    ["a review that says nothing", { "review.json": { verdict: "FIXED" } }],
    ["a review that is no JSON", { "review.json": "BLOCK" }],
  ])("[LP5 LP7 E25 E62] %s is not guessed", (_what, files) => {
    expect(standing(verified(files))).toMatchObject({ kind: "unclear", code: "E002", phase: "1" });
  });

  test("[LP5 LR5] a result file that is a link says nothing, wherever it leads", () => {
    const root = project(verified({}));
    rmSync(join(root, inScratch("verification.json")));
    writeFileSync(join(root, "good.json"), '{"passed": true}');
    symlinkSync(join(root, "good.json"), join(root, inScratch("verification.json")));
    expect(stands(root)).toMatchObject({ kind: "unclear", code: "E002" });
  });

  test("[LP5 E36] a review in a folder of its own is found, and the newest counts", () => {
    const again = artifact("review", { path: "20260504-review-P1-shop" });
    const files = {
      ...verified({}),
      ...state([artifact("verify"), artifact("review"), again]),
      ".workflow/scratch/20260503-review-P1-shop/review.json": { verdict: "BLOCK" },
    };
    const folder = ".workflow/scratch/20260504-review-P1-shop";
    expect(standing({ ...files, [`${folder}/notes.md`]: "x" })).toMatchObject({ position: "review-failed" });
    expect(standing({ ...files, [`${folder}/review.json`]: { verdict: "PASS" } })).toMatchObject({ position: "test" });
  });
});

describe("the folder of an artifact", () => {
  const passed = { passed: true };
  test.each([
    ["from scratch", "20260503-verify-P1-shop", "20260503-verify-P1-shop"],
    ["from .workflow", "scratch/20260503-verify-P1-shop", "20260503-verify-P1-shop"],
    ["from the project", ".workflow/scratch/20260503-verify-P1-shop/", "20260503-verify-P1-shop"],
    ["by its phase", "phases/01-shop", "20260504-plan-P1-shop"],
  ])("[LP6 E23] %s", (_what, path, folder) => {
    const older = { ".workflow/scratch/20260101-plan-P1-shop/verification.json": { passed: false } };
    const files = {
      ...state([artifact("verify", { path })]),
      ...(path.startsWith("phases") ? older : {}),
      [`.workflow/scratch/${folder}/verification.json`]: passed,
    };
    expect(standing(files)).toMatchObject({ position: "business-test" });
  });

  test.each(["../../../x", "/etc", "scratch/../../secret", "a/./b"])("[LP6 E23 E63] never outside: %s", (path) => {
    const files = {
      ...state([artifact("verify", { path })]),
      ".workflow/scratch/other/a": "",
      "x/verification.json": passed,
      "secret/verification.json": passed,
    };
    expect(standing(files)).toMatchObject({ kind: "unclear", code: "E003" });
  });

  test("[LP6 E63] one that is gone: what was looked for is named", () => {
    const found = standing(state([artifact("verify")]));
    expect(found).toMatchObject({
      code: "E003",
      why: expect.stringContaining(".workflow/scratch/20260503-verify-P1-shop, .workflow/scratch/*-P1-*"),
    });
  });
});

describe("the phase and the milestone", () => {
  const two = { milestones: [{ id: "M1", status: "active", phases: [1, 2] }] };
  const finished = (more: Files): Files => ({
    ...state([artifact("verify")], two),
    [inScratch("verification.json")]: { passed: true },
    [inScratch("uat.md")]: uat("pass"),
    ...more,
  });

  test("[LP3 E22] the first phase that is not finished, or the one that was asked for", () => {
    expect(standing(finished({}))).toMatchObject({ position: "analyze", phase: "2" });
    expect(standing(finished({}), "1")).toMatchObject({ position: "milestone-audit", phase: "1" });
    expect(standing(finished({}), "3")).toMatchObject({ kind: "unclear", why: expect.stringContaining("it has 1, 2") });
  });

  test("[LP2 E42] after a complete milestone the next one counts, and at the end everything is complete", () => {
    const next = [
      { ...milestones[0], status: "completed" },
      { id: "M2", status: "planned", phases: [1] },
    ];
    expect(standing(state([artifact("verify")], { milestones: next }))).toMatchObject({
      milestone: "M2",
      position: "analyze",
    });
    const all = next.map((milestone) => ({ ...milestone, status: "completed" }));
    expect(standing(state([], { milestones: all }))).toMatchObject({ position: "complete", milestone: null });
  });
});

test.each<[what: string, state: unknown]>([
  ["a list", []],
  ["half a file", '{"milestones": ['],
  ["milestones that are a word", { milestones: "M1" }],
  ["a phase that is a path", { milestones: [{ id: "M1", phases: ["../../x"] }] }],
  ["a milestone that is a path", { milestones: [{ id: "../../M1", phases: [1] }] }],
  ["a milestone without phases", { milestones: [{ id: "M1", phases: [] }] }],
  ["a current milestone that nobody knows", { current_milestone: "M7", milestones }],
  ["an artifact with a list for a type", { milestones, artifacts: [artifact("verify", { type: ["a"] })] }],
])("[LP7 E25 E62] a state with %s is refused, with the place", (_what, content) => {
  const found = standing({ ".workflow/roadmap.md": "x", ".workflow/state.json": content });
  expect(found).toMatchObject({ kind: "unclear", code: "E002", evidence: [{ file: ".workflow/state.json" }] });
});

describe("a state file that nobody can read", () => {
  const at = (root: string) => join(root, ".workflow/state.json");
  test.each<[what: string, make: (file: string) => void, why: RegExp]>([
    ["a directory", (file) => mkdirSync(file), /: it is a directory; put a regular file in its place$/],
    [
      "a pipe",
      (file) => execFileSync("sh", ["-c", 'mkfifo "$0"', file]),
      /: it is not a regular file; put a regular file in its place$/,
    ],
    ["a link", (file) => symlinkSync("/etc/passwd", file), /: it is a link, .*; put a regular file in its place$/],
    [
      "a file of 50 MB",
      (file) => {
        writeFileSync(file, "{}");
        truncateSync(file, 50 * 1024 * 1024);
      },
      /: it is larger than 4 MiB; skills keep some KiB there, so look at what filled it$/,
    ],
  ])("[LP7 E25 E62] %s: E002, the file, and what to do", (_what, make, why) => {
    const root = project({ ".workflow/roadmap.md": "x" });
    make(at(root));
    const found = stands(root);
    expect(found).toMatchObject({ kind: "unclear", code: "E002", why: expect.stringMatching(why) });
    expect(found.evidence).toEqual([{ file: ".workflow/state.json", sha256: null, place: null }]);
    expect(found.why).toMatch(/^\.workflow\/state\.json cannot be understood: it is /);
    expect(stateOf(projectFolder(root))).toBeNull();
  });

  test("[LP7 E62] a roadmap that is a directory is refused by its own name", () => {
    const root = project({ ".workflow/state.json": { milestones }, ".workflow/roadmap.md/a": "x" });
    const found = stands(root);
    expect(found).toMatchObject({ kind: "unclear", code: "E002", evidence: [{ file: ".workflow/roadmap.md" }] });
    expect(found.why).toMatch(/^\.workflow\/roadmap\.md cannot be understood: it is a directory/);
  });
});

describe("the version of a state file", () => {
  const versioned = (more: Readonly<Record<string, unknown>>) => standing(state([artifact("plan")], more));

  test.each([{}, { version: "1.0" }, { version: "2.0" }, { version: "3.1" }, { version: 3 }, { version: "v2" }])(
    "[LP12 E15] %j is known",
    (more) => {
      expect(versioned(more)).toMatchObject({ position: "execute" });
    },
  );

  test.each<[more: Readonly<Record<string, unknown>>, place: string]>([
    [{ version: "9.0" }, "/version"],
    [{ version: 4 }, "/version"],
    [{ version: "4.0-beta" }, "/version"],
    [{ version: "next" }, "/version"],
    [{ version: ["2.0"] }, "/version"],
    [{ version: "2.0", schema_version: 9 }, "/schema_version"],
    [{ schemaVersion: "10.2" }, "/schemaVersion"],
  ])("[LP12 LP7 E25] %j is not, and is not guessed", (more, place) => {
    expect(versioned(more)).toMatchObject({
      kind: "unclear",
      code: "E002",
      why: expect.stringContaining("Pawl knows versions up to 3"),
      evidence: [{ file: ".workflow/state.json", place }],
    });
  });
});

test("[LP6 E63] a verify folder that was deleted is missing: the folder of another artifact does not stand for it", () => {
  const root = project({
    ...state([artifact("plan"), artifact("execute"), artifact("verify")]),
    ".workflow/scratch/20260503-plan-P1-shop/plan.json": {},
    ".workflow/scratch/20260503-execute-P1-shop/verification.json": { passed: true },
  });
  const found = stands(root);
  expect(found).toMatchObject({
    kind: "unclear",
    code: "E003",
    evidence: [{ file: ".workflow/state.json", place: "/artifacts/2/path" }],
  });
  expect(found.why).toContain("looked for .workflow/scratch/20260503-verify-P1-shop");
});
