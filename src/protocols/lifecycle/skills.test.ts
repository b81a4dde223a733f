// The role files of the bundled skills, and what Pawl makes of a project whose agents obey them. `skill-player.ts` is such an agent.

import { execFileSync } from "node:child_process";
import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { known } from "../../../test/support/protocols.ts";
import { tempDir } from "../../../test/support/repository.ts";
import { type Knobs, play, playedBy, roleOf, type Trick } from "../../../test/support/skill-player.ts";
import { readReport } from "../../prompts/report.ts";
import { loadWorkflow } from "../../workflows/load.ts";
import { type ResultKind, resultReaders } from "./readers/result-readers.ts";
import { standingOf } from "./standing/position.ts";
import { projectFolder } from "./standing/project-folder.ts";
import { readProjectState } from "./standing/project-state.ts";

const skills = readdirSync(new URL("../../../workflows/lifecycle/agents/", import.meta.url)).toSorted();
const standing = (root: string, phase?: string) =>
  standingOf(projectFolder(root), phase === undefined ? {} : { phase });
const positionIn = (root: string) => {
  const found = standing(root);
  return found.kind === "known" ? found.position : found.why;
};

/** Plays calls one after the other, and returns where the project stands after each. */
function playAll(root: string, calls: readonly (string | readonly [call: string, trick: Trick])[], knobs: Knobs = {}) {
  return calls.map((each) => {
    const [call, trick] = typeof each === "string" ? [each, null] : each;
    expect(play(call, root, { trick, knobs })).toMatch(/^STATUS: done$/m);
    return positionIn(root);
  });
}

const start = ['maestro-brainstorm "a shop"', "maestro-init", 'maestro-roadmap "a shop"'];
const toTest = (phase: number) => [
  `maestro-analyze ${phase}`,
  `maestro-plan ${phase}`,
  `maestro-execute ${phase}`,
  `maestro-verify ${phase}`,
  `quality-business-test ${phase}`,
  `quality-review ${phase}`,
  `quality-test-gen ${phase}`,
  `quality-test ${phase}`,
];
const close = ["maestro-milestone-audit", "maestro-milestone-complete"];
/** Where a phase stands after each of `toTest`. Position has no word for the time after test-gen. */
const afterEach = ["plan", "execute", "verify", "business-test", "review", "test", "test"];

describe("a project whose agents obey the role files", () => {
  test("[LK2 E26 E75] stands at the next stage after each skill, from an empty directory to its last milestone", () => {
    const root = tempDir("pawl-skills-");
    const knobs = { roadmap: [[1, 2], [3]] };
    expect(positionIn(root)).toBe("brainstorm");
    expect(playAll(root, start, knobs)).toEqual(["init", "roadmap", "analyze"]);
    expect(playAll(root, toTest(1))).toEqual([...afterEach, "analyze"]);
    expect(standing(root)).toMatchObject({ milestone: "M1", phase: "2" });
    expect(playAll(root, toTest(2))).toEqual([...afterEach, "milestone-audit"]);
    expect(playAll(root, close)).toEqual(["milestone-audit", "analyze"]);
    expect(standing(root)).toMatchObject({ milestone: "M2", phase: "3" });
    expect(playAll(root, [...toTest(3), ...close])).toEqual([
      ...afterEach,
      "milestone-audit",
      "milestone-audit",
      "complete",
    ]);
  });

  test("[LK2 E43] a milestone with an open phase is not completed: the session finds that phase next", () => {
    const root = tempDir("pawl-skills-");
    playAll(root, [...start, ...toTest(1)], { roadmap: [[1, 2]] });
    expect(playAll(root, close)).toEqual(["analyze", "analyze"]);
    expect(standing(root)).toMatchObject({ milestone: "M1", phase: "2" });
  });

  test("[LK2 LP9 LP10 E24 E38 E39 E40 E41] fix rounds: each ends where the lifecycle continues", () => {
    const root = tempDir("pawl-skills-");
    const fix = (debug: string) => [debug, "maestro-plan --gaps 1", "maestro-execute 1"];
    playAll(root, [...start, ...toTest(1).slice(0, 3)]);
    expect(playAll(root, [["maestro-verify 1", "bad"], ...fix('quality-debug "GAP-1"'), "maestro-verify 1"])).toEqual([
      "verify-failed",
      "verify-failed",
      "execute",
      "verify",
      "business-test",
    ]);
    const business = [["quality-business-test 1", "bad"], ...fix("quality-debug --from-business-test 1")] as const;
    expect(playAll(root, [...business, "maestro-verify 1", "quality-business-test 1"])).toEqual([
      "business-test",
      "business-test",
      "execute",
      "verify",
      "business-test",
      "review",
    ]);
    expect(playAll(root, [["quality-review 1", "bad"], ...fix('quality-debug "REV-1"'), "quality-review 1"])).toEqual([
      "review-failed",
      "review-failed",
      "execute",
      "verify",
      "test",
    ]);
    expect(playAll(root, ["quality-test-gen 1", ["quality-test 1", "bad"]])).toEqual(["test", "test-failed"]);
    const again = [...fix("quality-debug --from-uat 1"), ...toTest(1).slice(3)];
    expect(playAll(root, again)).toEqual([
      "test-failed",
      "execute",
      "verify",
      ...afterEach.slice(3),
      "milestone-audit",
    ]);
    expect(playAll(root, close)).toEqual(["milestone-audit", "complete"]);
  });

  const unclear = { kind: "unclear", code: "E002" };
  test.each([
    ["maestro-verify 1", 4, unclear],
    ["quality-review 1", 6, unclear],
    // An acceptance test that is not complete is done again.
    ["quality-test 1", 8, { kind: "known", position: "test" }],
  ])("[LK3 LR5 E77] %s that leaves the example of its role file says nothing", (call, steps, expected) => {
    const root = tempDir("pawl-skills-");
    playAll(root, [...start, ...toTest(1).slice(0, steps - 1)]);
    playAll(root, [[call, "template"]]);
    const found = standing(root);
    expect(found).toMatchObject(expected);
  });

  test("[LK2 E36] a skill that says done and writes nothing leaves the project where it was", () => {
    const root = tempDir("pawl-skills-");
    playAll(root, [...start, ...toTest(1).slice(0, 5)]);
    expect(playAll(root, [["quality-review 1", "nothing"]])).toEqual(["review"]);
  });
});

