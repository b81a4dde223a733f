// Sessions of the bundled lifecycle, with a stand-in that obeys its role files: every prompt, call and file is the real one.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { expectCode, newSite, type Site } from "../support/pawl.ts";
import { programLine } from "../support/program-words.ts";
import { type Knobs, playedBy } from "../support/skill-player.ts";

const program = programLine("skill-player.ts");

function session(knobs: Knobs) {
  const site = newSite();
  const file = site.path("knobs.json");
  writeFileSync(file, JSON.stringify(knobs));
  const executor = `command: ${program} ${file}`;
  return {
    site,
    begin: (...args: readonly string[]) =>
      site.pawl("lifecycle", "a", "shop", "--yes", "--executor", executor, ...args),
    execute: () => site.pawl("lifecycle", "execute"),
    calls: () => playedBy(file).map(({ call }) => call),
  };
}

const positionOf = async (site: Site) =>
  (await site.json<{ readonly position: string }>(["lifecycle", "position"])).position;

test("[LK2 LK5 E43 E76] without stops: a milestone with two phases, each through all stages, then the next one", async () => {
  const { site, begin, calls } = session({ roadmap: [[1, 2], [3]] });
  expectCode(await begin("--auto"), 0);
  expect(await positionOf(site)).toBe("complete");
  const audits = calls().filter((call) => call.startsWith("maestro-milestone"));
  // The first pair finds phase 2 open: the milestone is not completed, and the session continues with that phase.
  expect(audits).toEqual([1, 2, 3].flatMap(() => ["maestro-milestone-audit", "maestro-milestone-complete"]));
  for (const phase of [1, 2, 3]) expect(calls().filter((call) => call === `quality-test ${phase}`)).toHaveLength(1);
});

test("[LK3 E25 E64] a result that is a template, and one that is missing, are asked about, and read again after they are mended", async () => {
  const tricks = { "maestro-verify": { 1: "template" }, "quality-review": { 1: "nothing" } } as const;
  const { site, begin, execute, calls } = session({ tricks });
  const held = await begin("--auto");
  expectCode(held, 3);
  expect(held.stdout + held.stderr).toContain("verification.json");
  const state = JSON.parse(readFileSync(join(site.repo, ".workflow/state.json"), "utf8")) as {
    readonly artifacts: readonly { readonly type: string; readonly path: string }[];
  };
  const { path = "" } = state.artifacts.find(({ type }) => type === "verify") ?? {};
  writeFileSync(join(site.repo, ".workflow/scratch", path, "verification.json"), '{"passed": true, "gaps": []}');
  expectCode(await execute(), 3);
  expect(calls().at(-1)).toBe("quality-review 1");
  expect(await positionOf(site)).toBe("review");
});

test("[LK2 E54] a skill that fails or crashes holds the session, and the next execute runs it again", async () => {
  const tricks = { "maestro-plan": { 1: "failed" }, "maestro-execute": { 1: "crashes" } } as const;
  const { site, begin, execute, calls } = session({ tricks });
  expectCode(await begin(), 3);
  expect(await positionOf(site)).toBe("plan");
  expectCode(await execute(), 3);
  expect(await positionOf(site)).toBe("execute");
  expectCode(await execute(), 3);
  expect(await positionOf(site)).toBe("business-test");
  expect(calls().slice(-5)).toEqual([
    "maestro-plan 1",
    "maestro-plan 1",
    "maestro-execute 1",
    "maestro-execute 1",
    "maestro-verify 1",
  ]);
});
