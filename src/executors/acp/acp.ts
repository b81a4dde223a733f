// The acp executor. Owns: any agent that speaks the Agent Client Protocol, from a command line or a preset: one prompt in one
// session, under the same supervision, reading and limits as every agent.

import { errorText } from "../../domain/error.ts";
import type { InputPipe } from "../../system/process/call.ts";
import { allowedEnvironment } from "../../system/process/environment.ts";
import { supervise } from "../../system/process/supervise.ts";
import { exitOf } from "../agent/agent-end.ts";
import type { RunOptions } from "../agent/agent-options.ts";
import { usualRetryMs, watchAgent } from "../agent/agent-watch.ts";
import { outsideOf } from "../agent/outside.ts";
import { withSystem } from "../agent/system-text.ts";
import {
  type Access,
  attemptMarker,
  type Execution,
  type ExecutionEnd,
  type Executor,
  type ExecutorCall,
  type Resumed,
} from "../executor.ts";
import { missingFrom } from "../missing.ts";
import { chooseOther, notStarted } from "../not-started.ts";
import { programPath } from "../program.ts";
import { gitPlaces } from "../sandbox/git-places.ts";
import { type CommandLine, endInside, sandboxed } from "../sandbox/sandbox.ts";
import { carefulSink } from "../stream/careful-sink.ts";
import { Denials } from "../stream/denials.ts";
import type { TokenUsage } from "../stream/reading.ts";
import type { Conversation, Topics } from "./conversation.ts";
import { type AcpHalt, acpEndOf } from "./end.ts";
import type { PermissionPolicy } from "./permissions.ts";
import type { AcpRight } from "./preset.ts";
import { acpReader } from "./reader.ts";
import { type AcpServer, type ServerOptions, serverOf } from "./server.ts";
import { openWire } from "./wire.ts";

export interface AcpOptions extends RunOptions, ServerOptions {
  /** The answer when it asks for permission. */
  readonly permissions: PermissionPolicy;
}

/** Of stdout only what is no message is looked at afterwards. */
const captureBytes = 64 * 1024;
const unreachable = "its sandbox has no network: our own tools were not offered";

export function acpExecutor(options: AcpOptions): Executor {
  const { name, sandbox = null } = options;
  const server = serverOf(options);
  const { title, install } = server;
  const [program] = server.command;
  return {
    name,
    callsTools: true,
    missing: async () => {
      const shown = title === program ? `\`${program}\`` : `${title} (\`${program}\`)`;
      return await missingFrom({ name, program, shown, install, sandbox });
    },
    start(call) {
      const prepared = prepare(options, server, call);
      return prepared.ok ? run(options, server, call, prepared) : notStarted(prepared.why);
    },
  };
}

interface Ready {
  readonly ok: true;
  readonly access: Access;
  readonly right: AcpRight;
  readonly command: CommandLine;
  readonly env: Readonly<Record<string, string>>;
  /** Those that it is told to work in beside the workspace. */
  readonly directories: readonly string[];
}

function prepare(
  options: AcpOptions,
  server: AcpServer,
  call: ExecutorCall,
): Ready | { readonly ok: false; readonly why: string } {
  const { title, places } = server;
  const [program, ...args] = server.command;
  const { sandbox } = options;
  const access = options.access === "read" || call.access === "read" ? "read" : "write";
  if (access === "read" && !server.asks && !sandbox)
    return { ok: false, why: `${title} cannot be kept from writing, and this step may only read (${chooseOther})` };
  const right = access === "read" ? "reading" : options.permissions === "allow" ? "free" : "asking";
  const visible = allowedEnvironment(process.env, [...server.keys, ...options.env]);
  const env = { ...visible, ...server.env?.(right, call.commands ?? []), ...call.env };
  try {
    const command: CommandLine = [programPath(program), ...args];
    // What a commit in a worktree writes is outside of it.
    const directories = access === "write" ? [...outsideOf(call), ...gitPlaces(call.cwd).written] : [];
    const ready = { ok: true, access, right, env, directories } as const;
    if (!sandbox) return { ...ready, command };
    const written = access === "write" ? outsideOf(call) : [];
    const own = places && { own: places(env) };
    const inside = sandboxed(command, { sandbox, cwd: call.cwd, access, env, written, ...own });
    return { ...ready, command: inside };
  } catch (error) {
    const why = errorText(error);
    return { ok: false, why: `${title} could not be started: ${why}` };
  }
}

