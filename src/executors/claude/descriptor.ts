// Claude Code: its descriptor, which every command loads.

import type { AgentDescriptor } from "../agent/agent-descriptor.ts";

export const claudeAgent: AgentDescriptor = {
  kind: "claude",
  title: "Claude Code",
  oldest: "2.1.0",
  can: { effort: true, money: true, readOnly: true, isolation: true },
  openSession: { args: (session) => ["--resume", session], home: null },
  acp: { program: "claude-agent-acp", tellsCost: true },
  exampleModel: "sonnet",
};
