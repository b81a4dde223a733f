// Checks in tests that the rows of the store still agree with the log.

import { expect } from "vitest";
import type { Event } from "../../src/domain/event.ts";
import type { RunId } from "../../src/domain/ids.ts";
import { attemptsOf, type Run, statusOf } from "../../src/domain/run.ts";
import { replay } from "../../src/engine/evolve.ts";
import type { Store } from "../../src/store/store.ts";

export async function wholeLog(store: Store, run: RunId): Promise<readonly Event[]> {
  return (await store.events(run, 0, 1_000_000)).map(({ event }) => event);
}

/** Every row of every run equals the fold of its log. */
export async function expectRowsToEqualLogs(store: Store): Promise<number> {
  const runs = await store.listRuns({ statuses: null, limit: 1_000_000 });
  for (const { id } of runs) await expectRowsToEqualLog(store, id);
  return runs.length;
}

export async function expectRowsToEqualLog(store: Store, id: RunId): Promise<Run> {
  const stored = await store.events(id, 0, 1_000_000);
  expect(stored.map(({ seq }) => seq)).toStrictEqual(stored.map((_, index) => index + 1));
  const run = replay(stored.map(({ event }) => event));
  if (!run) throw new Error(`run ${id} has no log`);
  expect(await store.wholeRun(id)).toStrictEqual(run);

  const summary = await store.runById(id);
  const { header } = run;
  expect(summary).toMatchObject({ status: statusOf(header), totals: header.totals, task: header.task });
  expect(summary?.endedAt).toBe(header.end?.at ?? null);
  expect((await store.storySpecs(id)).map((spec) => spec.id)).toStrictEqual(header.stories.map((entry) => entry.id));
  const gates = [header, ...Object.values(run.stories)].flatMap((scope) => scope.gates);
  for (const gate of gates) expect((await store.gate(gate.id))?.gate).toStrictEqual(gate);
  const open = gates.filter(({ state }) => state.status === "open").map((gate) => gate.id);
  expect((await store.openGates(id)).map(({ gate }) => gate.id).toSorted()).toStrictEqual(open.toSorted());
  for (const story of [null, ...header.stories.map((entry) => entry.id)]) {
    for (const attempt of attemptsOf(run, story)) {
      expect(await store.attempt(attempt.id)).toStrictEqual({ run: id, attempt });
    }
  }
  return run;
}
