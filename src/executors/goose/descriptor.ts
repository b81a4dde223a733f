// Goose: its descriptor, which every command loads.

import type { AgentDescriptor } from "../agent/agent-descriptor.ts";

export const gooseAgent: AgentDescriptor = {
  kind: "goose",
  title: "Goose",
  oldest: "1.20.0",
  can: { effort: false, money: false, readOnly: false, isolation: false },
  openSession: null,
  acp: { program: "goose", tellsCost: false },
};
