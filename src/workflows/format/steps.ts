// Lowers a step of our own format to its definition, with every default filled in.

import type { AgentStep, CommandStep, GateStep, StepDefinition, StoriesStep } from "../../domain/definition.ts";
import { agentName, stepName } from "../../domain/ids.ts";
import { foldValue, type RouteRule } from "../../domain/route.ts";
import { durationMs } from "../document/duration.ts";
import { refusePatterns } from "../document/patterns.ts";
import type { Path } from "../document/problem.ts";
import { from, mountAt, type Reading, refuse } from "../document/reading.ts";
import { expandSteps, type IncludeContext } from "../include/include.ts";
import { readBudget, readStoryBudget } from "./budget.ts";
import { readChecks } from "./checks.ts";
import { readCommand, readVariables, refuseUnprintable } from "./commands.ts";
import { readIf } from "./condition.ts";
import { readDecisionStep, refuseTwoDeciders } from "./decision.ts";
import { plain, type Rules, repeatRule, unreadableRule } from "./default-rules.ts";
import { readFlags } from "./flags.ts";
import { readIntegrate } from "./integrate.ts";
import { readStoriesNeed } from "./need.ts";
import { optionsFor } from "./occasion.ts";
import { readOnError } from "./on-error.ts";
import { hintForMisplaced } from "./own-file.ts";
import { readParts, withAgentOfParts } from "./parts.ts";
import { readPaths } from "./paths.ts";
import { readDeadline, readOn, readOptions, readRule } from "./routes.ts";
import { readShares } from "./shares.ts";
import { readSignal } from "./signal.ts";
import type { StepInput } from "./step-schema.ts";

/** Time limits of agents hold where a step has none. */
export interface StepContext extends IncludeContext {
  readonly inBody: boolean;
}

/** Fields that describe or limit an attempt, for every kind of step. */
const attemptFields = ["waits", "on", "on_error", "budget", "checks", "env", "timeout", "lock"] as const;
const chainFields = ["spare", "mandatory", "last", "follows"] as const;
const partFields = ["parts", "need", "others", "access"] as const;
const answerFields = ["produces", "decide", "expects", "on_unreadable", "summary", "editable"] as const;
/** Which fields each kind has, besides `id` and `title`. A field without effect is refused, not ignored. */
const fieldsOf = {
  agent: [
    "agent",
    "repeat_for",
    "input",
    "barrier",
    "dependent",
    "labels",
    "concurrency",
    "session",
    "reads",
    "writes",
    ...partFields,
    ...answerFields,
    ...attemptFields,
    ...chainFields,
  ],
  // A command says yes or no by its exit code; what it prints sets the keys that it declares, and decides nothing.
  command: [
    "command",
    "repeat_for",
    "input",
    "barrier",
    "labels",
    "concurrency",
    "produces",
    ...partFields,
    ...attemptFields,
    ...chainFields,
  ],
  gate: ["gate", "options", "deadline", "spare"],
  signal: ["signal", "produces", "timeout", "on_timeout", "spare"],
  stories: ["stories", "body", "story_budget", "on_story_failed", "need", "others"],
  integrate: ["integrate", ...attemptFields],
  // It runs nothing and prints nothing: what it reads is the answer.
  decision: ["decision", "of", "at_least", "waits", "on", "on_error", "budget", ...chainFields],
  // Its steps stand in its place.
  workflow: ["workflow", "repeat_for", "inputs", "outputs", "agents"],
} as const;
type Base = Pick<GateStep, "name" | "title" | "if" | "repeatFor" | "include">;
type Kind = keyof typeof fieldsOf;
const kinds = Object.keys(fieldsOf) as readonly Kind[];

/** The steps of a chain; included workflows are part of it. */
export function readChain(
  reading: Reading,
  written: readonly StepInput[],
  path: Path,
  context: StepContext,
): readonly StepDefinition[] {
  written.forEach((step, index) => {
    if (step.workflow !== undefined) onlyKind(reading, step, [...path, index]);
  });
  return expandSteps(reading, written, path, context).flatMap(({ written: step, path: at, entries }) => {
    const read = readStep(reading, step, at, context);
    if (read === null) return [];
    return entries.length === 0 ? [read] : [from(reading, at, { ...read, entries })];
  });
}

function readStep(reading: Reading, given: StepInput, path: Path, context: StepContext): StepDefinition | null {
  const written = withAgentOfParts(given);
  const kind = onlyKind(reading, written, path);
  if (kind === null || kind === "workflow") return null;
  const base = baseOf(reading, written, path);
  const { if: _never, ...unasked } = base;
  if (kind === "gate") return from(reading, path, readGate(reading, written, path, base));
  if (kind === "signal") return from(reading, path, readSignal(reading, written, path, base));
  if (kind === "stories") return from(reading, path, readStories(reading, written, path, context, base));
  if (kind === "integrate") return from(reading, path, readIntegrate(reading, written, path, unasked));
  if (kind === "decision") return from(reading, path, readDecisionStep(reading, written, path, base));
  return from(reading, path, readPerformed(reading, written, path, context, { kind, base }));
}

