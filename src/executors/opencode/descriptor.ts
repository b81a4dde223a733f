// OpenCode: its descriptor, which every command loads.

import type { AgentDescriptor } from "../agent/agent-descriptor.ts";

export const opencodeAgent: AgentDescriptor = {
  kind: "opencode",
  title: "OpenCode",
  oldest: "1.0.0",
  can: { effort: true, money: true, readOnly: true, isolation: true },
  openSession: { args: (session) => ["-s", session], home: null },
  acp: { program: "opencode", tellsCost: true },
};
