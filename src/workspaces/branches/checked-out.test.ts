import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeRepository } from "../../../test/support/repository.ts";
import { checkoutsOf } from "./checked-out.ts";

test("[FT7] a tree that another process removes after it was listed is on no branch", async () => {
  const repo = makeRepository();
  const entries = join(repo, ".git", "worktrees");
  mkdirSync(entries);
  // It is listed, and not there.
  symlinkSync(join(entries, "gone"), join(entries, "listed"));
  expect(await checkoutsOf(repo, "main")).toMatchObject([{ path: repo }]);
});