/** The one kind of a step; null where it has none or several, or both ways to decide. */
function onlyKind(reading: Reading, written: StepInput, path: Path): Kind | null {
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
  return kind;
}

function readPerformed(
  reading: Reading,
  written: StepInput,
  path: Path,
  { inBody, agentTimeoutMs }: StepContext,
  { kind, base }: { readonly kind: "agent" | "command"; readonly base: Base },
): AgentStep | CommandStep {
  const given = readOn(reading, written, path);
  const decides = written.decide !== undefined;
  const on: Rules = decides
    ? { ...given, ...checksRule(written, inBody) }
    : { passed: plain({ to: "next" }), rejected: rejectedRule(written, inBody), ...given };
  const timeout = typeof written.timeout === "object" ? written.timeout : { wall: written.timeout };
  const agentMs = written.agent === undefined ? undefined : agentTimeoutMs.get(written.agent);
  const performed = {
    ...base,
    input: written.input ?? (kind === "agent" ? (inBody ? "{{current_story}}" : "{{task}}") : ""),
    produces: written.produces?.map(foldValue) ?? (written.summary ? [] : null),
    decide: written.decide === undefined ? null : foldValue(written.decide),
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
    ...readParts(reading, written, path),
    wallMs: timeout.wall === undefined ? (agentMs ?? null) : durationMs(timeout.wall),
    quietMs: "quiet" in timeout && timeout.quiet !== undefined ? durationMs(timeout.quiet) : null,
    ...(typeof written.session === "object" ? { session: stepName(written.session.same_as) } : {}),
    ...readShares(reading, written, path, inBody),
    ...readFlags(reading, written, path),
  };
  switch (kind) {
    case "agent":
      return { kind, agent: agentName(written.agent ?? ""), ...performed };
    case "command":
      refuseUnprintable(reading, written, path);
      return {
        kind,
        command: readCommand(reading, base.name, written.command ?? "", [...path, "command"]),
        ...performed,
      };
  }
}

/** A no of a part is not repeated until it is a yes: the file says who gets the work back. */
function rejectedRule({ id, parts }: StepInput, inBody: boolean): RouteRule {
  if (parts === undefined) return repeatRule(id, "still rejected", inBody);
  return plain({ to: "fail", reason: `${id}: its parts said no` });
}

function readExpects(reading: Reading, { id, expects }: StepInput, path: Path): string | null {
  refusePatterns(reading, id, expects ?? "", [...path, "expects"]);
  return expects ?? null;
}

function readGate(reading: Reading, written: StepInput, path: Path, base: Base): GateStep {
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

function readStories(reading: Reading, written: StepInput, path: Path, context: StepContext, base: Base): StoriesStep {
  if (!written.body) {
    refuse(reading, path, {
      message: `Step '${base.name}' has stories but no body`,
      expected: "`body`: the steps that each story goes through",
      hint: "add `body:` with at least one step",
    });
  }
  const body = readChain(reading, written.body ?? [], [...path, "body"], { ...context, inBody: true });
  const { concurrency, workspace, branch_prefix, ids, sent_back, max_steps, restarts } =
    typeof written.stories === "object" ? (written.stories ?? {}) : {};
  const integrates = workspace !== undefined;
  return {
    kind: "stories",
    ...base,
    body,
    concurrency: concurrency ?? 1,
    storyBudget: readStoryBudget(reading, written, path, { name: base.name, integrates }),
    ...readStoriesNeed(reading, written, path),
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

/** What every kind of step has. */
function baseOf(reading: Reading, written: StepInput, path: Path): Base {
  const include = mountAt(reading, path)?.inclusion;
  const title = written.title ?? written.id;
  return {
    name: stepName(written.id),
    title,
    ...readIf(reading, written, path),
    ...(written.repeat_for === undefined ? {} : { repeatFor: foldValue(written.repeat_for) }),
    ...(include === undefined ? {} : { include }),
  };
}

function refuseForeignFields(reading: Reading, written: StepInput, path: Path, kind: Kind): void {
  // A story that is done is on its base: nothing keeps it from being integrated.
  const base = kind === "integrate" ? ["id", "title"] : ["id", "title", "if"];
  const known: readonly string[] = [...base, ...fieldsOf[kind]];
  for (const field of Object.keys(written)) {
    if (known.includes(field)) continue;
    refuse(reading, [...path, field], {
      message: `Step '${written.id}': \`${field}\` has no effect on ${/^[ai]/.test(kind) ? "an" : "a"} ${kind} step`,
      expected: `one of: ${known.join(", ")}`,
      hint: hintForMisplaced(field),
    });
  }
}
