import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/repository.ts";
import { Trees } from "./trees.ts";

test("[DR9] a caller that needs a tree which is being made again waits until it is finished, not until its .git is there", async () => {
  const path = join(tempDir("pawl-trees-"), "tree");
  const trees = new Trees();
  const begin = () => {
    mkdirSync(path);
    writeFileSync(join(path, ".git"), "gitdir: elsewhere\n");
  };
  await trees.ensure(path, async () => begin());
  rmSync(path, { recursive: true });

  const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
  const { promise: begun, resolve: hasBegun } = Promise.withResolvers<void>();
  const order: string[] = [];
  const ahead = trees.ensure(path, async () => {
    begin();
    hasBegun();
    await finished;
    order.push("finished");
  });
  await begun;
  const needed = trees.ensure(path, () => Promise.reject(new Error("made twice"))).then(() => order.push("entered"));
  // Had it not waited, it would have entered by now.
  await new Promise((resolve) => setImmediate(resolve));
  finish();
  await Promise.all([ahead, needed]);
  expect(order).toEqual(["finished", "entered"]);
});
