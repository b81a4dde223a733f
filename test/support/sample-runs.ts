// Runs for tests of the store and of dispatch: small workflows that use every kind of step, and commands with sensible defaults.

import { noUsage } from "../../src/domain/attempt.ts";
import type { FinishAttempt, StartAttempt, StartRun } from "../../src/domain/command.ts";
import { type AgentStep, type Definition, defaultCaps, type StepDefinition } from "../../src/domain/definition.ts";
import { type AttemptId, agentName, type StoryId, stepId, stepName, storyId } from "../../src/domain/ids.ts";
import type { CompletedReport, Report, UnfinishedReport } from "../../src/domain/report.ts";
import type { Route, RouteRule } from "../../src/domain/route.ts";
import type { Run } from "../../src/domain/run.ts";
import type { StorySpec } from "../../src/domain/story.ts";
import { newAttemptId, newRunId, newToken } from "../../src/system/ids.ts";

const rule = (route: Route, atMost?: number, then: Route = { to: "fail", reason: "" }): RouteRule => ({
  route,
  limit: atMost === undefined ? null : { atMost, then },
});

export function agentStep(name: string, changes: Partial<AgentStep> = {}): AgentStep {
  return {
    kind: "agent",
    name: stepName(name),
    title: name,
    agent: agentName("worker"),
    input: `Do ${name}: {{task}}`,
    produces: null,
    decide: null,
    expects: null,
    on: { passed: rule({ to: "next" }), rejected: rule({ to: "again" }, 2) },
    onError: rule({ to: "again" }, 2),
    budget: null,
    checks: [],
    wallMs: null,
    quietMs: null,
    ...changes,
  };
}

export function workflow(id: string, steps: readonly StepDefinition[], changes: Partial<Definition> = {}): Definition {
  const agents = [...new Set(steps.flatMap((step) => (step.kind === "agent" ? [step.agent] : [])))];
  const agent = { title: "", description: "", executor: null, model: null, timeoutMs: null, files: {} };
  return {
    id,
    title: id,
    description: "",
    dialect: "pawl",
    protocol: null,
    agents: Object.fromEntries(agents.map((name) => [name, { ...agent, name }])),
    steps,
    context: {},
    knownKeys: [],
    caps: defaultCaps,
    workspace: { branch: "own", onFailure: "keep" },
    pollEveryMs: 1000,
    ...changes,
  };
}

/** `length` agent steps, one after the other. */
export function chainOf(length: number, id = `chain-${length}`): Definition {
  return workflow(
    id,
    Array.from({ length }, (_, index) => agentStep(`step-${index + 1}`)),
  );
}

/** Every kind of step, every kind of route, and limits that are soon reached. */
export const everything: Definition = workflow(
  "everything",
  [
    agentStep("plan", { agent: agentName("planner"), on: { passed: rule({ to: "next" }) } }),
    {
      kind: "stories",
      name: stepName("implement"),
      title: "implement",
      concurrency: 3,
      onStoryFailed: "continue",
      storyBudget: {
        atMost: 2,
        then: {
          to: "gate",
          question: "Continue?",
          options: { more: { to: "again" }, stop: { to: "fail", reason: "stopped" } },
        },
      },
      body: [
        agentStep("code", { onError: rule({ to: "again" }) }),
        agentStep("verify", {
          agent: agentName("verifier"),
          on: {
            passed: rule({ to: "next" }),
            rejected: rule({ to: "back_to", step: stepName("code") }),
            "rejected:style": rule({ to: "insert", steps: [stepName("code")] }, 1),
          },
        }),
      ],
    },
    agentStep("review", {
      decide: "decision",
      on: {
        "=approved": rule({ to: "next" }),
        "=ship": rule({ to: "go_to", step: stepName("ship") }),
        "=enough": rule({ to: "end" }),
        "=fixes": rule({ to: "back_to", step: stepName("implement") }, 1, {
          to: "gate",
          question: "Review keeps failing. What now?",
          options: { continue: { to: "again" }, accept: { to: "next" }, stop: { to: "fail", reason: "" } },
        }),
        "=polish": rule({ to: "insert", steps: [stepName("polish")] }, 1, { to: "next" }),
      },
      budget: { atMost: 2, then: { to: "next" } },
    }),
    agentStep("polish"),
    agentStep("notes", { if: { key: "key_1", values: ["yes"] } }),
    agentStep("thank", {
      if: { vote: "majority", of: { step: stepName("implement"), key: "key_2" }, values: ["yes"] },
    }),
    {
      kind: "gate",
      name: stepName("approve"),
      title: "approve",
      question: "Is it good?",
      options: { approve: { to: "next" }, reject: { to: "back_to", step: stepName("polish") } },
    },
    {
      ...agentStep("ship"),
      kind: "command",
      command: "true",
    },
  ],
  { caps: { ...defaultCaps, lostPerStep: 2 }, collects: { [stepName("implement")]: ["key_2"] } },
);

export function startOf(definition: Definition, changes: Partial<StartRun> = {}): StartRun {
  return {
    type: "start_run",
    at: 1000,
    author: "user:ada",
    run: newRunId(),
    definition,
    task: "Make it so",
    place: { repo: null, kind: "directory", base: null, baseName: null, branch: null },
    executor: null,
    context: {},
    ...changes,
  };
}

export function startAttemptOf(step: string, changes: Partial<StartAttempt> = {}): StartAttempt {
  return {
    type: "start_attempt",
    at: 3000,
    author: "driver",
    story: null,
    step: stepId(step),
    attempt: newAttemptId(),
    token: newToken(),
    driver: "push",
    executor: "scripted",
    host: "here",
    ...changes,
  };
}

/** The supervisor's own report, which needs no token. */
export function finishOf(attempt: AttemptId, report: Report, changes: Partial<FinishAttempt> = {}): FinishAttempt {
  return { type: "finish_attempt", at: 3000, author: "driver", story: null, attempt, token: null, report, ...changes };
}

type Ended = Pick<Report, "usage" | "session" | "tree">;
const ended: Ended = { usage: noUsage, session: null, tree: null };

export function completed(changes: Partial<CompletedReport & Ended> = {}): Report {
  return {
    ...ended,
    outcome: "completed",
    verdict: { kind: "passed" },
    outputs: {},
    stories: null,
    feedback: "",
    notes: [],
    ...changes,
  };
}

export function unfinished(
  outcome: UnfinishedReport["outcome"],
  changes: Partial<UnfinishedReport & Ended> = {},
): Report {
  return { ...ended, outcome, why: `it ${outcome}`, retryAt: null, notes: [], ...changes };
}

export function storyOf(id: string, changes: Partial<StorySpec> = {}): StorySpec {
  return {
    id: storyId(id),
    title: `Story ${id}`,
    description: "",
    acceptanceCriteria: ["it works"],
    dependsOn: [],
    ...changes,
  };
}

/** The one attempt of a run that is running. */
export function runningAttempt(run: Run, story: StoryId | null = null): AttemptId {
  const scope = story === null ? run.header : run.stories[story];
  const found = scope?.attempts.find((attempt) => attempt.state.phase !== "ended");
  if (!found) throw new Error("no attempt is running");
  return found.id;
}
