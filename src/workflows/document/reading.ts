// A reading. Owns: what is known while one file is read: the document, what was found wrong or left unused so far, and
// which place of the file each lowered step and route came from.

import type { AgentDefinition } from "../../domain/definition.ts";
import type { Include, Inclusion } from "../../domain/include.ts";
import type { ProtocolFacts } from "../../domain/protocol.ts";
import type { Schedule } from "../../domain/schedule.ts";
import type { WorkflowDocument } from "./document.ts";
import { formatPath, type Path, type Problem } from "./problem.ts";

export interface Reading {
  readonly document: WorkflowDocument;
  readonly problems: Problem[];
  /** Fields that were understood and have no effect here, in words. */
  readonly notes: string[];
  /** Steps and routes, by identity, with the path that they were written at. */
  readonly origins: Map<object, Path>;
  /** Protocols that a file may name. */
  readonly protocols: readonly ProtocolFacts[];
  /** Reads a workflow that a file includes. */
  readonly find: FindWorkflow;
  readonly included: Included;
  /** When the file says that it is started; null: it does not. */
  schedule: Schedule | null;
}

/** The text of the workflow that a file names, or what to write instead. */
export type FindWorkflow = (
  name: string,
  from: string,
) =>
  | { readonly file: string; readonly text: string; readonly roleFolder: string }
  | { readonly missing: string; readonly hint: string };

/** What included files bring along, besides their steps. */
interface Included {
  /** One could not be opened: what the whole needs cannot be checked. */
  isBroken: boolean;
  readonly mounts: Mount[];
  /** By the id of each include, the id of its first step. */
  readonly firsts: Map<string, string>;
  readonly agents: AgentDefinition[];
  readonly includes: Record<string, Include>;
  readonly context: Record<string, string>;
}

/** An included file: everything below `path` stands in `document`. */
export interface Mount {
  readonly path: Path;
  readonly document: WorkflowDocument;
  readonly inclusion: Inclusion;
  /** Its declared outputs with their names in the context. */
  readonly declared: readonly (readonly [string, string])[];
}

export function startReading(
  document: WorkflowDocument,
  protocols: readonly ProtocolFacts[] = [],
  find: FindWorkflow = (name) => ({
    missing: `there is no workflow "${name}" to include`,
    hint: "only a workflow that is a file can include another",
  }),
): Reading {
  const included = { isBroken: false, mounts: [], firsts: new Map(), agents: [], includes: {}, context: {} };
  return { document, problems: [], notes: [], origins: new Map(), protocols, find, included, schedule: null };
}

/** The innermost included file that a path leads into; null: it stands in the file itself. */
export function mountAt({ included }: Reading, path: Path): Mount | null {
  const holds = (mount: Mount) => mount.path.every((part, index) => part === path[index]);
  return included.mounts.filter(holds).toSorted((left, right) => right.path.length - left.path.length)[0] ?? null;
}

export interface Finding {
  readonly message: string;
  readonly expected: string;
  readonly hint: string;
  /** Point at this text inside the value, not at its beginning. */
  readonly text?: string;
}

export function refuse(reading: Reading, path: Path, finding: Finding): void {
  report(reading, "error", path, finding);
}

export function warn(reading: Reading, path: Path, finding: Finding): void {
  report(reading, "warning", path, finding);
}

export function note(reading: Reading, text: string): void {
  if (!reading.notes.includes(text)) reading.notes.push(text);
}

/** Remembers where a step or a route was written, so that a later check can point there. */
export function from<T extends object>(reading: Reading, path: Path, thing: T): T {
  reading.origins.set(thing, path);
  return thing;
}

function report(reading: Reading, severity: Problem["severity"], path: Path, finding: Finding): void {
  const { message, expected, hint, text } = finding;
  const mount = mountAt(reading, path);
  const document = mount?.document ?? reading.document;
  const place = mount === null ? path : path.slice(mount.path.length);
  const position = text === undefined ? document.at(place) : document.locate(place, text);
  const file = mount === null ? {} : { file: mount.document.file };
  reading.problems.push({ severity, ...file, ...position, path: formatPath(path), message, expected, hint });
}
