// Qwen Code: its descriptor, which every command loads.

import type { AgentDescriptor } from "../agent/agent-descriptor.ts";

export const qwenAgent: AgentDescriptor = {
  kind: "qwen",
  title: "Qwen Code",
  oldest: "0.15.0",
  can: { effort: false, money: false, readOnly: true, isolation: true },
  openSession: { args: (session) => ["--resume", session], home: { variable: "QWEN_HOME", when: "isolated" } },
  acp: { program: "qwen", tellsCost: false },
};
