import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeWorld } from "../../../test/support/world.ts";
import { isDriven } from "./background.ts";

test("[MC51] a run is driven while somebody performs a step of it, and not before or after", async () => {
  const agent = `touch "$PAWL_SHARED/began"; while [ ! -e "$PAWL_SHARED/go" ]; do sleep 0.05; done; echo STATUS: done`;
  const world = await makeWorld({ agent });
  const run = await world.begin();
  const other = await world.begin("another");
  expect(await isDriven(world.parts, run)).toBe(false);
  const driving = world.drive(run);
  await world.appears("began");
  expect(await isDriven(world.parts, run)).toBe(true);
  expect(await isDriven(world.parts, other)).toBe(false);
  writeFileSync(join(world.home.dir, "go"), "");
  expect(await driving).toBe("done");
  expect(await isDriven(world.parts, run)).toBe(false);
});
