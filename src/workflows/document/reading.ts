// A reading. Owns: what is known while one file is read: the document, what was found wrong or left unused so far, and
// which place of the file each lowered step and route came from.

import type { ProtocolFacts } from "../../domain/protocol.ts";
import type { Position, WorkflowDocument } from "./document.ts";
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
}

export function startReading(document: WorkflowDocument, protocols: readonly ProtocolFacts[] = []): Reading {
  return { document, problems: [], notes: [], origins: new Map(), protocols };
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
  const position: Position = text === undefined ? reading.document.at(path) : reading.document.locate(path, text);
  reading.problems.push({ severity, ...position, path: formatPath(path), message, expected, hint });
}
