// Lowers `parts`, `need` and `others` of a step: a list of names, a list with fields of their own, one part for each agent, or one for
// each name in a key of the context.

import type { AgentStep } from "../../domain/definition.ts";
import { agentName, partName } from "../../domain/ids.ts";
import { mostParts, type PartDefinition, type PartsDefinition, refusedNames } from "../../domain/part.ts";
import { foldValue } from "../../domain/route.ts";
import { durationMs } from "../document/duration.ts";
import type { Path } from "../document/problem.ts";
import { type Reading, refuse } from "../document/reading.ts";
import { readNeed } from "./need.ts";
import { readPaths } from "./paths.ts";
import { readSpend } from "./spend.ts";
import type { StepInput } from "./step-schema.ts";

type PartsInput = NonNullable<StepInput["parts"]>;
type PartInput = Exclude<Extract<PartsInput, readonly unknown[]>[number], string>;

/** Fields that say nothing beside `parts`, and why. */
const withoutEffect = {
  decide: "each part says a value; a `decision` behind it counts them: `decision: majority`, `of: STEP.*.KEY`",
  session: "each attempt of a part has a session of its own",
  summary: "what parts say is read by name: `{{STEP.PART.KEY}}`",
  repeat_for: "parts run at the same time; give each of them an entry: `parts: { each: KEY }`",
  editable: "parts run at the same time, so none of them changes the chain",
} as const;

/** `parts` may name the agents, and `agent` need not be there then. */
export function withAgentOfParts(written: StepInput): StepInput {
  const { parts, agent, command } = written;
  if (parts === undefined || agent !== undefined || command !== undefined) return written;
  const [first] = Array.isArray(parts) ? parts : "agents" in parts ? parts.agents : [];
  const own = typeof first === "string" ? (Array.isArray(parts) ? undefined : first) : first?.agent;
  return own === undefined ? written : { ...written, agent: own };
}

export function readParts(reading: Reading, written: StepInput, path: Path): Pick<AgentStep, "parts" | "access"> {
  const { parts, access } = written;
  if (parts === undefined) {
    for (const field of ["need", "others", "access"] as const) {
      if (written[field] === undefined) continue;
      refuse(reading, [...path, field], {
        message: `Step '${written.id}': \`${field}\` has no effect without \`parts\``,
        expected: "`parts` beside it",
        hint: field === "access" ? "`access` of the agent holds for all of its steps" : "add `parts: [NAME, NAME]`",
      });
    }
    return {};
  }
  refuseWithoutEffect(reading, written, path);
  const of = "each" in parts ? { each: foldValue(parts.each) } : { list: readList(reading, written, parts, path) };
  const read: PartsDefinition = { of, ...readNeed(reading, written, path) };
  refuseNeed(reading, written, path, read);
  return { parts: read, ...(access === "read" ? { access } : {}) };
}

function readList(
  reading: Reading,
  written: StepInput,
  parts: Exclude<PartsInput, { each: string }>,
  path: Path,
): readonly PartDefinition[] {
  const at = [...path, "parts"];
  const list = Array.isArray(parts) ? parts : parts.agents.map((agent): PartInput => ({ name: agent, agent }));
  const items = list.map((item): PartInput => (typeof item === "string" ? { name: item } : item));
  const refused = refusedNames(items.map(({ name }) => name));
  if (refused !== null) {
    refuse(reading, at, {
      message: `Step '${written.id}': ${refused}`,
      expected: `1 to ${mostParts} names: letters, digits, dots, dashes and underscores, each name once`,
      hint: "for example `parts: [security, performance, style]`; many units of work are stories",
    });
    return [];
  }
  return items.map((item, index) => readPart(reading, written, item, [...at, index]));
}

function readPart(reading: Reading, written: StepInput, item: PartInput, path: Path): PartDefinition {
  const { name, agent, input, access, timeout, budget } = item;
  const spend = budget && readSpend(reading, budget, [...path, "budget"], `${written.id} (${name})`);
  if (agent !== undefined && written.command !== undefined) {
    refuse(reading, [...path, "agent"], {
      message: `Step '${written.id}' (${name}): \`agent\` has no effect on a command step`,
      expected: "parts of a command step without agents",
      hint: "remove it",
    });
  }
  return {
    name: partName(name),
    ...(agent === undefined ? {} : { agent: agentName(agent) }),
    ...(input === undefined ? {} : { input }),
    ...readPaths(reading, { ...item, id: `${written.id} (${name})` }, path),
    ...(access === "read" ? { access } : {}),
    ...(timeout === undefined ? {} : { wallMs: durationMs(timeout) }),
    ...(spend ? { spend } : {}),
  };
}

function refuseWithoutEffect(reading: Reading, written: StepInput, path: Path): void {
  for (const [field, why] of Object.entries(withoutEffect)) {
    if (written[field as keyof typeof withoutEffect] === undefined) continue;
    refuse(reading, [...path, field], {
      message: `Step '${written.id}': \`${field}\` has no effect beside \`parts\``,
      expected: "one of the two",
      hint: why,
    });
  }
}

function refuseNeed(reading: Reading, { id }: StepInput, path: Path, { of, need }: PartsDefinition): void {
  if (need === "all" || "each" in of || of.list.length === 0 || need <= of.list.length) return;
  refuse(reading, [...path, "need"], {
    message: `Step '${id}': it needs ${need} parts that pass, and has ${of.list.length}`,
    expected: `all, first, or a number up to ${of.list.length}`,
    hint: "`need: all` if every part must pass",
  });
}
