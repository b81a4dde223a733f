// Reads the seven operations of an edit file as agents write them. Obvious misspellings are accepted, each with a note.

import type { EditOperation, NewStep } from "../../domain/edit.ts";
import { isSafeId, type StepId, stepId, stepName } from "../../domain/ids.ts";
import { asIdentifier, cleanText, cutEnd, fits } from "../../prompts/plaintext.ts";

/** An operation that cannot be read. The message is for the agent. */
export class Unreadable extends Error {}

/** The names of the operations, in the order in which they are explained to agents. */
export const operationWords = [
  "add_after",
  "add_before",
  "split",
  "skip",
  "reorder",
  "edit_description",
  "restart",
] as const;

export type OperationWord = (typeof operationWords)[number];

const maxTextBytes = 16_384;
/** The reason of an operation without one. */
export const noReason = "no reason given";

/** The documented name of a field, then the names that agents write instead. */
const spellings = {
  operation: ["operation", "op"],
  reason: ["reason"],
  target: ["target_step_id", "step_id", "target", "target_step"],
  newSteps: ["new_steps", "replacement_steps", "steps"],
  replacementSteps: ["replacement_steps", "new_steps", "steps"],
  order: ["new_order", "order"],
  description: ["new_description", "description"],
  type: ["type", "step_type", "name"],
  stepDescription: ["description", "desc", "title"],
} as const;

type Fields = ReadonlyMap<string, unknown>;

export class OperationReader {
  readonly notes: string[] = [];
  readonly #value: unknown;

  constructor(value: unknown) {
    this.#value = value;
  }

  read(): EditOperation {
    const fields = this.#fieldsOf(this.#value, "it must be an object with `operation` and `reason`");
    const word = this.#word(fields);
    const reason = this.#reason(fields);
    switch (word) {
      case "add_after":
        return {
          op: "insert",
          reason,
          after: this.#target(fields, word),
          steps: this.#steps(fields, "newSteps", word),
        };
      case "add_before":
        return {
          op: "insert",
          reason,
          before: this.#target(fields, word),
          steps: this.#steps(fields, "newSteps", word),
        };
      case "split": {
        const steps = this.#steps(fields, "replacementSteps", word);
        return { op: "replace", reason, step: this.#target(fields, word), steps };
      }
      case "skip":
        return { op: "skip", reason, step: this.#target(fields, word) };
      case "reorder":
        return { op: "reorder", reason, order: this.#order(fields) };
      case "edit_description":
        return { op: "amend", reason, step: this.#target(fields, word), description: this.#description(fields, word) };
      case "restart":
        return {
          op: "restart",
          reason,
          step: this.#target(fields, word),
          description: this.#description(fields, word),
        };
    }
  }

  #word(fields: Fields): OperationWord {
    const given = this.#take(fields, spellings.operation);
    const folded = typeof given === "string" ? snake(given.trim()) : "";
    const word = operationWords.find((known) => known === folded);
    if (word === undefined)
      throw new Unreadable(`${unknownOperation(given)}; write one of ${operationWords.join(", ")}`);
    if (word !== given) this.notes.push(`read ${JSON.stringify(given)} as ${word}`);
    return word;
  }

  #reason(fields: Fields): string {
    const given = this.#take(fields, spellings.reason);
    const reason = typeof given === "string" ? this.#clean(given) : "";
    if (reason === "") this.notes.push("it has no reason; say why in `reason`");
    return reason === "" ? noReason : reason;
  }

  #target(fields: Fields, word: OperationWord): StepId {
    const given = this.#take(fields, spellings.target);
    if (given === undefined)
      throw new Unreadable(`${word} needs \`target_step_id\`, the id of a step such as "step-005"`);
    return this.#id(given, "`target_step_id`");
  }

  #order(fields: Fields): readonly StepId[] {
    const given = this.#take(fields, spellings.order);
    if (!Array.isArray(given) || given.length === 0)
      throw new Unreadable("reorder needs `new_order`, an array of the ids of all pending steps in their new order");
    return given.map((id: unknown) => this.#id(id, "each of `new_order`"));
  }

  #id(given: unknown, what: string): StepId {
    const id = typeof given === "string" ? given.trim() : "";
    if (!isSafeId(id))
      throw new Unreadable(`${what} must be the id of a step, such as "step-005"; it is ${shown(given)}`);
    return stepId(id);
  }

