// Names of what stories said, from outside: real stories, a real store, prompts and commands behind them.

import { expect, test } from "vitest";
import { makeWorld } from "../../../../test/support/world.ts";
import { transition } from "../../transition/transition.ts";

const planned = JSON.stringify(
  ["US-1", "US-2"].map((id) => ({ id, title: id, description: id, acceptanceCriteria: ["it works"] })),
);

const agent = `
case "$PAWL_STEP" in
  plan) echo STATUS: done; echo 'STORIES_JSON: ${planned}' ;;
  look) echo STATUS: done; echo "VERDICT: $(test "$PAWL_STORY" = US-1 && echo approved || echo rejected)" ;;
  sum) cat > "$PAWL_SHARED/prompt"; echo STATUS: done ;;
esac
`;

const steps = (last: string) => `
  - { id: plan, agent: worker, input: "Print STORIES_JSON for {{task}}" }
  - id: review
    stories: {}
    body:
      - { id: look, agent: worker, produces: [verdict] }
${last}`;

test("[PR47 OU11 OU12 WF112] prompts and commands behind stories read them by name, also with another process's store", async () => {
  const world = await makeWorld({
    agent,
    steps:
      steps(`  - { id: sum, agent: worker, input: "All:\\n{{review.*.verdict}}\\nFirst: {{review.US-1.verdict}}, none: [{{review.US-9.verdict}}]" }
  - { id: count, command: 'test "$(printf %s "$ALL" | grep -c rejected)" = 1', env: { ALL: "{{review.*.verdict}}" } }
`),
  });
  const run = await world.begin();
  expect(await world.drive(run)).toBe("done");
  expect(world.read("prompt")).toContain("All:\nUS-1: approved\nUS-2: rejected\nFirst: approved, none: []");
  const again = await world.open();
  const stories = (await again.store.wholeRun(run))?.header.stories ?? [];
  expect(stories.map(({ said }) => said?.values)).toEqual([{ verdict: "approved" }, { verdict: "rejected" }]);
});

test("[PR47] a command that needs what no story said fails before it runs", async () => {
  const last = `  - { id: use, command: "true", on_error: fail, env: { V: "{{review.US-9.verdict}}" } }\n`;
  const world = await makeWorld({ agent, steps: steps(last) });
  const run = await world.begin();
  expect(await world.drive(run)).toBe("failed");
  expect((await world.run(run)).header.end?.reason).toContain("V needs {{review.US-9.verdict}}, which no step has set");
});

test("[RD8 RD9 RD2 DE2] a tie of stories asks a person, with who said what as evidence, fact and words", async () => {
  const last = `  - id: vote
    decision: majority
    of: review.*.verdict
    on: { approved: next, rejected: fail }
  - { id: sum, agent: worker, if: { any: { of: review.*.verdict, is: rejected } }, input: "It was {{vote}}." }
`;
  const world = await makeWorld({ agent, steps: steps(last) });
  const run = await world.begin();
  expect(await world.drive(run)).toBe("held");
  const { gates } = (await world.run(run)).header;
  const why = "no answer has the majority of review.*.verdict: approved 1, rejected 1 of 2 stories";
  expect(gates).toMatchObject([
    {
      question: "vote: US-1 said approved\nUS-2 said rejected. What does it say?",
      feedback: `${why}\nUS-1 said approved\nUS-2 said rejected`,
      options: { approved: { to: "next" }, rejected: { to: "fail" }, again: { to: "again" } },
    },
  ]);
  const [ended] = (await world.events(run)).filter(
    (event) => event.type === "attempt_ended" && event.facts?.["decision"] !== undefined,
  );
  expect(ended).toMatchObject({
    facts: {
      decision: {
        reader: "majority",
        value: "unknown",
        why,
        evidence: [
          { story: "US-1", name: "review.*.verdict", value: "approved" },
          { story: "US-2", name: "review.*.verdict", value: "rejected" },
        ],
      },
    },
  });
  const { id, tree } = gates[0] ?? { id: "" as never, tree: null };
  const said = { at: world.parts.clock.now(), author: "user:ann", story: null, gate: id, note: "", tree };
  await transition(world.parts, run, { type: "answer_gate", ...said, option: "approved" });
  expect(await world.drive(run)).toBe("done");
  expect(world.read("prompt")).toContain("It was approved.");
});
