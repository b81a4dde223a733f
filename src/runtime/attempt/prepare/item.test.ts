// What a step that runs for each entry of a list tells its programs.

import { expect, test } from "vitest";
import { makeWorld } from "../../../../test/support/world.ts";

test("[RF1 RF2] each program is told its entry, in order, as it is: no shell reads it", async () => {
  const world = await makeWorld({
    agent: 'echo STATUS: done; echo "HOSTS: - eu 1"; echo "- \\$(touch bad)"',
    steps: `
  - { id: list, agent: worker, produces: [hosts] }
  - { id: each, repeat_for: hosts, command: 'echo "$PAWL_ITEM = $HOST" >> "$PAWL_SHARED/seen"', env: { HOST: "{{item}}" } }
`,
  });
  const run = await world.begin();
  expect(await world.drive(run)).toBe("done");
  expect(await world.outcomes(run)).toEqual(["completed", "completed", "completed"]);
  expect(world.read("seen")).toBe("eu 1 = eu 1\n$(touch bad) = $(touch bad)\n");
});
