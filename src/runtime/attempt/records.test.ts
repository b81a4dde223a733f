import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { makeWorld } from "../../../test/support/world.ts";
import { noUsage } from "../../domain/attempt.ts";
import { attemptId } from "../../domain/ids.ts";
import { noToolReport } from "./execute/answer.ts";
import { endFile } from "./logs.ts";
import { readEnd, saveEnd } from "./records.ts";

async function scene() {
  const world = await makeWorld();
  const run = await world.begin();
  await world.drive(run);
  const [attempt] = await world.attempts(run);
  if (!attempt) throw new Error("nothing was attempted");
  const file = endFile(world.parts, run, attempt);
  mkdirSync(dirname(file), { recursive: true });
  const save = (text: string, of = attempt) => {
    const end = { outcome: "ran", text, usage: noUsage, session: null, notes: [] } as const;
    saveEnd(world.parts, run, of, { end, reported: noToolReport });
    return readFileSync(file, "utf8");
  };
  return { file, attempt, save, read: () => readEnd(world.parts, run, attempt)?.end };
}

test("[RC18] a file that is handed on has the new end alone, whichever of the two is longer", async () => {
  const { attempt, save, read } = await scene();
  const other = { ...attempt, id: attemptId("at-0000000000000000") };
  for (const [before, after] of [
    ["STATUS: done", "x".repeat(10_000)],
    ["x".repeat(10_000), "STATUS: done"],
  ] as const) {
    save(before, other);
    expect(read()).toBeUndefined();
    save(after);
    expect(read()).toMatchObject({ text: after });
  }
});

test("[RC18] the beginning of an end and the rest of another one count as none, at whatever byte they meet", async () => {
  const { file, attempt, save, read } = await scene();
  const before = save("a".repeat(300), { ...attempt, id: attemptId("at-0000000000000000") });
  const after = save("b".repeat(300));
  expect(after).toHaveLength(before.length);
  const mixed = Array.from(after, (_, at) => after.slice(0, at) + before.slice(at)).filter((text) => text !== after);
  expect(mixed.length).toBeGreaterThan(300);
  for (const text of mixed) {
    writeFileSync(file, text);
    expect(read()).toBeUndefined();
  }
});
