import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { patienceMs } from "../../test/support/patience.ts";
import { tempDir } from "../../test/support/repository.ts";
import { withVariables } from "../../test/support/sandboxes.ts";
import { plainAcp } from "../../test/support/stub-acp.ts";
import { performWith, plainOptions } from "../../test/support/stub-agents.ts";
import { acpExecutor } from "./acp/acp.ts";
import { agentExecutor } from "./agent/agent-cli.ts";
import { claude } from "./claude/claude.ts";
import { commandExecutor } from "./command/command.ts";
import type { Executor } from "./executor.ts";

const limits = { wallMs: patienceMs, quietMs: null, graceMs: 500 };
const executors: readonly (readonly [string, (program: string) => Executor])[] = [
  ["an agent", (program) => agentExecutor(claude, { ...plainOptions("claude"), program })],
  [
    "an agent over ACP",
    (program) => acpExecutor({ ...plainAcp({ acts: [] }), command: [program], startMs: patienceMs }),
  ],
  ["a command", (program) => commandExecutor({ name: "mine", command: [program], env: [], ...limits })],
];

/** A directory with that program in it, which tells who it is. */
function pathWith(program: string, says: string): string {
  const dir = join(tempDir(), "bin");
  mkdirSync(dir);
  writeFileSync(join(dir, program), `#!/bin/sh\necho '${says}' >&2; exit 3\n`);
  chmodSync(join(dir, program), 0o755);
  return dir;
}

describe("[EX89] what is started is what the user has on his PATH", () => {
  test.each(executors)("%s, whatever the environment of the call says", async (_, executor) => {
    const [theirs, ours] = [pathWith("some-agent", "another"), pathWith("some-agent", "the installed one")];
    withVariables({ PATH: `${ours}:${process.env["PATH"]}` });
    const end = await performWith(executor("some-agent"), { env: { PATH: `${theirs}:${process.env["PATH"]}` } });
    expect(end).toMatchObject({ outcome: "failed", why: expect.stringContaining("the installed one") });
  });

  test.each(executors)("%s that is only there is not there", async (_, executor) => {
    const env = { PATH: `${pathWith("some-agent", "another")}:${process.env["PATH"]}` };
    expect(await performWith(executor("some-agent"), { env })).toMatchObject({
      outcome: "failed",
      why: expect.stringMatching(/could not be started: cannot start some-agent: it is not on PATH$/),
    });
  });
});
