// Edits that agents request, end to end. In one run every story requests something else, and the chain, the next prompt and the
// files show the result.

import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Called } from "../support/pawl.ts";
import { callsOf, chainOf, editsIn, type PrdSite, prdSite, type ShellActs, type StateEntry } from "../support/prd.ts";
import { runGit } from "../support/repository.ts";

const samples = fileURLToPath(new URL("../../../shared/samples/dynamic-ralph/workflow_edits/", import.meta.url));

const skipsOfDocumentation = ["step-003", "step-004", "step-009"].map((target_step_id) => ({
  operation: "skip",
  target_step_id,
  reason: "Documentation only",
}));
const describes = ["step-005", "step-006", "step-008", "step-010"].map((target_step_id) => ({
  operation: "edit_description",
  target_step_id,
  new_description: `Only move files (${target_step_id})`,
}));

/** What agents of the original wrote. Two of the four files are lost and are rebuilt here from their description. */
const written: Readonly<Record<string, string>> = {
  "7e6cf87": sample("7e6cf87", skipsOfDocumentation),
  "7174a1e": sample("7174a1e", [...skipsOfDocumentation, skip("step-007"), ...describes]),
  c69c8d6: JSON.stringify([skip("step-003"), split("step-005", "new_steps"), skip("step-004"), skip("step-009")]),
  a52f188: JSON.stringify([split("step-002", "new_steps")]),
};

/** Requests that must be refused as a whole, and the reason given. */
const refused: Readonly<Record<string, readonly [request: unknown, why: string]>> = {
  "skip-and-reorder": [
    [skip("step-009"), { operation: "reorder", new_order: pending(), reason: "r" }],
    "operation 2 (reorder): step-009 cannot be moved",
  ],
  "split-twice": [
    [split("step-005", "replacement_steps"), split("step-005", "replacement_steps")],
    "operation 2 (replace): there is no step step-005",
  ],
  "two-final-reviews": [
    [add("step-007", "final_review")],
    "there is already a final_review step, and it must stay last",
  ],
  "twice-in-reorder": [
    [{ operation: "reorder", new_order: ["step-003", ...pending()], reason: "r" }],
    "the new order lists a step twice",
  ],
  "split-to-nothing": [
    [{ operation: "split", target_step_id: "step-005", replacement_steps: [], reason: "r" }],
    "operation 1",
  ],
  "31-steps": [[add("step-005", ...Array.from({ length: 21 }, () => "coding"))], "more than 30 steps"],
  "behind-the-last": [[add("step-010", "coding")], "nothing may follow step-010"],
  "rebase-resolve": [[add("step-005", "rebase_resolve")], "only Pawl itself adds rebase_resolve"],
  "skip-linting": [[skip("step-003"), skip("step-006")], "operation 2 (skip): linting is never skipped"],
};

/** Malformed input. */
const fuzzed: readonly string[] = [
  "",
  "{",
  "null",
  "[[[[[]]]]]",
  '[{"operation":"explode","target_step_id":"../../etc","reason":7}]',
  '\\u0000"[',
];

const ids = [...Object.keys(written), ...Object.keys(refused), ...fuzzed.map((_, index) => `fuzz-${index}`)];
const special = ["linting-asks", "for-another", "other", "fails", "fixes", "restarts", "restarts-on"];

/** To end a story soon: it skips what it can after the step under test. */
const short = JSON.stringify(["step-004", "step-007", "step-008", "step-009"].map(skip));
const shorten = `edits '${short}'`;

const acts: ShellActs = {
  coding: ":",
  architecture: shorten,
  ...Object.fromEntries(Object.entries(written).map(([id, text]) => [`${id}.planning`, edits(text)])),
  ...Object.fromEntries(Object.entries(refused).map(([id, [text]]) => [`${id}.planning`, edits(JSON.stringify(text))])),
  ...Object.fromEntries(fuzzed.map((text, index) => [`fuzz-${index}.planning`, edits(text)])),
  "linting-asks.linting": edits(JSON.stringify([skip("step-010")])),
  "for-another.planning": `mkdir -p "$requests"; printf '%s' '${short}' > "$requests/other.json"`,
  "fails.coding": `${shorten}; echo half > half.txt; exit 7`,
  "fixes.step-010.1": edits(
    JSON.stringify([{ ...add("x", "coding", "linting"), operation: "add_before", target_step_id: "step-010" }]),
  ),
  "restarts.step-005.1": `echo wrong > wrong.txt; git add -A; git commit -qm wrong; echo left > left.txt; ${edits(restart("Do it the other way"))}`,
  "restarts.step-005.2": `ls > "$PAWL_SHARED/seen.txt"; work`,
  "restarts-on.coding": `echo "$PAWL_ATTEMPT" > again.txt; ${edits(restart("Once more"))}`,
};

let site: PrdSite;
let called: Called;

beforeAll(async () => {
  site = prdSite(
    // One file that two agents write at the same moment has whatever the later one wrote, so that story comes after.
    [...ids, ...special].map((id) => (id === "other" ? { id, depends_on: ["for-another"] } : { id })),
    { acts },
  );
  called = await site.run("--agents", "6");
});

