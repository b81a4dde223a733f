// Strict templates and the number of an attempt, in a real run.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeWorld } from "../../../../test/support/world.ts";
import { transition } from "../../transition/transition.ts";

test("[PR48] {{attempt}} is the number of the attempt of this step, in its input and its variables", async () => {
  const world = await makeWorld({
    agent: `cat >> "$PAWL_SHARED/prompt"; [ -e "$PAWL_SHARED/once" ] && { echo STATUS: done; exit; }
touch "$PAWL_SHARED/once"; printf 'STATUS: retry\\nISSUES: not yet\\n'`,
    steps: `
  - { id: first, command: 'echo "N: $N"', produces: [n], env: { N: "no {{attempt}}" } }
  - { id: work, agent: worker, input: "This is attempt {{attempt}}, after {{n}}." }
  - { id: ask, gate: "After attempt [{{attempt}}]?", options: { yes: next } }
`,
  });
  const run = await world.begin();
  expect(await world.drive(run)).toBe("held");
  const prompts = world.read("prompt");
  expect([
    prompts.includes("This is attempt 1, after no 1."),
    prompts.includes("This is attempt 2, after no 1."),
  ]).toEqual([true, true]);
  expect((await world.run(run)).header.gates).toMatchObject([{ question: "After attempt []?" }]);
});

test("[PR49] with strict templates a step whose input names a key without a value asks a person, and starts nothing", async () => {
  const world = await makeWorld({
    agent: `printf '%s\\n' "$PAWL_STEP" >> "$PAWL_SHARED/started"
if [ "$PAWL_STEP" = plan ]; then [ -e "$PAWL_SHARED/value" ] && echo "PLAN: small" || echo "PLAN:  "; fi
echo STATUS: done`,
    steps: `
  - { id: plan, agent: worker, produces: [plan], input: "{{task}}" }
  - { id: work, agent: worker, input: "Do {{plan}}. {{feedback}}" }
`,
  });
  const file = join(world.dir, "workflow.yml");
  writeFileSync(file, readFileSync(file, "utf8").replace("steps:", "templates: strict\nsteps:"));
  const run = await world.begin();
  expect(await world.drive(run)).toBe("held");
  expect(world.read("started")).toBe("plan\n");
  const { gates, attempts } = (await world.run(run)).header;
  const why =
    'work needs {{plan}}, which has no value (let a step before it print PLAN, or write `{{plan | default: "text"}}`)';
  expect(gates).toMatchObject([{ step: "work", question: `${why}. Start it again?` }]);
  expect(Object.keys(gates[0]?.options ?? {})).toEqual(["again", "stop"]);
  expect(attempts.at(-1)?.state).toMatchObject({ outcome: "failed", why, taken: { draws: null } });
  const { id } = gates[0] ?? { id: "" as never };
  const said = { at: world.parts.clock.now(), author: "user:ann", story: null, gate: id, note: "", tree: null };
  await transition(world.parts, run, { type: "answer_gate", ...said, option: "stop" });
  expect(await world.drive(run)).toBe("failed");
});
