// Sandboxes for tests: shell text that runs inside one, directories that a sandbox shows, variables for one test.

import { mkdtempSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { commandExecutor } from "../../src/executors/command/command.ts";
import type { Access, ExecutionEnd, Executor, ExecutorCall } from "../../src/executors/executor.ts";
import type { Sandbox } from "../../src/executors/sandbox/sandbox.ts";
import { missingSandbox } from "../../src/executors/sandbox/sandbox-missing.ts";
import { performWith } from "./stub-agents.ts";

export const open: Sandbox = { network: true, write: [] };

/** Why sandboxes cannot be tested here; null if they can. */
export const problem = await missingSandbox("any", open);

export function shell(text: string, sandbox: Sandbox = open, access: Access = "write"): Executor {
  const limits = { wallMs: 60_000, quietMs: null, graceMs: 1_000 };
  return commandExecutor({ name: "mine", command: ["sh", "-c", text], env: [], sandbox, access, ...limits });
}

export async function inside(
  text: string,
  changes: Partial<ExecutorCall> = {},
  sandbox?: Sandbox,
): Promise<ExecutionEnd> {
  return await performWith(shell(text, sandbox), changes);
}

/** A directory that the sandbox does not hide, like a user's home or repository. */
export function visibleDir(): string {
  const dir = mkdtempSync(join(homedir(), ".pawl-sandbox-test-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** Sets variables for one test. */
export function withVariables(variables: Readonly<Record<string, string>>): void {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, variables);
  onTestFinished(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });
}

export function failedToWrite(end: ExecutionEnd): void {
  expect(end).toMatchObject({
    outcome: "failed",
    why: expect.stringMatching(/Read-only file system|Directory nonexistent|No such file/i),
  });
}
