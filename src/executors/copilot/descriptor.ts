// Copilot CLI: its descriptor, which every command loads.

import type { AgentDescriptor } from "../agent/agent-descriptor.ts";

export const copilotAgent: AgentDescriptor = {
  kind: "copilot",
  title: "Copilot CLI",
  oldest: "1.0.0",
  can: { effort: true, money: false, readOnly: true, isolation: true },
  openSession: { args: (session) => [`--resume=${session}`], home: { variable: "COPILOT_HOME", when: "isolated" } },
  acp: { program: "copilot", tellsCost: false },
};
