// Stub agents for tests. Owns: programs that stand for an agent: shell text, and one that speaks as an agent does while a shell works.

import { randomUUID } from "node:crypto";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AgentOptions, agentExecutor } from "../../src/executors/agent/agent-cli.ts";
import type { AgentProfile } from "../../src/executors/agent/agent-profile.ts";
import type { ExecutionEnd, Executor, ExecutorCall } from "../../src/executors/executor.ts";
import { tempDir } from "./repository.ts";
import { bytesOf } from "./transcripts.ts";

/** An executable that does what the shell text says, and has a version. */
function stubProgram(text: string): string {
  const file = join(tempDir(), "agent");
  writeFileSync(file, `#!/bin/sh\nif [ "$1" = --version ]; then echo 99.1.2; exit 0; fi\n${text}\n`);
  chmodSync(file, 0o755);
  return file;
}

export function stubAgent(profile: AgentProfile, text: string, changes: Partial<AgentOptions> = {}): Executor {
  return agentExecutor(profile, { ...plainOptions(profile.kind), program: stubProgram(text), ...changes });
}

export function plainOptions(name: string): AgentOptions {
  return {
    name,
    program: name,
    model: null,
    effort: null,
    maxTurns: null,
    maxUsd: null,
    access: "write",
    args: [],
    env: [],
    home: join(tempDir(), "home"),
    wallMs: 60_000,
    quietMs: null,
    startMs: 20_000,
    leaveMs: 15_000,
    graceMs: 1_000,
  };
}

/** Shell text: prints these events. */
export function printing(lines: readonly object[]): string {
  return `cat <<'EVENTS'\n${bytesOf(lines).toString()}EVENTS\n`;
}

export function callWith(changes: Partial<ExecutorCall> = {}): ExecutorCall {
  return {
    prompt: "do it",
    cwd: tempDir(),
    env: { PAWL_STEP: "work", PAWL_ATTEMPT: "1" },
    attempt: `at-${randomUUID()}`,
    wallMs: null,
    quietMs: null,
    onOutput: () => undefined,
    ...changes,
  };
}

export async function performWith(executor: Executor, changes: Partial<ExecutorCall> = {}): Promise<ExecutionEnd> {
  return await executor.start(callWith(changes)).ended;
}

/** Runs a shell, tells what it prints as Gemini would, and ends as it ended. */
const speaker = `
import { spawn } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import { Transform } from "node:stream";
const said = (content) => JSON.stringify({ type: "message", role: "assistant", content, delta: true }) + "\\n";
const decoder = new StringDecoder("utf8");
const speak = new Transform({
  transform: (chunk, _, done) => done(null, said(decoder.write(chunk))),
  flush: (done) => done(null, said(decoder.end())),
});
process.on("SIGTERM", () => undefined);
process.stdout.on("error", () => process.exit(1));
const shell = spawn("/bin/sh", ["-c", process.argv[2]], { stdio: ["inherit", "pipe", "inherit"] });
shell.stdout.pipe(speak).pipe(process.stdout, { end: false });
let heardAt = Date.now();
shell.stdout.on("data", () => (heardAt = Date.now()));
shell.on("exit", (code) => {
  const end = () => {
    if (code !== 0) process.exit(code ?? 143);
    process.stdout.write(JSON.stringify({ type: "result", status: "success" }) + "\\n", () => process.exit(0));
  };
  // What it left running may hold the pipe: then it is over when nothing more comes and all is passed on.
  const look = setInterval(() => {
    const isIdle = process.stdout.writableLength + speak.writableLength + speak.readableLength === 0;
    if (!isIdle || !(shell.stdout.closed || Date.now() - heardAt > 500)) return;
    clearInterval(look);
    end();
  }, 10);
});
`;

/** Shell text for a stub that speaks. */
export function speaking(text: string): string {
  const file = join(tempDir(), "speaker.mjs");
  writeFileSync(file, speaker);
  return `exec '${process.execPath}' '${file}' '${text.replaceAll("'", `'\\''`)}'`;
}

/** What it said, from what it printed so far. */
export function spokenIn(stdout: string): string {
  return stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as { content?: string })
    .map(({ content }) => content ?? "")
    .join("");
}
