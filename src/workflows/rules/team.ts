// The team of a step: its roles as parts of the step, for stories of a size that has a team. Every other story has one session.

import { partName } from "../../domain/ids.ts";
import { mostParts, type PartDefinition, type PartsDefinition, refusedNames } from "../../domain/part.ts";
import { type Reading, refuse } from "../document/reading.ts";
import { instructionOf } from "./prompt-text.ts";
import type { RulesTable, StepRules } from "./rules-schema.ts";
import { sizeKey, teamSizes } from "./story-size.ts";
import { leadRole } from "./team-roles.ts";
import { leadInput, roleInput, type TeamRole } from "./team-text.ts";

const handoff = ".ai/HANDOFF.md";
const join = "join";

/** Null: one executor performs the step for every story. */
export function teamOf(reading: Reading, name: string, rules: StepRules, table: RulesTable): PartsDefinition | null {
  const roles = rolesOf(rules);
  if (rules.team_roles === undefined || !isUsable(reading, name, roles)) return null;
  const values = teamSizes(table.dispatch_mode);
  if (values.length === 0) return null;
  const instruction = instructionOf(name, rules) ?? `carry out the step ${name}.`;
  const list: readonly PartDefinition[] = table.agent_teams
    ? [{ name: partName(leadRole), input: leadInput(name, rules, instruction, roles) }]
    : roles.map((role) => partOf(name, instruction, role, roles));
  return { of: { list }, if: { key: sizeKey, values }, need: "all", others: "finish" };
}

/** The prompt of one role, or of the lead, whichever way the table has its teams; null: the step has no such role. */
export function promptOfRole(
  step: string,
  rules: StepRules,
  role: string,
): Pick<PartDefinition, "input" | "reads"> | null {
  const roles = rolesOf(rules);
  const instruction = instructionOf(step, rules) ?? `carry out the step ${step}.`;
  if (role === leadRole && roles.length > 0)
    return { input: leadInput(step, rules, instruction, roles), reads: withHandoff(rules.claude_reads ?? []) };
  const found = roles.find(({ name }) => name === role);
  return found === undefined ? null : partOf(step, instruction, found, roles);
}

/** The roles of a step; what a role does not say is as its step says. */
export function rolesOf({ team_roles = {}, claude_reads = [], claude_writes }: StepRules): readonly TeamRole[] {
  return Object.entries(team_roles).map(([name, role]) => ({
    name,
    reads: withHandoff(role.claude_reads ?? claude_reads),
    writes: role.claude_writes ?? claude_writes ?? null,
  }));
}

function partOf(step: string, instruction: string, role: TeamRole, roles: readonly TeamRole[]): PartDefinition {
  return {
    name: partName(role.name),
    input: roleInput(step, instruction, role, roles),
    // What it left itself, if its session broke off.
    reads: [...role.reads, `.ai/handoffs/${role.name}.md`],
    ...(role.writes === null ? {} : { writes: role.writes }),
  };
}

function withHandoff(reads: readonly string[]): readonly string[] {
  return reads.includes(handoff) ? reads : [...reads, handoff];
}

function isUsable(reading: Reading, step: string, roles: readonly TeamRole[]): boolean {
  const names = roles.map(({ name }) => name);
  const taken = names.find((name) => [join, leadRole].includes(name.toLowerCase()));
  const why = taken === undefined ? refusedNames(names) : `no role can be called \`${taken}\``;
  if (why === null) return true;
  refuse(reading, ["steps", step, "team_roles"], {
    message: `Step '${step}': \`team_roles\`: ${why}`,
    expected: `1 to ${mostParts} roles: letters, digits, dots, dashes and underscores, each name once`,
    hint: 'for example `team_roles: { backend: { claude_writes: ["*.go"] }, frontend: { claude_writes: ["*.ts"] } }`',
  });
  return false;
}