function run(options: AcpOptions, server: AcpServer, call: ExecutorCall, ready: Ready): Execution {
  const reader = acpReader(Date.now);
  const denials = new Denials();
  const log = carefulSink(call.onOutput);
  let hasSpoken = false;
  /** Who ended it, if anybody did: the first counts, as it does for the process. */
  let ender: AcpHalt | "asked" | null = null;
  const endIt = (by: AcpHalt | "asked", reason: string) => {
    ender ??= by;
    supervised.stop(reason);
  };
  const halt = (why: AcpHalt) => endIt(why, why.kind);
  const { startMs, leaveMs, retryMs = usualRetryMs, maxTurns, maxUsd } = options;
  const watch = watchAgent({ startMs, leaveMs, retryMs, maxTurns, maxUsd }, reader, halt);
  // Bytes do not tell that it has started: each of its first answers is waited for.
  watch.heard();
  /** As the session itself says, which it does before it is told of a single cent. */
  let resumed: Resumed | null = null;
  const wire = openWire(reader, (event) => {
    hasSpoken = true;
    denials.saw(event);
    if (event.type === "session" && call.resume && event.id === call.resume.session) resumed = call.resume;
    watch.saw(event.type === "usage" ? { ...event, usage: withoutSpent(event.usage, resumed) } : event);
  });
  const topics = topicsOf(options, server, call, ready);
  /** Empty when the program did not start. */
  const talk: { begun?: Promise<void>; conversation?: Conversation; leaving?: NodeJS.Timeout } = {};
  async function begin(pipe: InputPipe): Promise<void> {
    // Loaded while the program starts: what checks the protocol takes longer to load than a program to be started.
    const { converse } = await import("./conversation.ts");
    const conversation = converse(wire.connect(pipe), topics, halt);
    talk.conversation = conversation;
    void conversation.over.then(() => {
      pipe.close();
      talk.leaving = setTimeout(() => halt({ kind: "over", waitedMs: leaveMs }), leaveMs);
    });
  }

  const supervised = supervise({
    command: ready.command,
    cwd: call.cwd,
    env: ready.env,
    marker: { name: attemptMarker, value: call.attempt },
    input(pipe) {
      talk.begun = begin(pipe);
    },
    limits: {
      wallMs: call.wallMs ?? options.wallMs,
      quietMs: call.quietMs ?? options.quietMs,
      graceMs: options.graceMs,
      captureBytes,
    },
    onOutput(name, chunk) {
      if (name === "stdout") wire.write(chunk);
      return log.sink(name, chunk);
    },
    onHalt: async () => await talk.conversation?.cancel(),
  });

  async function conclude(): Promise<ExecutionEnd> {
    const ended = await supervised.ended;
    const end = options.sandbox ? endInside(ended) : ended;
    await talk.begun;
    const { conversation } = talk;
    const own = end.kind === "stopped" && ender !== "asked" ? ender : null;
    watch.forget();
    conversation?.hangUp();
    await conversation?.over;
    clearTimeout(talk.leaving);
    // The answer to the prompt is its last word; how a server leaves when nobody talks to it any more means nothing.
    const isOver = conversation?.isAnswered() === true || own?.kind === "over";
    const reading = wire.end(isOver ? { code: 0 } : exitOf(end, null));
    return acpEndOf({
      name: options.name,
      command: server.command.join(" "),
      profile: {
        ...server,
        denied: `allow it with executors.${options.name}.permissions, or in the agent's own settings`,
      },
      access: ready.access,
      end,
      halt: own,
      reading: { ...reading, usage: withoutSpent(reading.usage, resumed) },
      hasSpoken,
      denials,
      model: null,
      version: null,
      notes: [...(conversation?.notes ?? []), ...(call.mcp && options.sandbox?.network === false ? [unreachable] : [])],
      logError: log.error(),
    });
  }

  return {
    started: supervised.started,
    ended: conclude(),
    stop: (reason) => endIt("asked", reason),
    heard: () => supervised.heard(),
  };
}

function topicsOf(options: AcpOptions, { title, modes }: AcpServer, call: ExecutorCall, ready: Ready): Topics {
  // Our tools are on this machine, which a sandbox without a network does not reach.
  const canReach = options.sandbox?.network !== false;
  return {
    title,
    prompt: withSystem(call.system, call.prompt),
    cwd: call.cwd,
    access: ready.access,
    permissions: options.permissions,
    commands: call.commands ?? [],
    outside: outsideOf(call),
    directories: ready.directories,
    model: call.model ?? options.model,
    effort: call.effort ?? options.effort,
    mode: modes?.[ready.right] ?? null,
    resume: call.resume?.session ?? null,
    mcp: canReach ? (call.mcp ?? null) : null,
    startMs: options.startMs,
  };
}

/** Money is that of the whole session, by the protocol; tokens are those of the prompt. One that began to count anew is believed. */
function withoutSpent(usage: TokenUsage, resumed: Resumed | null): TokenUsage {
  const { costUsd } = usage;
  if (costUsd === null || resumed === null || costUsd < resumed.spent.costUsd) return usage;
  return { ...usage, costUsd: costUsd - resumed.spent.costUsd };
}
