// The effective rules of a project: the bundled table with its `.ai/step-rules.yaml` and the commands of the project. They are read
// when a run starts; the run keeps them.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../domain/error.ts";
import { commandsOfRules, rulesFile } from "../../runtime/config/config.ts";
import { isTrusted, untrusted } from "../../runtime/config/trust.ts";
import { WorkflowError } from "../../runtime/runs/workflow-error.ts";
import { bundledRules, type OpenedWorkflow, readWorkflow } from "../../runtime/runs/workflow-library.ts";
import { realPath } from "../../system/files/paths.ts";
import type { ProjectCommands } from "../../workflows/format/project.ts";
import { checkCommands } from "../../workflows/rules/checks.ts";
import { rulesFor } from "../../workflows/rules/rules-for.ts";
import type { RulesTable } from "../../workflows/rules/rules-schema.ts";
import { inspectRepository } from "../../workspaces/git/repository.ts";
import type { Application } from "../application.ts";

export interface ProjectRules {
  readonly table: RulesTable;
  /** For the start of a run. */
  readonly workflow: OpenedWorkflow;
  /** What was understood and has no effect, and what is probably wrong, in words. */
  readonly notes: readonly string[];
  /** The project's own rules; null: it has none. */
  readonly file: string | null;
}

/** `dir`: the folder of the project. `project`: the commands that it configures. `teams`: steps may have a tree for each executor. */
export function projectRules(
  { protocols }: Pick<Application, "protocols">,
  dir: string,
  project: ProjectCommands,
  { teams = true }: { readonly teams?: boolean } = {},
): ProjectRules {
  const bundled = bundledRules();
  if (bundled === null)
    throw new AppError("NOT_FOUND", "this Pawl has no table of step rules", { hint: "install Pawl again" });
  const own = join(dir, rulesFile);
  const file = existsSync(own) ? own : null;
  const source = { text: file === null ? null : readWorkflow(file), file: own, base: readWorkflow(bundled) };
  const commands = checkCommands(project, existsSync(join(dir, "go.mod")));
  const { definition, table, problems, notes } = rulesFor(source, protocols.facts, { commands, teams });
  if (definition === null || table === null) {
    const hint = `correct it and check it again with \`pawl workflow check ${rulesFile}\``;
    throw new WorkflowError(own, problems, { file: rulesFile, hint });
  }
  const warnings = problems.map(
    ({ line, message, expected }) => `${rulesFile}:${line}: ${message} (expected: ${expected})`,
  );
  return {
    table,
    workflow: { file: bundled, origin: "bundled", definition, warnings: [] },
    notes: [...notes, ...warnings],
    file,
  };
}

/**
 * Throws for a project in a folder below its repository whose rules run commands that the user has not agreed to. The rules of the
 * repository itself are agreed to with its configuration.
 */
export async function assertRulesTrusted(app: Application, dir: string): Promise<void> {
  if (app.trusts || realPath(dir) === realPath((await inspectRepository(dir)).root)) return;
  const commands = await commandsOfRules(dir);
  if (!isTrusted(app.home.configFile, dir, commands)) throw untrusted(dir, commands);
}
