import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { known } from "../../../test/support/protocols.ts";
import type { AgentStep } from "../../domain/definition.ts";
import { storyId } from "../../domain/ids.ts";
import { rulesFor } from "./rules-for.ts";
import { isTeam, marksOf, sizeValue, teamSizes, withSize } from "./story-size.ts";

const base = readFileSync(new URL("../../../workflows/agentic-coding/step-rules.yml", import.meta.url), "utf8");

function effective(text: string | null, options: { readonly teams?: boolean } = {}) {
  return rulesFor({ text, file: ".ai/step-rules.yaml", base }, known, options);
}

function stepOf(text: string | null, name: string, options?: { readonly teams?: boolean }): AgentStep {
  const { definition, problems } = effective(text, options);
  expect(problems).toEqual([]);
  const [stories] = definition?.steps ?? [];
  const step = stories?.kind === "stories" ? stories.body.find((each) => each.name === name) : undefined;
  if (step?.kind !== "agent") throw new Error(`no session performs ${name}`);
  return step;
}

const story = (title: string, description = title, acceptanceCriteria: readonly string[] = []) => ({
  title,
  description,
  acceptanceCriteria,
});

describe("the size of a story", () => {
  test.each([
    ["no mark", story("Coupons"), "S"],
    ["a size", story("Coupons [M]"), "M"],
    ["one [P] is not enough", story("Coupons [M] [P]"), "M"],
    ["two of them", story("Coupons [M] [P] [P]"), "M+P"],
    ["in the description", story("Coupons", "[L] A coupon has a last day. [P] back end [P] front end"), "L+P"],
    ["in the criteria", story("Coupons [M]", "text", ["[P] it expires", "[P] it is shown"]), "M+P"],
    ["the description repeats the title", story("Coupons [M] [P]", "Coupons [M] [P]\nmore"), "M"],
    ["other brackets", story("Coupons [XL] [p] [m]"), "S"],
  ])("[TM1 D79] %s", (_, words, value) => {
    expect(sizeValue(marksOf(words))).toBe(value);
    const spec = { id: storyId("US-1"), ...words, dependsOn: [] };
    expect(withSize(spec).context).toEqual({ story_size: value });
  });

  test.each([
    ["S", 0, "single"],
    ["S", 5, "single"],
    ["M", 0, "single"],
    ["M", 1, "single"],
    ["M", 2, "team"],
    ["L", 0, "team"],
    ["L", 3, "team"],
  ] as const)("[TM2 D79] [%s] with %i [P] is for %s", (size, parallel, mode) => {
    expect(isTeam({ size, parallel }) ? "team" : "single").toBe(mode);
  });

  test("[TM2 D79] dispatch_mode changes it, size by size", () => {
    expect(teamSizes()).toEqual(["m+p", "l", "l+p"]);
    expect(teamSizes({ S: "auto", M: "team", L: "single" })).toEqual(["s+p", "m", "m+p"]);
    expect(teamSizes({ M: "single", L: "single" })).toEqual([]);
  });
});

