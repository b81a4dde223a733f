// The agents that Pawl knows, in the order in which it looks for one when nobody chose. Only src/app.ts imports this file. A
// descriptor is loaded with it; a profile only when its agent is used.

import type { RegisteredAgent } from "./agent/registry.ts";
import { claudeAgent } from "./claude/agent.ts";
import { codexAgent } from "./codex/agent.ts";
import { copilotAgent } from "./copilot/agent.ts";
import { geminiAgent } from "./gemini/agent.ts";
import { gooseAgent } from "./goose/agent.ts";
import { opencodeAgent } from "./opencode/agent.ts";
import { qwenAgent } from "./qwen/agent.ts";

export const knownAgents: readonly RegisteredAgent[] = [
  { ...claudeAgent, profile: async () => (await import("./claude/claude.ts")).claude },
  { ...codexAgent, profile: async () => (await import("./codex/codex.ts")).codex },
  { ...opencodeAgent, profile: async () => (await import("./opencode/opencode.ts")).opencode },
  { ...geminiAgent, profile: async () => (await import("./gemini/gemini.ts")).gemini },
  { ...copilotAgent, profile: async () => (await import("./copilot/copilot.ts")).copilot },
  { ...qwenAgent, profile: async () => (await import("./qwen/qwen.ts")).qwen },
  { ...gooseAgent, profile: async () => (await import("./goose/goose.ts")).goose },
];
