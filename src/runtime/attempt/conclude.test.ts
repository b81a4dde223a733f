// The end of an attempt: what `settle` keeps when it fails, and what `finish` leaves alone when it is refused.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { toy } from "../../../test/support/toy-protocol.ts";
import { makeToyWorld, type ToyWorld } from "../../../test/support/toy-world.ts";
import type { Usage } from "../../domain/attempt.ts";
import type { ExecutionEnd } from "../../executors/executor.ts";
import { recover } from "../loop/recover.ts";
import { StopSwitch } from "../stop-switch.ts";
import { openAttempt } from "./attempt.ts";
import type { BegunAttempt } from "./begin/begin.ts";
import { claimStep } from "./claim/claim.ts";
import { type Answer, noToolReport } from "./execute/answer.ts";
import { finish } from "./finish/finish.ts";
import { settle } from "./settle/settle.ts";

const usage: Usage = { costUsd: 0.25, estimatedUsd: 0, inputTokens: 100, cacheReadTokens: 20, outputTokens: 5 };
const end: ExecutionEnd = { outcome: "ran", text: "STATUS: done", usage, session: "s-1", model: "big", notes: [] };
const answer: Answer = { kind: "executed", end, reported: noToolReport };

/** The first attempt of a new run, as a driver has it after `begin`, with a lease that is over at once. */
async function begunIn({ parts, begin }: ToyWorld): Promise<BegunAttempt> {
  const run = await begin();
  const claim = await claimStep(parts, { run, agent: null, driver: "push", worker: "test", leaseMs: 0 });
  const opened = claim === null ? null : await openAttempt(parts, claim);
  if (opened === null) throw new Error("the attempt has not begun");
  return opened.begun;
}

test("[CO1] an attempt that fails while it is settled keeps what its agent used", async () => {
  const world = await makeToyWorld({
    ...toy,
    collect() {
      throw new Error("its file is gone");
    },
  });
  const report = await settle(world.parts, await begunIn(world), answer, new StopSwitch());
  expect(report).toMatchObject({ outcome: "failed", why: expect.stringContaining("its file is gone") });
  expect(report).toMatchObject({ usage, session: "s-1", model: "big" });
});

test("[PO14] a driver whose result is refused does not put away the files of its protocol", async () => {
  const world = await makeToyWorld(toy);
  const { parts } = world;
  const begun = await begunIn(world);
  const { attempt } = begun.claim;
  const stop = new StopSwitch();
  const report = await settle(parts, begun, answer, stop);
  // Its lease is over, and another driver reports the attempt as lost.
  expect(await recover(parts, { adopt: async () => false, mayTake: () => true })).toMatchObject([
    { as: "lost", attempt: { id: attempt.id } },
  ]);
  const decision = await finish(parts, begun.claim, report, { stop, token: null });
  expect(decision.accepted).toBe(false);
  expect(existsSync(join(world.folder, "settled", attempt.id))).toBe(false);
});

test("[PO14] a driver whose result is accepted puts them away", async () => {
  const world = await makeToyWorld(toy);
  const begun = await begunIn(world);
  const stop = new StopSwitch();
  const report = await settle(world.parts, begun, answer, stop);
  const decision = await finish(world.parts, begun.claim, report, { stop, token: null });
  expect(decision.accepted).toBe(true);
  expect(existsSync(join(world.folder, "settled", begun.claim.attempt.id))).toBe(true);
});