describe("a team of a step", () => {
  test("[TM2 TM3 D78 D80] is its roles as parts, for stories of a size that has a team", () => {
    const { parts } = stepOf(null, "impl");
    expect(parts).toMatchObject({
      if: { key: "story_size", values: ["m+p", "l", "l+p"] },
      need: "all",
      others: "finish",
    });
    const list = parts && "list" in parts.of ? parts.of.list : [];
    const own = (role: string) => [".ai/HANDOFF.md", `.ai/handoffs/${role}.md`];
    const [bdd, api] = ["docs/bdd/US-{story}.md", "docs/api/openapi.yaml"];
    expect(Object.fromEntries(list.map(({ name, reads, writes }) => [name, { reads, writes }]))).toEqual({
      backend: { reads: ["docs/sdd.md", api, "internal/**/*.go", ...own("backend")], writes: ["*.go"] },
      frontend: { reads: [api, "src/components/**", ...own("frontend")], writes: ["*.ts", "*.tsx"] },
      test: { reads: [bdd, api, "docs/nfr.md", ...own("test")], writes: ["*_test.go", "*.spec.ts"] },
      verify: {
        reads: [bdd, "docs/deltas/US-{story}.md", api, "docs/constitution.md", ...own("verify")],
        writes: [],
      },
    });
    expect(stepOf(null, "verify").parts).toBeUndefined();
  });

  test("[TM3 TB2] the roles of a project replace those of the bundled table; what a role leaves out is as its step says", () => {
    const { parts } = stepOf(
      "steps: { impl: { team_roles: { api: {}, web: { claude_writes: ['web/**'] } } } }",
      "impl",
    );
    const list = parts && "list" in parts.of ? parts.of.list : [];
    expect(list.map(({ name, writes }) => [name, writes])).toEqual([
      ["api", ["*.go", "*.ts"]],
      ["web", ["web/**"]],
    ]);
    expect(list[0]?.reads).toEqual(["docs/sdd.md", "docs/api/openapi.yaml", ".ai/HANDOFF.md", ".ai/handoffs/api.md"]);
  });

  test("[TM2 TM12] without roles, without a size that has a team, or with one folder for all, a step has no parts", () => {
    expect(stepOf("steps: { impl: { team_roles: null } }", "impl").parts).toBeUndefined();
    expect(stepOf("dispatch_mode: { M: single, L: single }", "impl").parts).toBeUndefined();
    expect(stepOf(null, "impl", { teams: false }).parts).toBeUndefined();
    const { parts: _parts, ...kept } = stepOf(null, "impl");
    expect(stepOf(null, "impl", { teams: false })).toEqual(kept);
  });

  test("[TM1] only the first step is asked for the size of the story, and only where it decides something", () => {
    expect(stepOf(null, "bdd").input).toContain("complexity (S, M or L)");
    expect(stepOf(null, "scaffold").input).not.toContain("complexity");
    expect(stepOf("steps: { impl: { team_roles: null } }", "bdd").input).not.toContain("complexity");
  });

  test.each([
    ["steps: { impl: { team_roles: {} } }", "steps.impl.team_roles", "the list is empty"],
    ["steps: { impl: { team_roles: { ../x: {} } } }", "steps.impl.team_roles", '"../x" cannot be the name of a part'],
    ["steps: { impl: { team_roles: { a: {}, A: {} } } }", "steps.impl.team_roles", 'two parts have the name "A"'],
    ["steps: { impl: { team_roles: { join: {} } } }", "steps.impl.team_roles", "no role can be called `join`"],
    ["steps: { impl: { team_roles: { lead: {} } } }", "steps.impl.team_roles", "no role can be called `lead`"],
    ["steps: { impl: { team_roles: [backend] } }", "steps.impl.team_roles", "cannot be a list"],
    ["steps: { impl: { team_roles: { a: { reads: [x] } } } }", "steps.impl.team_roles.a.reads", "unknown key `reads`"],
    ["dispatch_mode: { XL: team }", "dispatch_mode.XL", "unknown key `XL`"],
    ["dispatch_mode: { M: sometimes }", "dispatch_mode.M", "`M` cannot be"],
    ["dispatch_mode: team", "dispatch_mode", "`dispatch_mode` cannot be"],
    ["agent_teams: maybe", "agent_teams", "`agent_teams` cannot be"],
  ])("[TM9 D79 D80] refuses %s with its place and a hint", (text, place, message) => {
    const { problems, definition } = effective(text);
    const errors = problems.filter(({ severity }) => severity === "error");
    expect(definition).toBeNull();
    expect(errors[0]).toMatchObject({ path: place, line: 1, message: expect.stringContaining(message) });
    expect(errors[0]?.hint).not.toBe("");
  });

  test("[TM10 D94] with agent_teams the team is one part, whose session leads the others", () => {
    const { parts } = stepOf("agent_teams: true", "impl");
    expect(parts).toMatchObject({ of: { list: [{ name: "lead" }] }, if: { key: "story_size" } });
  });
});
