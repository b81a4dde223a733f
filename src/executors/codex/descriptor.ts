// Codex: its descriptor, which every command loads.

import type { AgentDescriptor } from "../agent/agent-descriptor.ts";

export const codexAgent: AgentDescriptor = {
  kind: "codex",
  title: "Codex",
  oldest: "0.100.0",
  can: { effort: true, money: false, readOnly: true, isolation: true },
  openSession: { args: (session) => ["resume", session], home: { variable: "CODEX_HOME", when: "always" } },
  acp: { program: "codex-acp", tellsCost: false },
  // Its own sandbox opens neither the network nor the files of the user.
  hasSandbox: true,
  hidesCost: true,
};