  #description(fields: Fields, word: OperationWord): string {
    const given = this.#take(fields, spellings.description);
    const description = typeof given === "string" ? this.#clean(given) : "";
    if (description === "")
      throw new Unreadable(`${word} needs \`new_description\`, the text that the step has from now on`);
    return description;
  }

  #steps(fields: Fields, kind: "newSteps" | "replacementSteps", word: OperationWord): readonly NewStep[] {
    const given = this.#take(fields, spellings[kind]);
    const name = spellings[kind][0];
    const list: readonly unknown[] = Array.isArray(given) ? given : given === undefined ? [] : [given];
    if (list.length === 0)
      throw new Unreadable(`${word} needs \`${name}\`, an array such as [{"type": "coding", "description": "…"}]`);
    if (!Array.isArray(given)) this.notes.push(`read one step as a list of one in \`${name}\``);
    return list.map((step, index) => this.#step(step, `${name}[${index}]`));
  }

  #step(given: unknown, where: string): NewStep {
    const fields = this.#fieldsOf(given, `${where} must be an object with \`type\` and \`description\``);
    const type = this.#take(fields, spellings.type);
    const name = typeof type === "string" ? type.trim() : "";
    if (!isSafeId(name))
      throw new Unreadable(`${where} needs \`type\`, the type of a step such as "coding"; it is ${shown(type)}`);
    const text = this.#take(fields, spellings.stepDescription);
    if (text !== undefined && text !== null && typeof text !== "string")
      throw new Unreadable(`${where}: \`description\` must be a string; it is ${shown(text)}`);
    const description = this.#clean(text ?? "");
    if (description === "") this.notes.push(`${where} has no description; it gets the one that ${name} always has`);
    return { name: stepName(name), description };
  }

  /** Keys in snake_case. If two keys mean the same field, the documented spelling wins. */
  #fieldsOf(value: unknown, otherwise: string): Fields {
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Unreadable(otherwise);
    const entries = Object.entries(value);
    const folded = entries.map(([key, field]): [string, unknown] => [snake(key), field]);
    for (const [index, [key]] of entries.entries()) {
      const name = folded[index]?.[0] ?? key;
      if (name !== key && key.length < 80) this.notes.push(`read ${JSON.stringify(key)} as ${name}`);
    }
    return new Map([...folded, ...entries]);
  }

  #take(fields: Fields, [name, ...others]: readonly [string, ...string[]]): unknown {
    if (fields.has(name)) return fields.get(name);
    const other = others.find((candidate) => fields.has(candidate));
    if (other === undefined) return undefined;
    this.notes.push(`read \`${other}\` as \`${name}\``);
    return fields.get(other);
  }

  #clean(text: string): string {
    const cleaned = cleanText(text).text.trim();
    if (fits(cleaned, maxTextBytes)) return cleaned;
    this.notes.push("a text was cut to 16 KB");
    return cutEnd(cleaned, maxTextBytes);
  }
}

function unknownOperation(given: unknown): string {
  return given === undefined ? "it does not say its `operation`" : `${shown(given)} is not an operation`;
}

/** `addAfter`, `Add-After` and `add after` are `add_after`. */
function snake(text: string): string {
  return asIdentifier(text.replace(/([a-z0-9])([A-Z])/g, "$1_$2")).toLowerCase();
}

function shown(value: unknown): string {
  if (value === undefined) return "missing";
  const text = JSON.stringify(value).toWellFormed();
  return text.length > 60 ? `${text.slice(0, 60).toWellFormed()}…` : text;
}
