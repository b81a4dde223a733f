import { chmodSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/repository.ts";
import { performWith, plainOptions, printing } from "../../../test/support/stub-agents.ts";
import { transcripts } from "../../../test/support/transcripts.ts";
import { claude } from "../claude/claude.ts";
import { codex } from "../codex/codex.ts";
import type { Executor } from "../executor.ts";
import { agentExecutor } from "./agent-cli.ts";
import { isOlder } from "./agent-version.ts";

function program(text: string): string {
  const file = join(tempDir(), "claude");
  writeFileSync(file, `#!/bin/sh\n${text}\n`);
  chmodSync(file, 0o755);
  return file;
}

const executorOf = (file: string): Executor => agentExecutor(claude, { ...plainOptions("claude"), program: file });

test.each([
  ["echo '2.1.325 (Claude Code)'", "2.1.325"],
  ["echo 'WARNING: 1.2.3 is not this' >&2; echo 'codex-cli 10.166.0'", "10.166.0"],
  ["echo 'GitHub Copilot CLI 2.10.102.'", "2.10.102"],
  ["echo ' 3.4.0-nightly.20260101'", "3.4.0-nightly.20260101"],
  ["echo 'v7.0' >&2", "7.0"],
  ["echo unknown", null],
])("[EX46] %s", async (text, version) => {
  const executor = executorOf(program(text));
  expect(await executor.version?.()).toBe(version);
  expect(await executor.missing()).toBeNull();
});

test("[EX46] it is asked once, and again when the program has changed", async () => {
  const count = join(tempDir(), "count");
  const file = program(`echo asked >> '${count}'; wc -l < '${count}' | sed 's/ *//;s/$/.0.0/'`);
  const ask = async () => await executorOf(file).version?.();
  expect([await ask(), await ask(), await ask()]).toEqual(["1.0.0", "1.0.0", "1.0.0"]);
  utimesSync(file, new Date(), new Date(Date.now() + 10_000));
  expect(await ask()).toBe("2.0.0");
});

test("[EX46] one that is too old, that does not work or that is not there is missing, with what to do", async () => {
  expect(await executorOf(program("echo 1.0.119")).missing()).toEqual({
    what: expect.stringMatching(/^Claude Code .+ is too old: it is 1\.0\.119, and Pawl needs 2\.1\.0 or newer$/),
    hint: expect.stringMatching(/^npm install --global @anthropic-ai\/claude-code, or .+--executor/),
  });
  expect(await executorOf(program("echo 'GLIBC not found' >&2; exit 1")).missing()).toMatchObject({
    what: expect.stringMatching(/does not work: .+--version` says: exit code 1: GLIBC not found$/),
  });
  expect(await executorOf(join(tempDir(), "claude")).missing()).toMatchObject({
    what: expect.stringContaining("is not installed or not on PATH"),
    hint: expect.stringContaining("npm install"),
  });
});

test("[EX46] a program that does not answer is not waited for; that says nothing about its version", async () => {
  const executor = executorOf(program("exec sleep 600"));
  expect([await executor.version?.(), await executor.missing()]).toEqual([null, null]);
});

test("[EX46] nobody who is told to stop waits for a version", async () => {
  const text = `if [ "$1" = --version ]; then exec sleep 600; fi\necho begun; exec sleep 600`;
  const execution = agentExecutor(codex, { ...plainOptions("codex"), program: program(text) });
  expect(await performWith(execution, { wallMs: 500 })).toMatchObject({ outcome: "timed_out", version: null });
});

test("[EX46] what the stream says of the version counts more", async () => {
  const text = `if [ "$1" = --version ]; then echo 8.8.8; exit; fi\n${printing(transcripts["claude"] ?? [])}`;
  expect((await performWith(executorOf(program(text)))).version).toBe("2.1.325");
});

test("[EX46] versions are compared number by number", () => {
  expect(isOlder("2.1.9", "2.1.10")).toBe(true);
  expect(isOlder("2.10", "2.9.1")).toBe(false);
  expect(isOlder("0.99.0", "0.100.0")).toBe(true);
  expect(isOlder("2.1", "2.1.0")).toBe(false);
  expect(isOlder("2.1.0-rc.1", "2.1.0")).toBe(false);
});
