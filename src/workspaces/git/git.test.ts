import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { makeRepository, runGit, tempDir, writeFiles } from "../../../test/support/repository.ts";
import { AppError } from "../../domain/error.ts";
import { git, gitLine } from "./git.ts";

const errorOf = async (promise: Promise<unknown>): Promise<AppError> => {
  const error = await promise.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(AppError);
  return error as AppError;
};

test("[WS1] speaks English whatever the language of the caller", async () => {
  const repo = makeRepository();
  vi.stubEnv("LANG", "de_DE.UTF-8");
  vi.stubEnv("LC_ALL", "C.UTF-8");
  vi.stubEnv("LANGUAGE", "de");
  const { stderr } = await git(repo, ["checkout", "nope"], { allowFailure: true });
  expect(stderr).toContain("did not match any file");
});

test("[WS1] is not led to another repository by the caller's environment", async () => {
  const [repo, other] = [makeRepository(), makeRepository()];
  vi.stubEnv("GIT_DIR", join(other, ".git"));
  vi.stubEnv("GIT_WORK_TREE", other);
  vi.stubEnv("GIT_INDEX_FILE", join(other, ".git/index"));
  expect(await gitLine(repo, ["rev-parse", "--show-toplevel"])).toBe(repo);
});

test("[WS1] runs no hook", async () => {
  const repo = makeRepository();
  const hook = join(repo, ".git/hooks/post-checkout");
  writeFiles(repo, { ".git/hooks/post-checkout": "#!/bin/sh\ntouch hook-ran\n" });
  chmodSync(hook, 0o755);
  await git(repo, ["checkout", "--quiet", "-b", "other"]);
  expect(existsSync(join(repo, "hook-ran"))).toBe(false);
});

test("a missing git is an error of its own, with what to do", async () => {
  const repo = makeRepository();
  vi.stubEnv("PATH", tempDir());
  const error = await errorOf(git(repo, ["status"]));
  expect(error).toMatchObject({ code: "GIT_MISSING", exitCode: 4 });
  expect(error.hint).toContain("install git");
});

test("a missing directory is not taken for a missing git", async () => {
  expect(await errorOf(git(join(tempDir(), "nope"), ["status"]))).toMatchObject({ code: "REPOSITORY_UNUSABLE" });
});

test("a failure says what failed and where, without credentials", async () => {
  const repo = makeRepository();
  const error = await errorOf(git(repo, ["fetch", "https://user:secret@localhost:1/x"]));
  expect(error.code).toBe("GIT_FAILED");
  expect(error.message).toContain(repo);
  expect(error.hint).not.toBe("");
  expect(JSON.stringify([error.message, error.details])).not.toMatch(/secret@|user:secret/);
});

test("a command that hangs is ended with its helpers", async () => {
  const repo = makeRepository();
  const slow = ["-c", "alias.slow=!sleep 600; touch survived", "slow"];
  const error = await errorOf(git(repo, slow, { timeoutMs: 200 }));
  expect(error.message).toContain("did not end within 0.2 s");
});

test("output has a limit", async () => {
  const repo = makeRepository({ "big.txt": "x".repeat(100_000) });
  const error = await errorOf(git(repo, ["show", "HEAD:big.txt"], { maxOutputBytes: 10_000 }));
  expect(error.message).toContain("printed more than 10000 bytes");
});

test("waits for another git's lock, and says so when it never goes", async () => {
  const repo = makeRepository();
  const lock = join(repo, ".git/index.lock");
  writeFileSync(lock, "");
  setTimeout(() => rmSync(lock), 100);
  writeFiles(repo, { a: "1" });
  await git(repo, ["add", "a"]);
  expect(runGit(repo, "diff", "--cached", "--name-only")).toBe("a");

  writeFileSync(lock, "");
  const error = await errorOf(git(repo, ["add", "a"]));
  expect(error.hint).toContain("lock");
});

test("[RC16] a git that is killed has given no answer, also where a failure is one", async () => {
  const repo = makeRepository();
  const killed = git(repo, ["-c", "alias.die=!kill -9 $PPID", "die"], { allowFailure: true });
  const error = await errorOf(killed);
  expect(error).toMatchObject({ code: "GIT_KILLED", message: expect.stringContaining("SIGKILL") });
  expect(error.hint).toContain("try again");
});

test("[SE16] a filter of the user sees our variables only where a fetch would", async () => {
  const [repo, home] = [makeRepository(), tempDir()];
  const seen = join(tempDir(), "seen");
  vi.stubEnv("HOME", home);
  runGit(repo, "config", "--global", "filter.spy.clean", `sh -c 'env > ${seen}; cat'`);
  writeFiles(repo, { ".gitattributes": "*.txt filter=spy\n", "a.txt": "a\n" });
  vi.stubEnv("MY_SECRET", "hunter2-hunter2");
  vi.stubEnv("SSH_AUTH_SOCK", "/somewhere");
  await git(repo, ["add", "a.txt"]);
  const names = readFileSync(seen, "utf8");
  expect(names).not.toContain("hunter2");
  expect(names).toContain("SSH_AUTH_SOCK=/somewhere");
  await git(repo, ["add", "--renormalize", "a.txt"], { asUser: true });
  expect(readFileSync(seen, "utf8")).toContain("hunter2");
});
