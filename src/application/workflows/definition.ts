// Definitions as documents: the workflow as a run froze it.

import type { DefinitionDocument } from "../../contracts/definition.ts";
import type { Definition } from "../../domain/definition.ts";
import type { Application } from "../application.ts";
import { findRun, wholeRun } from "../references.ts";

export async function definitionOfRun(app: Application, reference: string): Promise<DefinitionDocument> {
  const { store } = (await app.read()).parts;
  return definitionDocument((await wholeRun(store, await findRun(store, reference))).header.definition);
}

/** As JSON has it: a key without a value is not there, and ids are strings. */
export function definitionDocument(definition: Definition): DefinitionDocument {
  return definition as unknown as DefinitionDocument;
}
