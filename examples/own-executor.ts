// Plugs in an executor written in TypeScript and runs a workflow with it.
//
//   node own-executor.ts REPOSITORY
//
// A real one would ask a model; this one writes a file, commits it, and says what it did.

import { execFile } from "node:child_process";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type AgentCall, openPawl } from "pawl";

const run = promisify(execFile);

async function diary({ prompt, cwd, env, step, attempt, signal, print }: AgentCall): Promise<string> {
  print(`attempt ${attempt} of ${step}`);
  if (step === "review") return "STATUS: done\nDECISION: approved";
  await appendFile(join(cwd, "DIARY.md"), `- ${prompt.split("\n", 1)[0]}\n`);
  // With `env`, Pawl finds what is still running at the end; with `signal`, git ends when the attempt must stop.
  const options = { cwd, env: { ...process.env, ...env }, signal };
  await run("git", ["add", "DIARY.md"], options);
  await run("git", ["commit", "--quiet", "--message", "Write the diary"], options);
  return "STATUS: done\nCHANGES: one line in DIARY.md";
}

const workflow = {
  pawl: 1,
  id: "diary",
  agents: { author: { executor: "diary" }, reviewer: { executor: "diary", access: "read" } },
  steps: [
    { id: "write", agent: "author", input: "{{task}}", produces: ["changes"] },
    { id: "review", agent: "reviewer", input: "Review: {{changes}}" },
  ],
};

const pawl = await openPawl({ executors: { diary: { perform: diary, timeoutMs: 60_000 } } });
try {
  const started = await pawl.start({ workflow, task: "Today I embedded Pawl", repo: process.argv[2] ?? "." });
  const { run: facts, why } = await started.wait();
  console.log(`run ${facts.number} is ${facts.status}: ${why}`);
  console.log(`the work is on ${facts.branch}`);
  process.exitCode = facts.status === "done" ? 0 : 1;
} finally {
  await pawl.close();
}
