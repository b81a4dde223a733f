// Gemini CLI: its descriptor, which every command loads.

import type { AgentDescriptor } from "../agent/agent-descriptor.ts";

export const geminiAgent: AgentDescriptor = {
  kind: "gemini",
  title: "Gemini CLI",
  oldest: "0.11.0",
  can: { effort: false, money: false, readOnly: true, isolation: true },
  // Isolated, each call has a home of its own.
  openSession: { args: (session) => ["--resume", session], home: null, hiddenWhenIsolated: true },
  acp: { program: "gemini", tellsCost: false },
  exampleModel: "gemini-2.5-pro",
};
