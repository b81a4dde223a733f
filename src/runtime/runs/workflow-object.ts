// Workflows as objects of a program. They go through the same loader and the same checks as a file: the object is written as JSON,
// which is YAML, so a problem has its path in the object, and its line in that JSON.

import { join } from "node:path";
import { errorText } from "../../domain/error.ts";
import type { Protocols } from "../../protocols/registry.ts";
import type { Home } from "../../system/home.ts";
import type { Problem } from "../../workflows/document/problem.ts";
import { type LoadedWorkflow, loadWorkflow } from "../../workflows/load.ts";
import { WorkflowError } from "./workflow-error.ts";
import { findFrom, type OpenedWorkflow } from "./workflow-library.ts";

/** Where role files and workflows that it names are looked for. */
interface ObjectPlace {
  readonly home: Home;
  readonly cwd: string;
  readonly protocols: Pick<Protocols, "facts">;
}

export function openWorkflowObject(workflow: unknown, place: ObjectPlace): OpenedWorkflow {
  const file = fileOf(place);
  const { definition, problems } = load(workflow, place);
  if (definition) return { file, origin: "path", definition, warnings: problems };
  const hint = "each problem has its path in the object; `pawl workflow schema` prints what is allowed";
  throw new WorkflowError("the workflow object", problems, { file: "workflow", hint });
}

/** Every problem of it; empty if there is none. */
export function checkWorkflowObject(workflow: unknown, place: ObjectPlace): readonly Problem[] {
  return load(workflow, place).problems;
}

function fileOf({ cwd }: ObjectPlace): string {
  return join(cwd, "workflow.json");
}

function load(workflow: unknown, place: ObjectPlace): LoadedWorkflow {
  const file = fileOf(place);
  try {
    const find = findFrom(place.home, file);
    return loadWorkflow(JSON.stringify(workflow, null, 2) ?? "", file, place.protocols.facts, { find });
  } catch (error) {
    // A cycle, a BigInt, or a getter that throws.
    const problem: Problem = {
      severity: "error",
      line: 1,
      column: 1,
      path: "",
      message: `the object cannot be written as JSON: ${errorText(error).split("\n", 1)[0] ?? ""}`,
      expected: "maps, lists, texts, numbers, true and false",
      hint: "remove cycles, BigInts and the like",
    };
    return { definition: null, problems: [problem], notes: [] };
  }
}
