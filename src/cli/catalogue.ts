// The catalogue. Owns: which commands there are and what each is for, without loading any of them.

import type { Command } from "commander";
import type { Console } from "./console.ts";

export interface Entry {
  readonly name: string;
  readonly group: "Running" | "Looking" | "Acting" | "Workflows" | "Setting up";
  readonly usage: string;
  readonly summary: string;
  readonly load: () => Promise<{ define(program: Command, console: Console): void }>;
}

export const catalogue: readonly Entry[] = [
  {
    name: "run",
    group: "Running",
    usage: "run WORKFLOW TASK…",
    summary: "start a run and drive it",
    load: () => import("./commands/run.ts"),
  },
  {
    name: "prd",
    group: "Running",
    usage: "prd run FILE",
    summary: "work through a PRD with several agents",
    load: () => import("./commands/prd.ts"),
  },
  {
    name: "agent",
    group: "Running",
    usage: "agent run REQUEST…",
    summary: "one request, as one story",
    load: () => import("./commands/agent.ts"),
  },
  {
    name: "resume",
    group: "Running",
    usage: "resume RUN",
    summary: "go on with a run",
    load: () => import("./commands/resume.ts"),
  },
  {
    name: "pause",
    group: "Running",
    usage: "pause RUN",
    summary: "let running attempts end, start nothing new",
    load: () => import("./commands/pause.ts"),
  },
  {
    name: "cancel",
    group: "Running",
    usage: "cancel RUN",
    summary: "stop a run for good",
    load: () => import("./commands/cancel.ts"),
  },
  {
    name: "retry",
    group: "Running",
    usage: "retry RUN",
    summary: "put what failed back to ready",
    load: () => import("./commands/retry.ts"),
  },
  {
    name: "demo",
    group: "Running",
    usage: "demo",
    summary: "a real run with a scripted agent, in 20 seconds",
    load: () => import("./commands/demo.ts"),
  },
  { name: "runs", group: "Looking", usage: "runs", summary: "list runs", load: () => import("./commands/runs.ts") },
  {
    name: "status",
    group: "Looking",
    usage: "status [RUN]",
    summary: "where a run stands",
    load: () => import("./commands/status.ts"),
  },
  {
    name: "stories",
    group: "Looking",
    usage: "stories RUN",
    summary: "the stories of a run",
    load: () => import("./commands/stories.ts"),
  },
  {
    name: "why",
    group: "Looking",
    usage: "why RUN",
    summary: "one sentence: what it does or waits for",
    load: () => import("./commands/why.ts"),
  },
  {
    name: "cost",
    group: "Looking",
    usage: "cost [RUN]",
    summary: "what a run, or all of them, have cost",
    load: () => import("./commands/cost.ts"),
  },
  {
    name: "logs",
    group: "Looking",
    usage: "logs RUN [STEP]",
    summary: "what agents printed",
    load: () => import("./commands/logs.ts"),
  },
  {
    name: "events",
    group: "Looking",
    usage: "events RUN",
    summary: "what happened",
    load: () => import("./commands/events.ts"),
  },
  {
    name: "gates",
    group: "Acting",
    usage: "gates",
    summary: "open questions",
    load: () => import("./commands/gates.ts"),
  },
  {
    name: "answer",
    group: "Acting",
    usage: "answer GATE OPTION",
    summary: "answer one, once",
    load: () => import("./commands/answer.ts"),
  },
  {
    name: "approve",
    group: "Acting",
    usage: "approve RUN",
    summary: "say yes at the run's only open gate",
    load: () => import("./commands/verdict.ts"),
  },
  {
    name: "reject",
    group: "Acting",
    usage: "reject RUN",
    summary: "say no at the run's only open gate",
    load: () => import("./commands/verdict.ts"),
  },
  {
    name: "edit",
    group: "Acting",
    usage: "edit RUN --story S …",
    summary: "change the steps that are still to come",
    load: () => import("./commands/edit.ts"),
  },
  {
    name: "scratch",
    group: "Acting",
    usage: "scratch append TEXT…",
    summary: "leave a note for the other agents",
    load: () => import("./commands/scratch.ts"),
  },
  {
    name: "step",
    group: "Acting",
    usage: "step peek|claim|complete|fail|stories",
    summary: "for agents that take their work themselves",
    load: () => import("./commands/step.ts"),
  },
  {
    name: "mcp",
    group: "Acting",
    usage: "mcp",
    summary: "an MCP server over stdio, for your own agent session",
    load: () => import("./commands/mcp.ts"),
  },
  {
    name: "workflow",
    group: "Workflows",
    usage: "workflow list|show|check|schema|simulate|install|uninstall",
    summary: "workflow files",
    load: () => import("./commands/workflow.ts"),
  },
  {
    name: "init",
    group: "Setting up",
    usage: "init",
    summary: "look at a repository and write its configuration",
    load: () => import("./commands/init.ts"),
  },
  {
    name: "executor",
    group: "Setting up",
    usage: "executor list|test",
    summary: "what can perform attempts",
    load: () => import("./commands/executor.ts"),
  },
  {
    name: "doctor",
    group: "Setting up",
    usage: "doctor",
    summary: "what is installed and what is missing",
    load: () => import("./commands/doctor.ts"),
  },
  {
    name: "schema",
    group: "Setting up",
    usage: "schema [NAME]",
    summary: "the JSON Schemas of what --json and --events print",
    load: () => import("./commands/schema.ts"),
  },
];