afterAll(() => rmSync(site.path(), { recursive: true, force: true }));

describe("what agents of the original wrote", () => {
  test("[RA14 RA15 C46 C47] three of the four files are applied, and what Pawl had to interpret is noted", async () => {
    expect(chainOf(site.story("7e6cf87"))).toContain("step-003:skipped,step-004:skipped,step-005:completed");
    expect(site.story("7e6cf87").steps.find(({ id }) => id === "step-009")).toMatchObject({
      status: "skipped",
      skip_reason: expect.stringContaining("Documentation"),
    });
    const moved = site.story("7174a1e");
    expect(editsIn(moved).map(({ details }) => details["operation"])).toEqual([
      ...Array.from({ length: 4 }, () => "skip"),
      ...Array.from({ length: 4 }, () => "edit_description"),
    ]);
    expect(editsIn(moved).at(-1)?.details["reason"]).toBe("no reason given");
    const told = moved.steps.find(({ id }) => id === "step-006")?.description ?? "";
    expect(site.prompt("7174a1e", "step-006")).toContain(`WHAT TO DO IN THIS STEP (step-006):\n${told}`);
    expect(chainOf(site.story("c69c8d6"))).toBe(
      "step-001:completed,step-002:completed,step-003:skipped,step-004:skipped,step-011:completed,step-012:completed," +
        "step-006:completed,step-007:completed,step-008:completed,step-009:skipped,step-010:completed",
    );
    expect(site.prompt("c69c8d6", "step-012")).toContain("WHAT TO DO IN THIS STEP (step-012):\nThe second half");
    const notes = (await site.events("1"))
      .filter(({ type, story }) => type === "chain_edited" && story === "c69c8d6")
      .flatMap((event) => event["notes"]);
    expect(notes.join("\n")).toContain("new_steps");
  });

  test("[C48 C56 C64] a step that splits itself is refused, and the next prompt says why", () => {
    expect(editsIn(site.story("a52f188")).map(({ step_id }) => step_id)).not.toContain("step-002");
    expect(site.prompt("a52f188", "step-003")).toContain("step-002 is running");
    expect(site.story("a52f188").status).toBe("completed");
  });
});

describe("what is refused", () => {
  test.each(Object.entries(refused))(
    "[C48 C50 C51 C52 C57 C61 C63 C64 C65 C67] %s: refused as a whole, nothing changed, and the next agent reads the reason",
    (id, [, why]) => {
      const story = site.story(id);
      expect(story.status).toBe("completed");
      expect(site.prompt(id, "step-003")).toContain(why);
      expect(readFileSync(site.shared("scratch_archive", `scratch_${id}.md`), "utf8")).toContain(why);
      // The next step was shown the unchanged chain.
      expect(stepsIn(site.prompt(id, "step-003"))).toEqual(["01", "02", ...pending().map((step) => step.slice(-2))]);
      expect(editsIn(story).every(({ step_id }) => step_id === "step-003")).toBe(true);
      expect(existsSync(site.shared("workflow_edits", "failed", `${id}-step-002-1.json`))).toBe(true);
    },
  );

  test("[RA17 C66] whatever is in an edit file, the step is done and the story continues", () => {
    for (const [index] of fuzzed.entries()) {
      expect(site.story(`fuzz-${index}`)).toMatchObject({ status: "completed" });
      expect(site.prompt(`fuzz-${index}`, "step-003")).toContain("Workflow edit refused (step-002)");
    }
    expect(called.stderr).not.toMatch(/at .*\.ts:\d+/);
  });

  test("[C19 C24 C27 C45] a step whose type may not edit changes nothing", () => {
    expect(chainOf(site.story("linting-asks"))).toContain("step-010:completed");
    expect(site.prompt("linting-asks", "step-010")).toContain("Workflow edit refused (step-006)");
  });

  test("[C60] the file of another story has no effect on it", () => {
    expect(editsIn(site.story("other")).every(({ step_id }) => step_id === "step-003")).toBe(true);
    expect(existsSync(site.shared("workflow_edits", "other.json"))).toBe(false);
  });

  test("[C67 C79] a failed step changes nothing; its request is set aside", () => {
    const { status, steps, history } = site.story("fails");
    expect([status, steps.find(({ id }) => id === "step-005")?.status]).toEqual(["failed", "failed"]);
    expect(history.filter(({ action, step_id }) => action === "workflow_edit" && step_id === "step-005")).toEqual([]);
    expect(readFileSync(site.shared("workflow_edits/failed/fails-step-005-1.json"), "utf8")).toBe(short);
  });
});

test("[C67] an applied request leaves no file behind, and none is pending", () => {
  expect(readdirSync(site.shared("workflow_edits"))).toEqual(["failed"]);
  expect(readdirSync(site.shared("workflow_edits/failed")).filter((name) => name.includes("7e6cf87"))).toEqual([]);
});

