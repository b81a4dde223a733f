// Reports of agents, while they are settled: whose lease it is, and what a report may touch.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { makeWorld } from "../../../test/support/world.ts";
import { attemptId } from "../../domain/ids.ts";
import { completePulledStep, pullStep } from "./pull.ts";
import { recover } from "./recover.ts";

const done = "STATUS: done\n";

test("[CM81] an attempt that Pawl performs is not ended from outside of its agent's environment, not even with its token", async () => {
  const world = await makeWorld({
    agent:
      'cat > /dev/null; touch "$PAWL_SHARED/began"; until [ -e "$PAWL_SHARED/go" ]; do sleep 0.05; done; echo STATUS: done',
  });
  const run = await world.begin();
  const driving = world.drive(run);
  await world.appears("began");
  const [attempt] = await world.attempts(run);
  const report = completePulledStep(await world.open(), attempt?.id ?? "", attempt?.token ?? "", done);
  await expect(report).rejects.toMatchObject({ code: "REFUSED", hint: expect.stringContaining("PAWL_DESK") });
  writeFileSync(join(world.home.dir, "go"), "");
  expect(await driving).toBe("done");
  expect(await world.outcomes(run)).toEqual(["completed"]);
});

const checked = (more: string) => `
  - { id: work, agent: worker, input: x, ${more}, on_error: { again, at_most: 2 } }
`;

test("[PF14] checks that take longer than the step's own time limit do not lose the report of a pulled attempt", async () => {
  const world = await makeWorld({
    steps: checked('timeout: 1s, checks: [\'touch "$(dirname "$PWD")/../checking"; sleep 3\']'),
  });
  const run = await world.begin();
  const pulled = await pullStep(world.parts, "small/worker", null);
  const reporting = completePulledStep(world.parts, pulled?.handle ?? "", null, done);
  await world.appears("checking");
  await sleep(1_500);
  expect(await recover(await world.open())).toEqual([]);
  expect(await reporting).toMatchObject({ accepted: true });
  expect(await world.outcomes(run)).toEqual(["completed"]);
});

test("[PF14] a report whose attempt was ended meanwhile stops its checks and is refused", async () => {
  const world = await makeWorld({
    steps: checked('checks: [\'touch "$(dirname "$PWD")/../checking"; sleep 60\']'),
  });
  const run = await world.begin();
  const pulled = await pullStep(world.parts, "small/worker", null);
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const reporting = completePulledStep(world.parts, pulled?.handle ?? "", null, done);
  await world.appears("checking");
  // As if this process had been frozen, and another one had found the lease over.
  const other = await world.open();
  await other.dispatch.renew("pull:small/worker", [attemptId(pulled?.handle ?? "")], { at: 0, steady: null });
  expect(await recover(other)).toMatchObject([{ as: "timed_out" }]);
  vi.advanceTimersByTime(60_000);
  expect(await reporting).toMatchObject({ accepted: false });
  expect(await world.outcomes(run)).toEqual(["timed_out"]);
});