describe("the role files", () => {
  test("[LK1 E76] there is one for each of the 14 skills", () => {
    const called = [...start, ...toTest(1), ...close, "quality-debug"].map((call) => call.split(" ")[0] ?? "");
    expect(skills).toEqual(called.toSorted());
  });

  test.each(skills)("[LK1 E57 E76] %s: what to leave alone, how to end, and how to fail", (skill) => {
    const text = roleOf(skill);
    const said = text.replace(/\s+/g, " ");
    expect(text.startsWith(`# ${skill}\n`)).toBe(true);
    for (const words of [
      `\`${skill}`,
      "`.workflow/.ralph/`",
      "`SUMMARY`",
      "`STATUS: done`",
      "`STATUS: failed`",
      "`REASON:`",
    ])
      expect(said).toContain(words);
    expect(text.split("\n").filter((line) => line.startsWith(`${skill} `))).toEqual([]);
  });

  test.each(skills)("[LK4 PR35 E57] %s repeated is no answer", (skill) => {
    const file = `pawl: 1\nid: one\nname: One\nversion: 1\ndescription: One.\nagents:\n  a: { name: A, description: A. }\nsteps:\n  - { id: s, title: S, agent: a, summary: true, input: "${skill} 1" }\n`;
    const [step] = loadWorkflow(file, "one.yml", known).definition?.steps ?? [];
    if (step?.kind !== "agent") throw new Error("no step");
    const prompt = `# SKILL.md\n\n${roleOf(skill)}\n\n${skill} 1\n`;
    const outcome = (answer: string) => readReport(step, answer, [], { text: prompt, written: prompt }).outcome;
    const lines = prompt.trimEnd().split("\n");
    const ends = lines.map((_, at) => lines.slice(at).join("\n")).filter((end) => end.split("\n").length >= 4);
    for (const echo of [prompt, `Sure:\n\n${prompt}`, `${prompt}\n${prompt}`, prompt.replace(/^/gm, "> "), ...ends])
      expect([echo.slice(0, 120), outcome(echo)]).toEqual([echo.slice(0, 120), "invalid_output"]);
    expect(outcome(`${prompt}\nSUMMARY\nThe shop has a cart now.\n\nSTATUS: done`)).toBe("completed");
  });

  const kinds: Readonly<Record<string, readonly [kind: ResultKind, file: string]>> = {
    "maestro-verify": ["verification", "verification.json"],
    "quality-business-test": ["business-test", "business-test-results.json"],
    "quality-review": ["review", "review.json"],
    "quality-test": ["uat", "uat.md"],
  };

  test.each(Object.entries(kinds))(
    "[LK3 LR5 E77] %s: its example as it is says nothing; filled in it has a verdict",
    (skill, [kind, file]) => {
      const [example = ""] = examplesIn(skill);
      expect(resultReaders[kind](example).verdict).toBe("unknown");
      // With the verdict alone filled in, its parts still are a template.
      const half = example.replace("<true or false>", "true").replace("<PASS, WARN or BLOCK>", "PASS");
      expect(resultReaders[kind](half.replace(/: <[^>]*>/g, ": 1")).verdict).not.toBe("proceed");
      for (const [trick, verdict] of [
        [null, "proceed"],
        ["bad", "fix"],
      ] as const) {
        const root = tempDir("pawl-skills-");
        playAll(root, [...start, ...toTest(1).slice(0, 4)]);
        play(`${skill} 1`, root, { trick });
        const written = `.workflow/scratch/${stateOf(root).artifacts.at(-1)?.path}/${file}`;
        expect(resultReaders[kind](readFileSync(join(root, written), "utf8"))).toMatchObject({ verdict });
      }
    },
  );

  test.each(skills)("[LK3 E76] %s: the stand-in writes what its examples show", (skill) => {
    const root = tempDir("pawl-skills-");
    const calls = [...start, ...toTest(1), 'quality-debug "GAP-1"', ...close];
    playAll(root, calls.slice(0, calls.findIndex((call) => call.split(" ")[0] === skill) + 1));
    const texts = globSync("**/*.json", { cwd: join(root, ".workflow"), exclude: [] })
      .concat(
        globSync(".workflow/scratch/*/.tests/*.json", { cwd: root }).map((path) => path.replace(".workflow/", "")),
      )
      .map((path) => readFileSync(join(root, ".workflow", path), "utf8"));
    for (const example of examplesIn(skill)) {
      if (!example.startsWith("{")) continue;
      const keys = keysIn(JSON.parse(example.replace(/: <([^>]*)>/g, ': "$1"')) as object);
      const fits = texts
        .flatMap((text) => partsOf(JSON.parse(text)))
        .some((part) => keys.every((key) => keysIn(part).includes(key)));
      expect([keys, fits]).toEqual([keys, true]);
    }
  });

  test("[LK3 E15] the state that they keep is read, and unknown parts of it stay", () => {
    const root = tempDir("pawl-skills-");
    playAll(root, [...start, "maestro-analyze 1"]);
    const file = join(root, ".workflow/state.json");
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replace('"version"', '"mine": 1,\n  "version"'));
    playAll(root, ["maestro-plan 1"]);
    expect(readFileSync(file, "utf8")).toContain('"mine": 1');
    expect(stateOf(root).artifacts.map(({ type, phase }) => [type, phase])).toEqual([
      ["analyze", "1"],
      ["plan", "1"],
    ]);
  });
});