test("[C28 C39 C57 C58] a fix that the final review requests runs first, and then the review runs again", () => {
  const { steps, status } = site.story("fixes");
  expect([status, steps.slice(-3).map(({ id }) => id)]).toEqual(["completed", ["step-011", "step-012", "step-010"]]);
  const calls = callsOf(site).filter((call) => call.startsWith("fixes."));
  expect(calls.slice(-4)).toEqual([
    "fixes.step-010.1 final_review",
    "fixes.step-011.1 coding",
    "fixes.step-012.1 linting",
    "fixes.step-010.2 final_review",
  ]);
  expect(steps.at(-1)).toMatchObject({ restart_count: 0 });
  expect(site.prompt("fixes", "step-010", 2)).toContain("notes of fixes.step-011.1");
});

test("[C32 C54 C71 C83] a restarted step runs again from where it began, with its new description", () => {
  const prompt = site.prompt("restarts", "step-005", 2);
  expect(prompt).toContain("WHAT TO DO IN THIS STEP (step-005):\nDo it the other way");
  expect(readFileSync(site.shared("seen.txt"), "utf8").trim().split("\n")).toEqual(["README.md"]);
  const step = site.story("restarts").steps.find(({ id }) => id === "step-005");
  expect(step).toMatchObject({ status: "completed", restart_count: 1, description: "Do it the other way" });
  const [entry] = editsIn(site.story("restarts")).filter(({ details }) => details["operation"] === "restart");
  expect(entry?.details).toMatchObject({
    reason: "a wrong path",
    old_description: "Implement the changes",
    new_description: "Do it the other way",
  });
  // Commits and untracked files alike, so that a person can see what was discarded.
  const diff = site.shared("restarts/restarts-step-005-1.diff");
  expect(filesIn(diff)).toEqual(["left.txt", "wrong.txt"]);
  runGit(site.repo, "apply", "--check", diff);
  expect(runGit(site.repo, "log", "--format=%s", "--", "wrong.txt")).toBe("");
});

test("[C31 C33 C54 C62] a step that requests a fourth restart fails", () => {
  const story = site.story("restarts-on");
  expect(story.status).toBe("failed");
  expect(story.steps.find(({ id }) => id === "step-005")).toMatchObject({
    status: "failed",
    restart_count: 3,
    error: expect.stringContaining("restart limit (3) reached"),
  });
  expect(callsOf(site).filter((call) => call.startsWith("restarts-on.step-005"))).toHaveLength(4);
  expect(readFileSync(site.shared("scratch_restarts-on.md"), "utf8")).toContain("restart limit (3) reached");
  const diffs = ["restarts/restarts-on-step-005-1.diff", "restarts/restarts-on-step-005-3.diff"];
  for (const diff of [...diffs, "failures/restarts-on-step-005-4.diff"])
    expect(existsSync(site.shared(diff))).toBe(true);
});

test("[C40 C59] each edit is in the history with the chain before and after it", () => {
  const [first] = editsIn(site.story("c69c8d6"));
  const lines = (side: string) => (first?.details[side] ?? []) as readonly StateEntry[];
  expect(first).toMatchObject({ step_id: "step-002", details: { operation: "skip", reason: "not needed" } });
  expect([lines("before")[2]?.["status"], lines("after")[2]?.["status"]]).toEqual(["pending", "skipped"]);
});

/** The numbers of the steps that a prompt lists, in their order. */
function stepsIn(prompt: string): readonly string[] {
  return [...prompt.matchAll(/^\d+\. step-0(\d\d) /gm)].map(([, number = ""]) => number);
}

function filesIn(diff: string): readonly string[] {
  return [...readFileSync(diff, "utf8").matchAll(/^\+\+\+ b\/(.+)$/gm)].map(([, name = ""]) => name);
}

function sample(commit: string, instead: unknown): string {
  const file = join(samples, `oneshot.${commit}.json`);
  return existsSync(file) ? readFileSync(file, "utf8") : JSON.stringify(instead);
}

function skip(target_step_id: string): Readonly<Record<string, unknown>> {
  return { operation: "skip", target_step_id, reason: "not needed" };
}

function split(target_step_id: string, field: string): Readonly<Record<string, unknown>> {
  const parts = ["The first half", "The second half"].map((description) => ({ type: "coding", description }));
  return { operation: "split", target_step_id, reason: "two things", [field]: parts };
}

function add(target_step_id: string, ...types: readonly string[]): Readonly<Record<string, unknown>> {
  const new_steps = types.map((type) => ({ type, description: `More ${type}` }));
  return { operation: "add_after", target_step_id, reason: "more to do", new_steps };
}

function restart(new_description: string): string {
  return JSON.stringify({ operation: "restart", target_step_id: "step-005", new_description, reason: "a wrong path" });
}

function pending(): readonly string[] {
  return ["03", "04", "05", "06", "07", "08", "09", "10"].map((number) => `step-0${number}`);
}

/** Quoted for the shell. */
function edits(text: string): string {
  return `edits '${text.replaceAll("'", `'\\''`)}'`;
}
