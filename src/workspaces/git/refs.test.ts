import { existsSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commitFile, makeRepository, runGit } from "../../../test/support/repository.ts";
import { changeRefs, readRefs } from "./refs.ts";

const at = (repo: string, ref: string) => runGit(repo, "rev-parse", ref);

test("[WS12] several refs change together, or none if one is not what was expected", async () => {
  const repo = makeRepository();
  const first = at(repo, "HEAD");
  const second = commitFile(repo, "a.txt", "1");
  expect(await changeRefs(repo, [`update refs/pawl/x ${second}`, `update refs/heads/side ${second} ${first}`])).toBe(
    false,
  );
  expect(await changeRefs(repo, [`update refs/pawl/x ${second}`, `create refs/heads/main ${first}`])).toBe(false);
  expect((await readRefs(repo, ["refs/pawl"])).size).toBe(0);
  expect(await changeRefs(repo, [`update refs/pawl/x ${second}`, `create refs/heads/side ${first}`])).toBe(true);
  expect(await readRefs(repo, ["refs/pawl/x", "refs/heads/side"])).toEqual(
    new Map([
      ["refs/heads/side", first],
      ["refs/pawl/x", second],
    ]),
  );
});

test("[WS13] the lock of a git that was killed is taken away when no living git could still hold it", async () => {
  const repo = makeRepository();
  const commit = at(repo, "HEAD");
  runGit(repo, "update-ref", "refs/pawl/x", commit);
  const lock = join(repo, ".git/refs/pawl/x.lock");
  writeFileSync(lock, "");
  utimesSync(lock, 1, 1);
  expect(await changeRefs(repo, ["delete refs/pawl/x"])).toBe(true);
  expect(existsSync(lock)).toBe(false);
});

test("[WS12] a fresh lock is waited for", async () => {
  const repo = makeRepository();
  const commit = at(repo, "HEAD");
  const lock = join(repo, ".git/refs/heads/main.lock");
  writeFileSync(lock, "");
  setTimeout(() => rmSync(lock), 1_800);
  expect(await changeRefs(repo, [`update refs/heads/main ${commit} ${commit}`])).toBe(true);
});

test("[WK80] a name with a line break in it is no second change, and nothing is changed", async () => {
  const repo = makeRepository();
  const before = runGit(repo, "for-each-ref");
  const head = runGit(repo, "rev-parse", "HEAD");
  const both = `create refs/heads/new ${head}\ndelete refs/heads/main`;
  await expect(changeRefs(repo, [both])).rejects.toThrow("is not one change of a ref");
  expect(runGit(repo, "for-each-ref")).toBe(before);
});