test("[LK2] as a program it finds the call in a prompt, counts the calls that ended, and commits in git", () => {
  const root = tempDir("pawl-skills-");
  const knobs = join(tempDir("pawl-knobs-"), "knobs.json");
  const tricks = { "maestro-init": { 1: "failed", 2: "crashes" } } satisfies Knobs["tricks"];
  writeFileSync(knobs, JSON.stringify({ tricks }));
  execFileSync("git", ["init", "--quiet"], { cwd: root });
  const player = fileURLToPath(new URL("../../../test/support/skill-player.ts", import.meta.url));
  const run = (call: string) =>
    execFileSync(process.execPath, [player, knobs], {
      cwd: root,
      input: `# SKILL.md\n\n${roleOf(call.split(" ")[0] ?? "")}\n\n# Task\n\na shop\n\n${call}\n`,
      encoding: "utf8",
    });
  expect(run("maestro-init")).toContain("STATUS: failed");
  expect(existsSync(join(root, ".workflow"))).toBe(false);
  expect(() => run("maestro-init")).toThrow("Command failed");
  expect(run("maestro-init")).toContain("STATUS: done");
  expect(playedBy(knobs).map(({ trick }) => trick)).toEqual(["failed", "crashes", null]);
  expect(execFileSync("git", ["log", "--format=%s"], { cwd: root, encoding: "utf8" })).toBe("chore: maestro-init\n");
});

const stateOf = (root: string) => readProjectState(readFileSync(join(root, ".workflow/state.json"), "utf8"));

/** The blocks that a role file shows, in order. */
function examplesIn(skill: string): readonly string[] {
  return [...roleOf(skill).matchAll(/^```\w+\n([^]*?)^```$/gm)].map(([, block = ""]) => block);
}

function keysIn(value: object): readonly string[] {
  return Object.keys(value);
}

/** An object and the objects in its lists. */
function partsOf(value: unknown): readonly object[] {
  if (typeof value !== "object" || value === null) return [];
  return [value, ...Object.values(value).flatMap((part) => (Array.isArray(part) ? part.flatMap(partsOf) : []))];
}
