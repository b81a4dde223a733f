// Stub agents for tests: programs in place of an agent. One is plain shell text; one prints the output of a shell as an agent's events.

import { randomUUID } from "node:crypto";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AgentOptions, agentExecutor } from "../../src/executors/agent/agent-cli.ts";
import type { AgentProfile } from "../../src/executors/agent/agent-profile.ts";
import { describeExecutor } from "../../src/executors/executor.contract.ts";
import type { ExecutionEnd, Executor, ExecutorCall } from "../../src/executors/executor.ts";
import { agentStream } from "../../src/executors/stream/agent-stream.ts";
import { tempDir } from "./repository.ts";
import { bytesOf } from "./transcripts.ts";

/** An executable that runs shell text and answers `--version`. */
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

/** Shell text that prints these events. */
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

/** How an agent prints a piece of text, and its last event when it succeeds. */
interface Speech {
  readonly text: (content: string) => object;
  readonly end: object;
}

/** A program that runs a shell, prints the shell's output as events, and exits as the shell did. */
const speakerOf = ({ text, end }: Speech) => `
import { spawn } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import { Transform } from "node:stream";
const text = ${text.toString()};
const said = (content) => JSON.stringify(text(content)) + "\\n";
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
    process.stdout.write(${JSON.stringify(JSON.stringify(end))} + "\\n", () => process.exit(0));
  };
  // A process that the shell left running may hold the pipe. Then it ends when no more output comes and all is passed on.
  const look = setInterval(() => {
    const isIdle = process.stdout.writableLength + speak.writableLength + speak.readableLength === 0;
    if (!isIdle || !(shell.stdout.closed || Date.now() - heardAt > 500)) return;
    clearInterval(look);
    end();
  }, 10);
});
`;

/** Shell text for a stub that prints the output of another shell text as events. */
function speaking(speech: Speech, text: string): string {
  const file = join(tempDir(), "speaker.mjs");
  writeFileSync(file, speakerOf(speech));
  return `exec '${process.execPath}' '${file}' '${text.replaceAll("'", `'\\''`)}'`;
}

/** Runs the contract of executors on an agent with a command line. */
export function describeAgent(profile: AgentProfile, speech: Speech): void {
  describeExecutor(profile.kind, () => ({
    shell: (text) => stubAgent(profile, speaking(speech, text)),
    echo: () => stubAgent(profile, speaking(speech, "cat")),
    absent: () => stubAgent(profile, "", { program: "no-such-program-anywhere" }),
    decode: (stdout) => textIn(profile, stdout),
  }));
}

/** The agent's text, as its own reader reads it. */
function textIn({ newReader }: AgentProfile, stdout: string): string {
  let said = "";
  const stream = agentStream(newReader(Date.now), (event) => {
    if (event.type === "text") said += event.text;
  });
  stream.write(Buffer.from(stdout));
  return said;
}
