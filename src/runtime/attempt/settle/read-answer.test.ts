// What settling makes of an agent that only prints what it was told: pushed, pulled, and read by another process.

import { expect, test } from "vitest";
import { makeWorld } from "../../../../test/support/world.ts";
import { completePulledStep, pullStep } from "../../loop/pull.ts";

const steps = `
  - id: work
    agent: worker
    on_error: { again, at_most: 1, then: fail }
    input: |
      Do the task: {{task}}

      Reply with exactly these keys, each at the start of a line:

      STATUS: done
      CHANGES: what you changed, and in which files

      Leave the tree clean when you have finished.
`;

test("[PR35] an agent that prints its prompt has not passed, and is told what was wrong; what it says beside it counts", async () => {
  const world = await makeWorld({
    steps,
    agent: 'cat; if [ "$PAWL_ATTEMPT" = 2 ]; then printf "\\nSTATUS: done\\nCHANGES: a.txt\\n"; fi',
  });
  const run = await world.begin();
  expect(await world.drive(run)).toBe("done");
  expect(await world.outcomes(run)).toEqual(["invalid_output", "completed"]);
  const [first] = await world.attempts(run);
  expect(first?.state).toMatchObject({ why: expect.stringContaining("the output only repeats the prompt") });
  expect((await world.run(run)).header.context).toMatchObject({ changes: "a.txt" });
});

test("[PR35] one that pulls and reports its prompt has not passed either", async () => {
  const world = await makeWorld({ steps });
  const run = await world.begin();
  const pulled = await pullStep(world.parts, "small/worker", null);
  await completePulledStep(await world.open(), pulled?.handle ?? "", null, `Here it is:\n${pulled?.input}`);
  expect(await world.outcomes(run)).toEqual(["invalid_output"]);
});
