// Stub agents over ACP for tests: executors whose agent is the program acp-agent.ts.

import { type AcpOptions, acpExecutor } from "../../src/executors/acp/acp.ts";
import type { Executor } from "../../src/executors/executor.ts";
import type { AcpPlay } from "./acp-agent.ts";
import { programWords } from "./program-words.ts";

export function stubAcp(play: AcpPlay, changes: Partial<AcpOptions> = {}): Executor {
  return acpExecutor({ ...plainAcp(play), ...changes });
}

export function plainAcp(play: AcpPlay): AcpOptions {
  return {
    name: "stub",
    command: [...programWords("acp-agent.ts"), JSON.stringify(play)],
    preset: null,
    model: null,
    effort: null,
    maxTurns: null,
    maxUsd: null,
    access: "write",
    permissions: "allow",
    env: [],
    wallMs: 60_000,
    quietMs: null,
    startMs: 20_000,
    leaveMs: 15_000,
    graceMs: 1_000,
  };
}

/** The agent's text, decoded from what it printed so far. */
export function saidIn(stdout: string): string {
  return stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as { params?: { update?: { content?: { text?: string } } } })
    .map(({ params }) => params?.update?.content?.text ?? "")
    .join("");
}
