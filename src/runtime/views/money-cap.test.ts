import { expect, test } from "vitest";
import { loadWorkflow } from "../../workflows/load.ts";
import { moneyCapGap } from "./money-cap.ts";

const file = (more: string) => `pawl: 1
id: capped
agents: { planner: {}, maker: {} }
steps:
  - { id: plan, agent: planner, input: plan }
  - id: each
    stories: {}
    body: [{ id: make, agent: maker, input: make }]
    ${more}
`;

/** Only one agent's cost is not known. */
function gapWhere(hidden: string, more: string): string | null {
  const { definition, problems } = loadWorkflow(file(more), "w.yml");
  if (definition === null) throw new Error(JSON.stringify(problems));
  return moneyCapGap(
    { definition, executor: null, caps: definition.caps },
    {
      namesFor: (_run, agent) => [agent],
      costGap: (name) => (name === hidden ? `${name} reports no cost` : null),
    },
  );
}

test("[CO11] the money budget of stories cannot hold where an agent of their steps tells no cost", () => {
  const budget = "story_budget: { usd: 3, at_most: 2, then: fail }";
  expect(gapWhere("maker", budget)).toBe("The budget of 3 USD of a story in each cannot hold: maker reports no cost");
  expect(gapWhere("planner", budget)).toBeNull();
  expect(gapWhere("maker", "story_budget: { at_most: 2, then: fail }")).toBeNull();
});
