import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test, vi } from "vitest";
import { makeRepository, tempDir } from "../../../test/support/repository.ts";
import { isAlive, processIdentity } from "../../system/process/identity.ts";
import { git, gitLine } from "./git.ts";

const patience = { timeout: 60_000, interval: 20 };

/** The process that started the git which says it. */
const parentOfGit = ["-c", "alias.parent=!cut -d' ' -f4 /proc/$PPID/stat", "parent"];

test.skipIf(process.platform !== "linux")(
  "[GP8] after some calls a small process starts git, with the same answers; when it is killed, git goes on without it",
  async () => {
    const repo = makeRepository({ "big.txt": "x".repeat(100_000) });
    const parent = async () => Number(await gitLine(repo, parentOfGit));
    const own = await parent();
    expect(own).toBe(process.pid);
    const starter = await vi.waitFor(async () => {
      const by = await parent();
      expect(by).not.toBe(own);
      return by;
    }, patience);

    expect((await git(repo, ["hash-object", "--stdin"], { input: "ä\n" })).stdout).toBe(
      "8be8316c70848caa99b9b3086c64976e82d1c17d\n",
    );
    expect(await git(repo, ["checkout", "nope"], { allowFailure: true })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("did not match any file"),
    });
    const missing = git(join(tempDir(), "nope"), ["status"]);
    await expect(missing).rejects.toMatchObject({ code: "REPOSITORY_UNUSABLE" });
    const hung = git(repo, ["-c", "alias.slow=!sleep 600", "slow"], { timeoutMs: 200 });
    await expect(hung).rejects.toThrow("did not end within 0.2 s");
    const long = git(repo, ["show", "HEAD:big.txt"], { maxOutputBytes: 10_000 });
    await expect(long).rejects.toThrow("printed more than 10000 bytes");
    await expect(git(repo, ["-c", "alias.die=!kill -9 $PPID", "die"])).rejects.toMatchObject({ code: "GIT_KILLED" });
    const many = await Promise.all(
      Array.from({ length: 20 }, (_, n) => git(repo, ["show", "HEAD:big.txt"], { env: { N: `${n}` } })),
    );
    expect(many.every(({ stdout }) => stdout.length === 100_000)).toBe(true);
    expect(await parent()).toBe(starter);

    const orphan = git(repo, ["-c", `alias.end=!kill -9 ${starter}; sleep 0.2`, "end"], { allowFailure: true });
    await expect(orphan).rejects.toMatchObject({ code: "GIT_KILLED" });
    expect(await parent()).toBe(own);
  },
);

/** Calls git until a starter does, says who that is, and then waits for the end of its input. It gives up when none comes. */
const program = `
  import { gitLine } from ${JSON.stringify(join(import.meta.dirname, "git.ts"))};
  let by = process.pid;
  const giveUpAt = Date.now() + ${patience.timeout};
  while (by === process.pid) {
    if (Date.now() > giveUpAt) throw new Error("no starter came");
    by = Number(await gitLine(process.argv[1], ${JSON.stringify(parentOfGit)}));
  }
  console.log(by);
  if (process.argv[2] === "stay") process.stdin.resume();
`;

test.skipIf(process.platform !== "linux")(
  "[GP8] the starter keeps no process alive, and ends with one that is killed",
  async () => {
    const repo = makeRepository();
    const args = ["--input-type=module", "--eval", program, repo];
    const ended = await promisify(execFile)(process.execPath, args, { cwd: repo });
    expect(Number(ended.stdout)).toBeGreaterThan(1);

    const killed = spawn(process.execPath, [...args, "stay"], { cwd: repo, stdio: ["pipe", "pipe", "inherit"] });
    const [said] = await once(killed.stdout, "data");
    const starter = processIdentity(Number(String(said)));
    expect(starter && isAlive(starter)).toBe(true);
    killed.kill("SIGKILL");
    await vi.waitFor(() => expect(starter && isAlive(starter)).toBe(false), patience);
  },
);
