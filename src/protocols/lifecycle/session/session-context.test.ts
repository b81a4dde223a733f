import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../../test/support/repository.ts";
import { projectFolder } from "../standing/project-folder.ts";
import { artifactOf, readSessionContext } from "./session-context.ts";

function project(files: Readonly<Record<string, unknown>>) {
  const root = tempDir("pawl-context-");
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), typeof content === "string" ? content : JSON.stringify(content));
  }
  return projectFolder(root);
}

const at = { milestone: "M1", phase: "1" };
const artifact = (type: string, path: string, more: object = {}) => ({
  type,
  milestone: "First",
  phase: 1,
  status: "completed",
  path,
  ...more,
});
const milestones = [{ id: "M1", name: "First", phases: [1] }];
const scratch = (path: string) => `.workflow/scratch/${path}`;

test("[LS14 E55] each barrier leaves its folder and what is in it, the newest of its phase", () => {
  const artifacts = [
    artifact("analyze", "a1"),
    artifact("analyze", "a2"),
    artifact("plan", "p1"),
    artifact("plan", "p2", { phase: 2 }),
    artifact("execute", "e1"),
  ];
  const folder = project({
    ".workflow/state.json": { milestones, artifacts },
    [scratch("a1/x")]: "",
    [scratch("a2/context.md")]: "# A\n## Open gaps\n1. no cart\n* no till\n\n## Other\n- not this\n",
    [scratch("p1/plan.json")]: { tasks: [{}, {}] },
    [scratch("p2/plan.json")]: { tasks: [] },
    [scratch("e1/results.csv")]: "id,status\n1,completed\n2,Completed\n",
    ".workflow/.brainstorming/BRN-001/x": "",
    ".workflow/.brainstorming/BRN-002/x": "",
    ".workflow/specs/SPEC-1/x": "",
  });
  expect(readSessionContext(folder, at)).toEqual({
    analysis_dir: scratch("a2"),
    gaps: ["no cart", "no till"],
    plan_dir: scratch("p1"),
    task_count: 2,
    exec_status: "completed",
    brainstorm_dir: ".workflow/.brainstorming/BRN-002",
    spec_session_id: "SPEC-1",
  });
  expect(artifactOf(folder, at, "plan")).toBe(scratch("p1"));
  expect(artifactOf(folder, at, "quality")).toBeNull();
});

test.each([
  ["no .workflow", {}],
  ["a state that is no JSON", { ".workflow/state.json": "{" }],
  [
    "a state with a phase that is a path",
    { ".workflow/state.json": { milestones: [{ id: "M1", phases: ["../../x"] }] } },
  ],
  [
    "an artifact whose folder is gone",
    {
      ".workflow/state.json": { milestones, artifacts: [artifact("plan", "gone"), artifact("analyze", "../../../x")] },
    },
  ],
])("[LS14 E55] %s: nothing is known, and nothing fails", (_what, files) => {
  expect(readSessionContext(project(files), at)).toEqual({ plan_dir: null, analysis_dir: null, brainstorm_dir: null });
  expect(readSessionContext(project(files), null)).toMatchObject({ plan_dir: null });
});

test("[LS14 E55] files that say nothing leave their value out", () => {
  const artifacts = ["analyze", "plan", "execute"].map((type) => artifact(type, type));
  const context = (plan: unknown, results: string) =>
    readSessionContext(
      project({
        ".workflow/state.json": { milestones, artifacts },
        [scratch("analyze/a")]: "",
        [scratch("plan/plan.json")]: plan,
        [scratch("execute/results.csv")]: results,
      }),
      at,
    );
  const known = { analysis_dir: scratch("analyze"), gaps: [], plan_dir: scratch("plan"), brainstorm_dir: null };
  expect(context("{", "a,b\n")).toEqual(known);
  expect(context([], 'id,status\n"')).toEqual(known);
  expect(context({ task_count: 7 }, "id,status\n1,failed\n")).toEqual({
    ...known,
    task_count: 7,
    exec_status: "0 of 1 completed",
  });
});
