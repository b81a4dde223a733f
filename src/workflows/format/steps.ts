// Lowers a step of our own format to its definition, with every default filled in.

import type { AgentStep, CommandStep, GateStep, StepDefinition, StoriesStep } from "../../domain/definition.ts";
import { agentName, type StepName, stepName } from "../../domain/ids.ts";
import type { RouteRule } from "../../domain/route.ts";
import { durationMs } from "../document/duration.ts";
import { refusePatterns } from "../document/patterns.ts";
import type { Path } from "../document/problem.ts";
import { from, type Reading, refuse } from "../document/reading.ts";
import { readBudget, readStoryBudget } from "./budget.ts";
import { readChecks } from "./checks.ts";
import { readCommand, readVariables } from "./commands.ts";
import { readDecisionStep, refuseTwoDeciders } from "./decision.ts";
import { plain, type Rules, repeatRule, unreadableRule } from "./default-rules.ts";
import { readFlags } from "./flags.ts";
import { readIntegrate } from "./integrate.ts";
import { optionsFor } from "./occasion.ts";
import { readOnError } from "./on-error.ts";
import { readPaths } from "./paths.ts";
import { foldRouteWord, readDeadline, readOn, readOptions, readRule } from "./routes.ts";
import type { StepInput } from "./schema.ts";

export interface StepContext {
  readonly inBody: boolean;
  /** Time limits of agents, by name: they hold where a step has none. */
  readonly agentTimeoutMs: ReadonlyMap<string, number>;
}

/** Fields that describe or limit an attempt, for every kind of step. */
const attemptFields = ["waits", "on", "on_error", "budget", "checks", "env", "timeout"] as const;
const chainFields = ["spare", "mandatory", "last", "follows"] as const;
const answerFields = ["produces", "decide", "expects", "on_unreadable", "summary", "editable"] as const;
/** Which fields each kind has, besides `id` and `title`. A field without effect is refused, not ignored. */
const fieldsOf = {
  agent: ["agent", "input", "session", "reads", "writes", ...answerFields, ...attemptFields, ...chainFields],
  // A command says yes or no by its exit code; what it prints decides nothing.
  command: ["command", "input", ...attemptFields, ...chainFields],
  gate: ["gate", "options", "deadline", "spare"],
  stories: ["stories", "body", "story_budget", "on_story_failed"],
  integrate: ["integrate", ...attemptFields],
  // It runs nothing and prints nothing: what it reads is the answer.
  decision: ["decision", "waits", "on", "on_error", "budget", ...chainFields],
} as const;
type Kind = keyof typeof fieldsOf;
const kinds = Object.keys(fieldsOf) as readonly Kind[];

export function readStep(
  reading: Reading,
  written: StepInput,
  path: Path,
  context: StepContext,
): StepDefinition | null {
  const given = kinds.filter((kind) => written[kind] !== undefined);
  const kind = given[0];
  if (written.decision !== undefined && (given.length > 1 || written.decide !== undefined)) {
    refuseTwoDeciders(reading, written, path);
    return null;
  }
  if (kind === undefined || given.length > 1) {
    refuse(reading, path, {
      message: `Step '${written.id}' has ${kind === undefined ? "nothing to do" : `${given.join(" and ")} at once`}`,
      expected: `exactly one of ${kinds.join(", ")}`,
      hint: written.body ? "a step with a `body` needs `stories: {}`" : "`agent: NAME` for work by an agent",
    });
    return null;
  }
  refuseForeignFields(reading, written, path, kind);
  if (kind === "gate") return from(reading, path, readGate(reading, written, path));
  if (kind === "stories") return from(reading, path, readStories(reading, written, path, context));
  if (kind === "integrate") return from(reading, path, readIntegrate(reading, written, path, nameAndTitle(written)));
  if (kind === "decision") return from(reading, path, readDecisionStep(reading, written, path, nameAndTitle(written)));
  return from(reading, path, readPerformed(reading, written, path, context, kind));
}

