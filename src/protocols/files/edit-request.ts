// Reads an edit file that an agent wrote, whatever is in it. The engine decides whether the edits are allowed.

import type { EditOperation, EditRequest } from "../../domain/edit.ts";
import { spanJson } from "../../prompts/json.ts";
import { fits } from "../../prompts/plaintext.ts";
import { foundAt, Lines, skipSpace, withoutMark } from "../files/json-places.ts";
import { OperationReader, Unreadable } from "./edit-operation.ts";

const maxBytes = 1_048_576;
const maxOperations = 100;
const maxNotes = 30;
const maxProblemsShown = 5;

/** Never throws. For an unreadable file it returns a sentence that tells the agent what to write instead. */
export function readEdits(text: string): EditRequest {
  try {
    return readList(listIn(valueIn(text)));
  } catch (error) {
    if (error instanceof Unreadable) return { unreadable: error.message };
    throw error;
  }
}

function valueIn(text: string): unknown {
  if (!fits(text, maxBytes)) throw new Unreadable("the file is larger than 1 MB; write only the operations");
  const plain = withoutMark(text);
  const opening = /^\s*(?:(?:`{3,}|~{3,})[^\S\n]*(?:json[c5]?)?\s*)?/i.exec(plain)?.[0] ?? "";
  const start = skipSpace(plain, opening.length);
  if (plain.slice(start).trim() === "") throw new Unreadable("the file is empty; write a JSON array of operations");
  const span = spanJson(plain, start);
  if (!span.ok) throw new Unreadable(notJson(plain, span.at, span.expected));
  const rest = /^\s*(?:(?:`{3,}|~{3,})\s*)?/.exec(plain.slice(span.end))?.[0] ?? "";
  const end = span.end + rest.length;
  if (end < plain.length) throw new Unreadable(notJson(plain, end, "the end of the file"));
  return JSON.parse(plain.slice(start, span.end));
}

function notJson(text: string, at: number, expected: string): string {
  const place = new Lines(text).placeOf(at).replace(":", ", column ");
  const where = `line ${place}: expected ${expected}, found ${foundAt(text, at)}`;
  return `the file is not valid JSON at ${where}; write one JSON array of operations, without comments and trailing commas`;
}

/** An array, a single operation, or an object around an array. */
function listIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== "object" || value === null)
    throw new Unreadable("the file must have a JSON array of operations, each an object with `operation` and `reason`");
  const around = new Map(Object.entries(value));
  const inside = around.get("operations") ?? around.get("edits");
  return Array.isArray(inside) ? inside : [value];
}

function readList(list: readonly unknown[]): EditRequest {
  if (list.length > maxOperations)
    throw new Unreadable(`there are ${list.length} operations; at most ${maxOperations} are read from one file`);
  const operations: EditOperation[] = [];
  const notes: string[] = [];
  const problems: string[] = [];
  for (const [index, value] of list.entries()) {
    const where = list.length === 1 ? "" : `operation ${index + 1}: `;
    const reader = new OperationReader(value);
    try {
      operations.push(reader.read());
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      problems.push(`operation ${index + 1}: ${error.message}`);
    }
    notes.push(...reader.notes.map((note) => `${where}${note}`));
  }
  if (problems.length === 0) return { operations, notes: limited(notes) };
  const more = problems.length - maxProblemsShown;
  const shown = problems.slice(0, maxProblemsShown).join("\n");
  return { unreadable: more > 0 ? `${shown}\nand ${more} more` : shown };
}

function limited(notes: readonly string[]): readonly string[] {
  if (notes.length <= maxNotes) return notes;
  return [...notes.slice(0, maxNotes - 1), `and ${notes.length - maxNotes + 1} more notes`];
}
