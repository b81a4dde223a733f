// Loads one workflow file: from text to a checked definition, or to the list of its problems.

import type { Definition } from "../domain/definition.ts";
import type { ProtocolFacts } from "../domain/protocol.ts";
import type { Schedule } from "../domain/schedule.ts";
import { checkDefinition } from "./check/check.ts";
import { checkPlanner } from "./check/check-stories.ts";
import { parseDocument } from "./document/document.ts";
import type { Problem } from "./document/problem.ts";
import { type FindWorkflow, startReading } from "./document/reading.ts";
import { lowerDocument } from "./lower.ts";
import { isRulesTable, lowerTable, type RulesOptions, standsAlone } from "./rules/read-rules.ts";

export interface LoadedWorkflow {
  /** null if there is any error. */
  readonly definition: Definition | null;
  /** In the order of the file. */
  readonly problems: readonly Problem[];
  /** Fields of a file that were understood and have no effect here, in words. */
  readonly notes: readonly string[];
  /** When the service starts it; absent: the file says nothing of that. */
  readonly schedule?: Schedule;
  /** A project's rules that were merged into the bundled table: role files are beside that table. */
  readonly isMerged?: boolean;
}

export interface LoadOptions {
  /** Also what only matters to a run that plans its stories: a caller may start one with stories of its own. */
  readonly plans?: boolean;
  /** How a table of step rules is read. */
  readonly rules?: RulesOptions;
  /** Reads the workflows that the file includes; absent: it can include none. */
  readonly find?: FindWorkflow;
}

/** `protocols`: those that a file may name. */
export function loadWorkflow(
  text: string,
  file: string,
  protocols: readonly ProtocolFacts[] = [],
  { plans = false, rules = {}, find }: LoadOptions = {},
): LoadedWorkflow {
  const { document, problems } = parseDocument(text, file);
  if (!document) return { definition: null, problems, notes: [] };
  const reading = startReading(document, protocols, find);
  reading.problems.push(...problems);
  const isTable = rules.isTable || isRulesTable(document);
  const definition = isTable ? lowerTable(reading, rules) : lowerDocument(reading);
  if (definition) checkDefinition(definition, reading);
  if (definition && plans) checkPlanner(definition, reading);
  const failed = reading.problems.some((problem) => problem.severity === "error");
  return {
    definition: failed ? null : definition,
    problems: inOrder(reading.problems),
    notes: reading.notes,
    ...(failed || reading.schedule === null ? {} : { schedule: reading.schedule }),
    ...(isTable && !standsAlone(document.value, rules) ? { isMerged: true } : {}),
  };
}

/** What is wrong twice at one place for one reason (a number that limits two routes) is reported once. */
function inOrder(problems: readonly Problem[]): Problem[] {
  const said = new Set<string>();
  return problems
    .toSorted(
      (left, right) =>
        (left.file ?? "").localeCompare(right.file ?? "") || left.line - right.line || left.column - right.column,
    )
    .filter((problem) => said.size !== said.add(JSON.stringify(problem)).size);
}
