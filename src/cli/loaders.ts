// Loading commands. Owns: the file of each command, loaded only when that command is called.

import type { Command } from "commander";
import type { Console } from "./output/console.ts";

type Load = () => Promise<{ define(program: Command, console: Console): void }>;

export const loaders: ReadonlyMap<string, Load> = new Map<string, Load>([
  ["run", () => import("./commands/running/run.ts")],
  ["prd", () => import("./commands/ralph/prd.ts")],
  ["agent", () => import("./commands/ralph/agent.ts")],
  ["project", () => import("./commands/agentic/project.ts")],
  ["lifecycle", () => import("./commands/lifecycle/lifecycle.ts")],
  ["resume", () => import("./commands/running/resume.ts")],
  ["pause", () => import("./commands/running/pause.ts")],
  ["stop", () => import("./commands/running/stop.ts")],
  ["story", () => import("./commands/running/story.ts")],
  ["waits", () => import("./commands/running/waits.ts")],
  ["cancel", () => import("./commands/running/cancel.ts")],
  ["cap", () => import("./commands/running/cap.ts")],
  ["retry", () => import("./commands/running/retry.ts")],
  ["demo", () => import("./commands/running/demo.ts")],
  ["runs", () => import("./commands/looking/runs.ts")],
  ["status", () => import("./commands/looking/status.ts")],
  ["stories", () => import("./commands/looking/stories.ts")],
  ["why", () => import("./commands/looking/why.ts")],
  ["cost", () => import("./commands/looking/cost.ts")],
  ["logs", () => import("./commands/looking/logs.ts")],
  ["events", () => import("./commands/looking/events.ts")],
  ["gates", () => import("./commands/acting/gates.ts")],
  ["answer", () => import("./commands/acting/answer.ts")],
  ["approve", () => import("./commands/acting/verdict.ts")],
  ["reject", () => import("./commands/acting/verdict.ts")],
  ["signal", () => import("./commands/acting/signal.ts")],
  ["note", () => import("./commands/acting/note.ts")],
  ["edit", () => import("./commands/acting/edit.ts")],
  ["scratch", () => import("./commands/ralph/scratch.ts")],
  ["step", () => import("./commands/acting/step.ts")],
  ["mcp", () => import("./commands/acting/mcp.ts")],
  ["workflow", () => import("./commands/setup/workflow.ts")],
  ["init", () => import("./commands/setup/init.ts")],
  ["trust", () => import("./commands/setup/trust.ts")],
  ["executor", () => import("./commands/setup/executor.ts")],
  ["clean", () => import("./commands/setup/clean.ts")],
  ["doctor", () => import("./commands/setup/doctor.ts")],
  ["store", () => import("./commands/setup/store.ts")],
  ["token", () => import("./commands/setup/token.ts")],
  ["schema", () => import("./commands/setup/schema.ts")],
]);
