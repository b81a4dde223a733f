// One run of an agent's process: its sandbox, its supervision, its log, its limits and its end. Every agent shares it. A launch says
// what to start, and its connection how Pawl talks to the process: over stdin and stdout (cli-launch.ts), or over ACP (acp/launch.ts).

import type { AgentEvent } from "../../domain/agent-event.ts";
import { errorText } from "../../domain/error.ts";
import type { InputPipe, ProcessEnd } from "../../system/process/call.ts";
import { supervise } from "../../system/process/supervise.ts";
import { type Access, attemptMarker, type ExecutionEnd, type ExecutorCall, type Receipt } from "../executor.ts";
import { notStarted } from "../not-started.ts";
import { type CommandLine, endInside, type OwnPlaces, sandboxed } from "../sandbox/sandbox.ts";
import { Denials } from "../stream/denials.ts";
import { failSafeSink } from "../stream/fail-safe-sink.ts";
import type { Reader } from "../stream/reader.ts";
import type { StreamReading } from "../stream/stream-reading.ts";
import { type EndingAgent, executionEndOf } from "./agent-end.ts";
import type { AgentRunOptions } from "./agent-options.ts";
import { type OwnHalt, usualRetryMs, type WatchLimits, watchAgent } from "./agent-watch.ts";

export interface AgentToRun extends EndingAgent {
  /** May write files; what goes wrong there is thrown. A refusal is a whole sentence. */
  launch(): Launch | { readonly refused: string };
  /** Removes the files of this call, whether it was started or not. */
  release?(): void;
}

export interface Launch {
  readonly access: Access;
  readonly command: CommandLine;
  readonly env: Readonly<Record<string, string>>;
  /** What a sandbox opens beside the workspace; asked only where there is a sandbox. */
  opened(): { readonly own?: OwnPlaces; readonly written: readonly string[] };
  readonly reader: Reader;
  /** Null: the connection itself notices that the agent does not start, or the agent keeps that limit itself. */
  readonly limits: Pick<WatchLimits, "startMs" | "maxTurns" | "maxUsd">;
  connect(link: Link): Connection;
}

/** What a connection tells the run. */
export interface Link {
  saw(event: AgentEvent): void;
  halt(why: OwnHalt): void;
}

export interface Connection {
  /** The whole input, or what takes the pipe as soon as the process runs. */
  readonly input: string | ((pipe: InputPipe) => void);
  /** What the process printed on stdout. */
  write(chunk: Uint8Array): void;
  /** Asks the agent to stop its work, before the process gets a signal. */
  cancel?(): Promise<void>;
  /** Gives it a message while it works; absent: it takes none. */
  tell?(text: string): Promise<Receipt>;
  /** Called once, when the process has ended. */
  end(end: ProcessEnd, halt: OwnHalt | null): Promise<Conclusion>;
}

interface Conclusion {
  readonly reading: StreamReading;
  readonly notes: readonly string[];
  /** What the call asked for and what was found out, if the stream does not say. */
  readonly model: string | null;
  readonly version: string | null;
  /** The agent did not find the session that it should resume, and did nothing. */
  readonly isGone: boolean;
}

export interface AgentRun {
  readonly started: Promise<void>;
  readonly ended: Promise<AgentRunEnd>;
  stop(reason: string): void;
  heard(): void;
  tell?(text: string): Promise<Receipt>;
}

export interface AgentRunEnd extends Pick<Conclusion, "isGone"> {
  readonly end: ExecutionEnd;
}

/** Of stdout, the end of an agent needs only what is not an event. */
const captureBytes = 64 * 1024;

export function runAgent(agent: AgentToRun, options: AgentRunOptions, call: ExecutorCall): AgentRun {
  const prepared = prepare(agent, options, call);
  if (!prepared.ok) return neverStarted(agent, prepared.why);
  const { launch, command } = prepared;

  const denials = new Denials();
  const log = failSafeSink(call.onOutput);
  let hasSpoken = false;
  /** Who ended the process, if anybody did; as for the process itself, the first one counts. */
  let ender: OwnHalt | "caller" | null = null;
  const stop = (by: OwnHalt | "caller", reason: string) => {
    ender ??= by;
    supervised.stop(reason);
  };
  const halt = (why: OwnHalt) => stop(why, why.kind);
  const { leaveMs, retryMs = usualRetryMs } = options;
  const watch = watchAgent({ ...launch.limits, leaveMs, retryMs }, launch.reader, halt);
  const connection = launch.connect({
    halt,
    saw(event) {
      hasSpoken = true;
      denials.saw(event);
      watch.saw(event);
    },
  });
  const supervised = supervise({
    command,
    cwd: call.cwd,
    env: launch.env,
    marker: { name: attemptMarker, value: call.attempt },
    input: connection.input,
    limits: {
      wallMs: call.wallMs ?? options.wallMs,
      quietMs: call.quietMs ?? options.quietMs,
      graceMs: options.graceMs,
      captureBytes,
    },
    onOutput(name, chunk) {
      watch.heard();
      if (name === "stdout") connection.write(chunk);
      else denials.heard(chunk.toString());
      return log.sink(name, chunk);
    },
    onHalt: async () => await connection.cancel?.(),
  });

  async function conclude(): Promise<AgentRunEnd> {
    const ended = await supervised.ended;
    const end = options.sandbox ? endInside(ended) : ended;
    watch.forget();
    const ownHalt = end.kind === "stopped" && ender !== "caller" ? ender : null;
    const { isGone, ...conclusion } = await connection.end(end, ownHalt);
    agent.release?.();
    const { name } = options;
    const { access } = launch;
    const logError = log.error();
    return {
      isGone,
      end: executionEndOf({ ...conclusion, name, agent, access, end, halt: ownHalt, hasSpoken, denials, logError }),
    };
  }

  return {
    started: supervised.started,
    ended: conclude(),
    stop: (reason) => stop("caller", reason),
    heard() {
      watch.heard();
      supervised.heard();
    },
    ...(connection.tell && { tell: connection.tell }),
  };
}

type Prepared =
  | { readonly ok: true; readonly launch: Launch; readonly command: CommandLine }
  | { readonly ok: false; readonly why: string };

function prepare(agent: AgentToRun, { sandbox }: AgentRunOptions, { cwd, outside: read = [] }: ExecutorCall): Prepared {
  try {
    const launch = agent.launch();
    if ("refused" in launch) return { ok: false, why: launch.refused };
    const { command, access, env } = launch;
    if (!sandbox) return { ok: true, launch, command };
    return { ok: true, launch, command: sandboxed(command, { sandbox, cwd, access, env, read, ...launch.opened() }) };
  } catch (error) {
    return { ok: false, why: `${agent.title} could not be started: ${errorText(error)}` };
  }
}

function neverStarted(agent: AgentToRun, why: string): AgentRun {
  agent.release?.();
  const { started, ended, stop, heard } = notStarted(why);
  return { started, ended: ended.then((end) => ({ end, isGone: false })), stop, heard };
}
