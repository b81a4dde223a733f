// The server that an ACP executor starts: the preset of a known agent, or the command line of the configuration.

import { AppError } from "../../domain/error.ts";
import type { AgentProfile } from "../agent/agent-profile.ts";
import type { CommandLine } from "../sandbox/sandbox.ts";
import type { AcpPreset } from "./preset.ts";

export interface AcpServer
  extends Pick<AgentProfile, "title" | "install" | "login" | "keys">,
    Partial<Pick<AgentProfile, "places">>,
    Pick<AcpPreset, "asks" | "modes" | "env"> {
  readonly command: CommandLine;
}

export interface ServerOptions {
  readonly name: string;
  /** Wins over the preset's command; null: that of the preset. */
  readonly command: CommandLine | null;
  /** A known agent. */
  readonly preset: AgentProfile | null;
}

export function serverOf({ name, command, preset }: ServerOptions): AcpServer {
  const known = preset && presetServer(preset, command);
  if (known) return known;
  if (command === null)
    throw new AppError("CONFIG_INVALID", `executors.${name} has neither a command nor a preset`, {
      hint: "add `command: [PROGRAM, ARGUMENT]`, or `preset:` with the name of an agent",
    });
  const [program] = command;
  const login = `log in with \`${program}\`, or allow its key with executors.${name}.env`;
  return { title: program, install: `install ${program}`, login, keys: [], asks: true, command };
}

/** Null for an agent that does not speak the protocol. */
function presetServer(agent: AgentProfile, command: CommandLine | null): AcpServer | null {
  const { title, install, login, keys, acp, acpServer } = agent;
  if (acp === null || acpServer === undefined) return null;
  const { args, keys: more = [], ...own } = acpServer;
  return {
    title,
    install,
    login,
    places: (env, ours) => agent.places(env, ours),
    ...own,
    keys: [...keys, ...more],
    command: command ?? [acp.program, ...args],
  };
}
