// The bundled workflows with parts, whose driver is killed again and again: while parts are claimed, prepared, at work, settled and counted.

import { expect, test } from "vitest";
import { hasEnded } from "../../src/domain/attempt.ts";
import type { Event } from "../../src/domain/event.ts";
import type { RunId } from "../../src/domain/ids.ts";
import { recover } from "../../src/runtime/loop/recover.ts";
import { transition } from "../../src/runtime/transition/transition.ts";
import { until } from "../support/until.ts";
import { makeWorld, type World } from "../support/world.ts";

/** Says every key that any of their prompts asks for. One reviewer says no, and stays the only one. */
const agent = `
cat > /dev/null
verdict=approved
if [ "$PAWL_PART" = security ]; then verdict=rejected; fi
printf 'VERSION: 1.0.0\\nCHANGES: one\\nFIXES: one\\nNOTES_FILE: notes.md\\nFOUND: something\\nNOTES: a.ts:1 is wrong\\n'
printf 'SUMMARY: one\\nCORRECTIONS: one\\nFINDINGS: none\\nVERDICT: %s\\n' "$verdict"
echo STATUS: done
`;

async function answerGates(world: World, run: RunId): Promise<void> {
  const { parts } = world;
  for (const gate of (await world.run(run)).header.gates.filter(({ state }) => state.status === "open")) {
    const about = { at: parts.clock.now(), author: "user", story: null, gate: gate.id, note: "", tree: gate.tree };
    await transition(parts, run, { type: "answer_gate", option: "release", ...about });
  }
}

const isOpen = (status: string | null) => status === "running" || status === "held";

test.each(["parallel-review", "nightly-audit", "release"])(
  "[PT3 PT4 PT5 RC1] %s under kill -9 again and again: every part has one verdict, a no stays a no, and the run ends",
  async (workflow) => {
    const world = await makeWorld({ agent, config: "" });
    const run = await world.begin("Look at it", world.parts, undefined, { workflow });
    const count = async () => (await world.events(run)).length;
    for (let kills = 1; kills <= 6 && isOpen(await world.status(run)); kills += 1) {
      const before = await count();
      const driver = world.startDriver(run);
      // Each driver gets further than the one before it, so they die in different phases.
      await until(async () => (await count()) >= before + 2 * kills || (await world.status(run)) !== "running");
      await driver.kill();
      await recover(world.parts);
      await answerGates(world, run);
    }
    for (let rounds = 0; rounds < 3 && isOpen(await world.status(run)); rounds += 1) {
      await world.drive(run);
      await answerGates(world, run);
    }
    expect(await world.status(run)).toBe("done");
    const ended = (await world.events(run)).filter(
      (event): event is Extract<Event, { type: "part_ended" }> => event.type === "part_ended",
    );
    expect(new Set(ended.map(({ step, part }) => `${step}.${part}`)).size).toBe(ended.length);
    const passed = (await world.attempts(run)).filter(
      (attempt) => attempt.part !== undefined && hasEnded(attempt) && attempt.state.outcome === "completed",
    );
    expect(passed).toHaveLength(ended.length);
    expect((await world.run(run)).header.context).toMatchObject(
      workflow === "parallel-review" ? { vote: "approved" } : { opinion: "approved" },
    );
  },
);