function readPerformed(
  reading: Reading,
  written: StepInput,
  path: Path,
  { inBody, agentTimeoutMs }: StepContext,
  kind: "agent" | "command",
): AgentStep | CommandStep {
  const base = nameAndTitle(written);
  const given = readOn(reading, written, path);
  const decides = written.decide !== undefined;
  const on: Rules = decides
    ? { ...given, ...checksRule(written, inBody) }
    : { passed: plain({ to: "next" }), rejected: repeatRule(base.name, "still rejected", inBody), ...given };
  const timeout = typeof written.timeout === "object" ? written.timeout : { wall: written.timeout };
  const agentMs = written.agent === undefined ? undefined : agentTimeoutMs.get(written.agent);
  const performed = {
    ...base,
    input: written.input ?? (kind === "agent" ? (inBody ? "{{current_story}}" : "{{task}}") : ""),
    produces: written.produces?.map(foldRouteWord) ?? (written.summary ? [] : null),
    decide: written.decide === undefined ? null : foldRouteWord(written.decide),
    expects: readExpects(reading, written, path),
    on,
    ...readOnError(reading, written, path, usualOnError(written, on, inBody)),
    ...(written.on_unreadable === undefined
      ? {}
      : {
          onUnreadable: readRule(reading, written.on_unreadable, [...path, "on_unreadable"], {
            of: "error",
            step: written.id,
          }),
        }),
    budget: readBudget(reading, written, path, on),
    checks: readChecks(reading, written, path),
    ...readVariables(reading, written, path),
    ...readPaths(reading, written, path),
    wallMs: timeout.wall === undefined ? (agentMs ?? null) : durationMs(timeout.wall),
    quietMs: "quiet" in timeout && timeout.quiet !== undefined ? durationMs(timeout.quiet) : null,
    ...(typeof written.session === "object" ? { session: stepName(written.session.same_as) } : {}),
    ...readFlags(reading, written, path),
  };
  switch (kind) {
    case "agent":
      return { kind, agent: agentName(written.agent ?? ""), ...performed };
    case "command":
      return {
        kind,
        command: readCommand(reading, base.name, written.command ?? "", [...path, "command"]),
        ...performed,
      };
  }
}

function readExpects(reading: Reading, { id, expects }: StepInput, path: Path): string | null {
  refusePatterns(reading, id, expects ?? "", [...path, "expects"]);
  return expects ?? null;
}

function readGate(reading: Reading, written: StepInput, path: Path): GateStep {
  const base = nameAndTitle(written);
  if (written.gate === null) {
    refuse(reading, [...path, "gate"], {
      message: `Step '${base.name}' asks nothing`,
      expected: "a question",
      hint: 'write `gate: "Ship it?"`',
    });
  }
  const options = written.options && readOptions(reading, written.options, [...path, "options"], { step: base.name });
  const deadline = written.deadline && readDeadline(reading, written.deadline, [...path, "deadline"]);
  return {
    kind: "gate",
    ...base,
    question: written.gate ?? "",
    options: options ?? optionsFor({ of: "asked", step: base.name }),
    ...(deadline ? { deadline } : {}),
    ...(written.spare ? { spare: true } : {}),
  };
}

function readStories(reading: Reading, written: StepInput, path: Path, context: StepContext): StoriesStep {
  const base = nameAndTitle(written);
  if (!written.body) {
    refuse(reading, path, {
      message: `Step '${base.name}' has stories but no body`,
      expected: "`body`: the steps that each story goes through",
      hint: "add `body:` with at least one step",
    });
  }
  const body = (written.body ?? []).map((step, index) =>
    readStep(reading, step, [...path, "body", index], { ...context, inBody: true }),
  );
  const { concurrency, workspace, branch_prefix, ids, sent_back, max_steps, restarts } =
    typeof written.stories === "object" ? (written.stories ?? {}) : {};
  const integrates = workspace !== undefined;
  return {
    kind: "stories",
    ...base,
    body: body.filter((step) => step !== null),
    concurrency: concurrency ?? 1,
    storyBudget: readStoryBudget(reading, written, path, { name: base.name, integrates }),
    onStoryFailed: written.on_story_failed ?? "stop",
    ...(workspace === undefined ? {} : { workspace }),
    ...(branch_prefix === undefined ? {} : { branchPrefix: branch_prefix }),
    ...(ids === undefined ? {} : { ids }),
    ...(sent_back === "nothing" ? { sentBack: sent_back } : {}),
    ...(max_steps === undefined ? {} : { maxSteps: max_steps }),
    ...(restarts === undefined ? {} : { restarts }),
  };
}

function usualOnError({ id, decide }: StepInput, on: Rules, inBody: boolean): RouteRule {
  return decide === undefined ? repeatRule(id, "still failing", inBody) : unreadableRule(id, decide, on, 2);
}

/** A red check rejects a step that decides, too; its values say nothing about that. */
function checksRule(written: StepInput, inBody: boolean): Rules {
  const hasChecks = (written.checks ?? []).length > 0;
  return hasChecks ? { rejected: repeatRule(written.id, "checks still red", inBody) } : {};
}

function nameAndTitle(written: StepInput): { name: StepName; title: string } {
  return { name: stepName(written.id), title: written.title ?? written.id };
}

function refuseForeignFields(reading: Reading, written: StepInput, path: Path, kind: Kind): void {
  const known: readonly string[] = ["id", "title", ...fieldsOf[kind]];
  for (const field of Object.keys(written)) {
    if (known.includes(field)) continue;
    refuse(reading, [...path, field], {
      message: `Step '${written.id}': \`${field}\` has no effect on ${/^[ai]/.test(kind) ? "an" : "a"} ${kind} step`,
      expected: `one of: ${known.join(", ")}`,
      hint: "remove it",
    });
  }
}
