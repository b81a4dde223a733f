// What a session looks like on a screen: its plan before it starts, and how far it has come.

import type { Definition } from "../../../domain/definition.ts";
import type { Messages } from "../locale/messages.ts";
import type { PlannedSession, PlannedStep } from "./planned-session.ts";
import type { SessionDocument } from "./session-document.ts";
import type { SessionStep } from "./session-steps.ts";
import { bodyIn } from "./shown-steps.ts";

const rule = "=".repeat(60);

/** What continues a session of the current folder. */
export const executeCommand = "pawl lifecycle execute";

/** `stops`: the session stops before each decision. */
export function planText(plan: PlannedSession, messages: Messages, { stops = true } = {}): string {
  const decisions = plan.steps.filter(({ type }) => type === "decision").length;
  const place = plan.phase === null ? "" : ` (${messages.phase} ${plan.phase}, ${plan.milestone})`;
  return framed("RALPH DECISION ENGINE", [
    `${messages.position}: ${plan.lifecycle_position}${place}`,
    `${messages.target}: ${plan.target}`,
    `${messages.steps}: ${plan.steps.length} (${messages.decisionPoints(decisions)})`,
    "",
    ...plan.steps.map((step) => `[ ] ${step.index}. ${nameOf(step)} [${kindOf(step)}]${stopOf(step, stops)}`),
  ]);
}

function kindOf({ type, barrier }: PlannedStep): string {
  return barrier ? `${type}/barrier` : type;
}

function stopOf({ type }: PlannedStep, stops: boolean): string {
  return type === "decision" && stops ? " ← STOP" : "";
}

/** `definition`: whose readers found what the decisions say. */
export function sessionView(
  document: SessionDocument,
  definition: Definition,
  messages: Messages,
  execute = executeCommand,
): string {
  const isDone = document.status === "completed";
  const done = document.steps.filter(({ status }) => status === "completed").length;
  return framed(isDone ? "RALPH COMPLETE" : "RALPH SESSION", [
    `${messages.session}: ${document.id}`,
    ...(document.phase === null ? [] : [`${messages.phase}: ${document.phase} → ${document.milestone}`]),
    ...(isDone ? [] : [`${messages.position}: ${document.lifecycle_position}`]),
    `${messages.waves}: ${document.waves.length} ${messages.executed}`,
    `${messages.steps}: ${done}/${document.steps.length}`,
    "",
    ...document.steps.map(
      (step) => `${marks[step.status]} ${step.index}. ${nameOf(step)}${tailOf(step, definition, messages)}`,
    ),
    ...(isDone || document.pawl.status === "cancelled" ? [] : ["", `${messages.resume}: ${execute}`]),
  ]);
}

const marks: Readonly<Record<SessionStep["status"], string>> = {
  pending: "[ ]",
  running: "[▶]",
  completed: "[✓]",
  failed: "[✗]",
  skipped: "[-]",
};

function tailOf(step: SessionStep, definition: Definition, messages: Messages): string {
  if (step.type === "decision") {
    const found = step.summary === null ? "" : `: ${outcomeText(definition, step.stage, step.summary, messages)}`;
    return ` [decision${found}]`;
  }
  const wave = step.wave === null ? "" : ` [W${step.wave}]`;
  return step.status === "failed" && step.error !== null ? `${wave} ${firstLine(step.error)}` : wave;
}

/** What a decision found, in the short words of its reader; `summary` begins with its value. */
export function outcomeText(definition: Definition, stage: string, summary: string, messages: Messages): string {
  const [value = ""] = /^[^:;]+/.exec(summary) ?? [];
  const step = [...definition.steps, ...bodyIn(definition)].find(({ name }) => name === stage);
  const known = step?.kind === "decision" ? messages.outcomes[step.reader]?.[value] : undefined;
  return known ?? firstLine(summary);
}

function nameOf({ type, skill, args, stage }: Pick<SessionStep, "type" | "skill" | "args" | "stage">): string {
  if (type === "decision") return `◆ ${stage}`;
  return firstLine(type === "cli" ? `${stage}: ${args}` : `${skill} ${args}`);
}

const longestLine = 100;

function firstLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= longestLine ? line : `${line.slice(0, longestLine - 1)}…`;
}

function framed(title: string, lines: readonly string[]): string {
  return `${[rule, title, rule, ...lines, rule].join("\n")}\n`;
}
