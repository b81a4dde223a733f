// Which running gits may hold a lock in a repository.

import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeRepository, runGit, tempDir } from "../../../test/support/repository.ts";
import { gitsIn } from "./lock-holders.ts";

interface Start {
  readonly cwd: string;
  readonly words?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A git that stays for as long as its input is open. */
async function start({ cwd, words = [], env = {} }: Start): Promise<number> {
  const child = spawn("git", [...words, "hash-object", "--stdin"], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["pipe", "ignore", "inherit"],
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  onTestFinished(async () => {
    child.stdin.end();
    await ended;
  });
  await new Promise((resolve) => child.once("spawn", resolve));
  return child.pid ?? 0;
}

test("[WS20] a git counts by the repository that it works in, however it was told which", async () => {
  const [mine, other, nowhere] = [makeRepository(), makeRepository(), tempDir()];
  const tree = join(tempDir(), "tree");
  runGit(mine, "worktree", "add", "--quiet", "--detach", tree);
  mkdirSync(join(mine, "deep/in"), { recursive: true });
  const [own, foreign] = [join(mine, ".git"), join(other, ".git")];
  const there: readonly Start[] = [
    { cwd: join(mine, "deep/in") },
    { cwd: tree },
    { cwd: own },
    { cwd: nowhere, words: ["-C", mine] },
    { cwd: nowhere, words: ["-c", "core.editor=--git-dir", `--git-dir=${own}`] },
    { cwd: other, words: ["--git-dir", own] },
    { cwd: other, env: { GIT_DIR: own } },
    { cwd: mine, env: { GIT_DIR: ".git", PWD: mine } },
    { cwd: nowhere, env: { GIT_DIR: runGit(tree, "rev-parse", "--absolute-git-dir") } },
    { cwd: other, words: [`--git-dir=${own}`], env: { GIT_DIR: foreign } },
  ];
  const elsewhere: readonly Start[] = [
    { cwd: nowhere },
    { cwd: other },
    { cwd: foreign, env: { GIT_DIR: ".", PWD: foreign } },
    { cwd: nowhere, words: [`--git-dir=${foreign}`] },
    { cwd: mine, env: { GIT_DIR: foreign } },
  ];
  const pidsIn = async () => new Set(Array.from(await gitsIn(own), (holder) => Number(holder.split(" ")[0])));
  for (const [starts, counts] of [
    [there, true],
    [elsewhere, false],
  ] as const)
    for (const each of starts) {
      const pid = await start(each);
      // A git that has just begun has not gone to where `-C` leads.
      await expect.poll(async () => ({ ...each, counts: (await pidsIn()).has(pid) })).toEqual({ ...each, counts });
    }
});
