// The agents that Pawl knows, in the order in which it looks for one when nobody chose. Only src/app.ts imports this file. A
// descriptor is loaded with it; a profile only when its agent is used.

import type { RegisteredAgent } from "./agent/registry.ts";
import { claudeAgent } from "./claude/descriptor.ts";
import { codexAgent } from "./codex/descriptor.ts";
import { copilotAgent } from "./copilot/descriptor.ts";
import { geminiAgent } from "./gemini/descriptor.ts";
import { gooseAgent } from "./goose/descriptor.ts";
import { opencodeAgent } from "./opencode/descriptor.ts";
import { qwenAgent } from "./qwen/descriptor.ts";

export const knownAgents: readonly RegisteredAgent[] = [
  { ...claudeAgent, profile: async () => (await import("./claude/claude.ts")).claude },
  { ...codexAgent, profile: async () => (await import("./codex/codex.ts")).codex },
  { ...opencodeAgent, profile: async () => (await import("./opencode/opencode.ts")).opencode },
  { ...geminiAgent, profile: async () => (await import("./gemini/gemini.ts")).gemini },
  { ...copilotAgent, profile: async () => (await import("./copilot/copilot.ts")).copilot },
  { ...qwenAgent, profile: async () => (await import("./qwen/qwen.ts")).qwen },
  { ...gooseAgent, profile: async () => (await import("./goose/goose.ts")).goose },
];
