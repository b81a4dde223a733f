// Performs one call of a skill with the configured executor, as a spawner's worker does: outside of any run, in the project's folder.
// What became of it is the result that spawners expect.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SkillResult } from "../../contracts/lifecycle-documents.ts";
import type { AgentDefinition, AgentStep, CommandStep, Definition, StepDefinition } from "../../domain/definition.ts";
import { AppError } from "../../domain/error.ts";
import { agentName } from "../../domain/ids.ts";
import type { CompletedReport, UnfinishedReport } from "../../domain/report.ts";
import { buildPrompt, buildSystem } from "../../prompts/prompt.ts";
import { replyHelp } from "../../prompts/reply.ts";
import { bodyIn, partNamesOf, performerOf } from "../../protocols/lifecycle/session/shown-steps.ts";
import { calledBy, splitCall } from "../../protocols/lifecycle/waves/skill-call.ts";
import { noToolReport } from "../../runtime/attempt/execute/answer.ts";
import { readAnswer } from "../../runtime/attempt/settle/read-answer.ts";
import { openWorkflow } from "../../runtime/runs/workflow-library.ts";
import { workspacePath } from "../../runtime/trees/places.ts";
import { shellWord } from "../../system/process/words.ts";
import type { Application } from "../application.ts";
import { executorOf } from "../starting/start.ts";
import { type LifecycleProject, lifecycleProject } from "./project.ts";
import { openSessions, worksInProject } from "./sessions.ts";

export interface PerformRequest {
  /** `maestro-plan 1`, `$maestro-plan 1`, or the call of a worker: `$maestro-ralph-execute "$maestro-plan 1"`. */
  readonly call: string;
  readonly dir?: string | undefined;
  readonly workflow?: string | undefined;
  readonly executor?: string | undefined;
  readonly script?: string | undefined;
  readonly signal: AbortSignal;
}

const longestMs = 3_600_000;

export async function performCall(app: Application, request: PerformRequest): Promise<SkillResult> {
  const project = lifecycleProject(app, request.dir);
  const { root } = project;
  await assertNoTree(app, project);
  const workflow = openWorkflow(app.home, request.workflow ?? "lifecycle", app.protocols, app.cwd, { plans: true });
  const { definition, file } = workflow;
  const { call, step } = find(definition, request.call);
  const { parts, config } = await app.read(root);
  app.assertTrusted(root, config);
  const name =
    step.kind === "command" ? `shell:${step.command}` : executorNameOf(app, parts, definition, step, request);
  const executor = await parts.executors.get(name);
  const missing = await executor.missing();
  if (missing) throw new AppError("EXECUTOR_MISSING", missing.what, { hint: missing.hint });
  const agent = step.kind === "agent" ? definition.agents[step.agent] : undefined;
  const roles = agent === undefined ? [] : rolesOf(agent, dirname(file));
  const reply = replyHelp(step, { told: [call, ...roles.map(({ text }) => text)].join("\n"), mustPlan: false });
  const execution = executor.start({
    prompt: buildPrompt({ task: "", input: call, notes: [], feedback: "", reply }),
    system: buildSystem(roles, false),
    cwd: root,
    env: { PAWL_STEP: step.name, PAWL_ATTEMPT: "1" },
    attempt: `perform-${process.pid}`,
    wallMs: step.wallMs ?? longestMs,
    quietMs: step.quietMs,
    onOutput: () => undefined,
  });
  request.signal.addEventListener("abort", () => execution.stop("interrupted"), { once: true });
  const end = await execution.ended;
  return resultOf(call, readAnswer(step, { kind: "executed", end, reported: noToolReport }, definition.knownKeys));
}

/** What a skill finds in the checkout says nothing about a session whose work is in another tree. */
async function assertNoTree(app: Application, project: LifecycleProject): Promise<void> {
  const { parts } = await app.read();
  const [session] = (await openSessions(parts.store, project)).filter((each) => !worksInProject(each));
  if (session === undefined) return;
  const tree = workspacePath(parts, session.run, null);
  throw new AppError("REFUSED", `${session.id} is open and works in ${tree}, not here`, {
    hint: `call it there: pawl lifecycle perform … --dir ${shellWord(tree)}`,
  });
}

/** The skill that is called, or the command of a step by its name. */
function find(
  definition: Definition,
  given: string,
): { readonly call: string; readonly step: AgentStep | CommandStep } {
  const steps = [...definition.steps, ...bodyIn(definition)].flatMap(performersOf);
  for (const text of [given, calledBy(given) ?? ""]) {
    const { skill, args } = splitCall(text);
    const step = steps.find((each) => isOf(each, skill));
    if (step?.kind === "agent" || step?.kind === "command") return { call: `${skill} ${args}`.trim(), step };
  }
  throw new AppError("NOT_FOUND", `the workflow ${definition.id} has no skill "${splitCall(given).skill}"`, {
    hint: `it has: ${Object.keys(definition.agents).join(", ")}`,
  });
}

/** Each part of a step performs a skill. */
function performersOf(step: StepDefinition): readonly StepDefinition[] {
  return [step, ...partNamesOf(step).map((part) => performerOf(step, part))];
}

function isOf(step: StepDefinition, skill: string): boolean {
  return (step.kind === "agent" && step.agent === skill) || (step.kind === "command" && step.name === skill);
}

function executorNameOf(
  app: Application,
  parts: Awaited<ReturnType<Application["read"]>>["parts"],
  definition: Definition,
  { agent }: AgentStep,
  request: PerformRequest,
): string {
  const names = parts.executors.namesFor({ executor: executorOf(app, request), definition }, agentName(agent));
  const [name] = names.filter((each) => each !== "pull" && parts.executors.awaitMs(each) === null);
  if (name !== undefined) return name;
  throw new AppError("EXECUTOR_MISSING", `no executor is configured for the skill "${agent}"`, {
    hint: "give one with --executor NAME or --executor 'command: PROGRAM', or set default_executor in the configuration",
  });
}

function rolesOf({ files }: AgentDefinition, dir: string): readonly { readonly name: string; readonly text: string }[] {
  return Object.entries(files).map(([name, path]) => ({ name, text: readFileSync(join(dir, path), "utf8") }));
}

function resultOf(call: string, report: CompletedReport | UnfinishedReport): SkillResult {
  const result = { skill_call: call, summary: "", artifacts: "", error: "" };
  if (report.outcome !== "completed") return { ...result, status: "failed", error: report.why || report.outcome };
  const { verdict, summary = "", outputs, feedback } = report;
  const said = { ...result, summary: summary || (outputs["summary"] ?? ""), artifacts: outputs["artifacts"] ?? "" };
  if (verdict.kind !== "rejected") return { ...said, status: "completed" };
  return { ...said, status: "failed", error: feedback || verdict.reason || "it did not do its work" };
}
