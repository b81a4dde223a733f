// Launches an agent that speaks the Agent Client Protocol: one prompt in one session, over stdin and stdout.

import type { TokenUsage } from "../../domain/agent-event.ts";
import type { InputPipe, ProcessEnd } from "../../system/process/call.ts";
import { allowedEnvironment } from "../../system/process/environment.ts";
import { exitOf } from "../agent/agent-end.ts";
import type { AgentRunOptions } from "../agent/agent-options.ts";
import type { AgentToRun, Connection, Launch, Link } from "../agent/agent-run.ts";
import { cannotOnlyRead, toolsFor, unreachableTools } from "../agent/agent-task.ts";
import type { OwnHalt } from "../agent/agent-watch.ts";
import { withSystem } from "../agent/system-text.ts";
import type { Access, ExecutorCall, Resumed } from "../executor.ts";
import { programPath } from "../program.ts";
import { accessOf, writableBeside } from "../rights.ts";
import { gitPlaces } from "../sandbox/git-places.ts";
import type { Reader } from "../stream/reader.ts";
import type { Conversation, Topics } from "./conversation.ts";
import type { PermissionPolicy } from "./permissions.ts";
import type { AcpRight } from "./preset.ts";
import { acpReader } from "./reader.ts";
import type { AcpServer } from "./server.ts";
import { openWire } from "./wire.ts";

export interface AcpCall {
  readonly server: AcpServer;
  readonly options: AgentRunOptions & { readonly permissions: PermissionPolicy };
  readonly call: ExecutorCall;
}

export function acpAgent(called: AcpCall): AgentToRun {
  const { server, options, call } = called;
  const { title, login } = server;
  return {
    title,
    login,
    denied: `allow it with executors.${options.name}.permissions, or in the agent's own settings`,
    launch() {
      const access = accessOf(options, call);
      if (access === "read" && !server.asks && !options.sandbox) return { refused: cannotOnlyRead(title) };
      return launchOf(called, access);
    },
  };
}

function launchOf(called: AcpCall, access: Access): Launch {
  const { server, options, call } = called;
  const [program, ...args] = server.command;
  const { maxTurns, maxUsd } = options;
  const right = access === "read" ? "reading" : options.permissions === "allow" ? "free" : "asking";
  const visible = allowedEnvironment(process.env, [...server.keys, ...options.env]);
  const env = { ...visible, ...server.env?.(right, call.commands ?? []), ...call.env };
  const reader = acpReader(call.now ?? Date.now);
  const topics = topicsOf(called, access, right);
  return {
    access,
    command: [programPath(program), ...args],
    env,
    opened: () => ({
      ...(server.places && { own: server.places(env) }),
      written: writableBeside(access, call),
    }),
    reader,
    // Bytes do not tell that it has started: the conversation waits for each of its first answers.
    limits: { startMs: null, maxTurns, maxUsd },
    connect: (link) => connect(called, topics, reader, link),
  };
}

function connect({ options, call }: AcpCall, topics: Topics, reader: Reader, link: Link): Connection {
  const { leaveMs } = options;
  /** Set when the agent reports that it opened the session, which it does before it reports any cost. */
  let resumed: Resumed | null = null;
  const wire = openWire(reader, (event) => {
    if (event.type === "session" && call.resume && event.id === call.resume.session) resumed = call.resume;
    link.saw(event.type === "usage" ? { ...event, usage: withoutSpent(event.usage, resumed) } : event);
  });
  /** Empty when the program did not start. */
  const talk: { begun?: Promise<void>; conversation?: Conversation; leaving?: NodeJS.Timeout } = {};

  async function begin(pipe: InputPipe): Promise<void> {
    // Imported while the program starts: the SDK takes longer to load than a program to start.
    const { converse } = await import("./conversation.ts");
    const conversation = converse(wire.connect(pipe), topics, link.halt);
    talk.conversation = conversation;
    void conversation.over.then(() => {
      pipe.close();
      talk.leaving = setTimeout(() => link.halt({ kind: "over", waitedMs: leaveMs }), leaveMs);
    });
  }

  async function end(ended: ProcessEnd, halt: OwnHalt | null): ReturnType<Connection["end"]> {
    await talk.begun;
    const { conversation } = talk;
    conversation?.hangUp();
    await conversation?.over;
    clearTimeout(talk.leaving);
    // The answer to the prompt is its last word; how a server exits afterwards means nothing.
    const reading = wire.end(conversation?.isAnswered() ? { code: 0 } : exitOf(ended, halt));
    return {
      reading: { ...reading, usage: withoutSpent(reading.usage, resumed) },
      notes: [...(conversation?.notes ?? []), ...unreachableTools(options, call)],
      model: null,
      version: null,
      isGone: false,
    };
  }

  return {
    input(pipe) {
      talk.begun = begin(pipe);
    },
    write: (chunk) => wire.write(chunk),
    cancel: async () => await talk.conversation?.cancel(),
    tell: async (text) =>
      (await talk.conversation?.tell(text)) ?? { taken: false, why: `${topics.title} has not started yet` },
    end,
  };
}

function topicsOf({ server, options, call }: AcpCall, access: Access, right: AcpRight): Topics {
  const { title, command, modes } = server;
  const { outside = [], commands = [] } = call;
  return {
    title,
    command: command.join(" "),
    prompt: withSystem(call.system, call.prompt),
    cwd: call.cwd,
    access,
    permissions: options.permissions,
    commands,
    outside,
    // What a commit in a worktree writes is outside of it.
    directories: access === "write" ? [...outside, ...gitPlaces(call.cwd).written] : [],
    model: call.model ?? options.model,
    effort: call.effort ?? options.effort,
    mode: modes?.[right] ?? null,
    resume: call.resume?.session ?? null,
    mcp: toolsFor(options, call),
    startMs: options.startMs,
  };
}

/** By the protocol, the cost is that of the whole session and tokens are those of the prompt. A cost that began anew is believed. */
function withoutSpent(usage: TokenUsage, resumed: Resumed | null): TokenUsage {
  const { costUsd } = usage;
  if (costUsd === null || resumed === null || costUsd < resumed.spent.costUsd) return usage;
  return { ...usage, costUsd: costUsd - resumed.spent.costUsd };
}
