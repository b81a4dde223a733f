// Renames what an included file names, so that nothing in it meets a name of the file that includes it: its steps, agents and keys get
// the id of the include before their own; an input becomes what was given for it, an output the key that it was given.

import { contextKey, type Inclusion } from "../../domain/include.ts";
import { foldValue } from "../../domain/route.ts";
import { type Placeholder, placeholdersIn } from "../../domain/template.ts";
import type { Path } from "../document/problem.ts";
import type { StepInput } from "../format/step-schema.ts";
import type { Binding } from "./inputs.ts";

export interface Names {
  readonly inclusion: Inclusion;
  /** The ids of the file's steps, in bodies too. */
  readonly steps: readonly string[];
  readonly bindings: ReadonlyMap<string, Binding>;
  /** Agents of the including file that stand in for those of this one. */
  readonly agents: Readonly<Record<string, string>>;
  /** Keys that are the same in every file: those of every run and of its protocol. */
  readonly shared: readonly string[];
  /** An input was given as a text, and the place needs a key. */
  readonly refuseText: (path: Path, key: string) => void;
}

/** Fields that hold the id of a step, or a list of them. */
const stepFields = new Set(["id", "back_to", "go_to", "before", "same_as", "insert", "follows"]);
/** Fields whose texts have no keys of the context in them, or are names of another kind. */
const plainFields = new Set([
  "command",
  "checks",
  "integrate",
  "produces",
  "decide",
  "title",
  "workflow",
  "reader",
  "signal",
  "lock",
]);

export function renamedStep(step: StepInput, names: Names, path: Path): StepInput {
  return renamed(step, names, path) as StepInput;
}

export function renamedAgent({ inclusion, agents }: Names, agent: string): string {
  return Object.hasOwn(agents, agent) ? (agents[agent] ?? agent) : `${inclusion.id}.${agent}`;
}

/** The name in the including file of a key that a step of this file sets or reads. */
function renamedKey(names: Names, key: string): Binding {
  const folded = foldValue(key);
  if (names.shared.includes(folded)) return { key };
  return names.bindings.get(folded) ?? { key: contextKey({ include: names.inclusion }, folded) };
}

function renamed(value: unknown, names: Names, path: Path): unknown {
  if (typeof value === "string") return renamedTemplate(value, names);
  if (Array.isArray(value)) return value.map((item, index) => renamed(item, names, [...path, index]));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([field, item]) => [
    field,
    renamedField(field, item, names, [...path, field]),
  ]);
  return Object.fromEntries(entries);
}

function renamedField(field: string, value: unknown, names: Names, path: Path): unknown {
  if (plainFields.has(field)) return value;
  const prefix = (text: unknown) => (typeof text === "string" ? `${names.inclusion.id}.${text}` : text);
  if (stepFields.has(field)) return Array.isArray(value) ? value.map(prefix) : prefix(value);
  if (typeof value === "string") {
    if (field === "agent") return renamedAgent(names, value);
    if (field === "repeat_for" || field === "each") return keyAt(names, value, path);
    if (field === "of") return renamedSaid(names, value) ?? value;
  }
  if (field === "if" || field === "on" || field === "options") return renamedMap(field, value, names, path);
  if (field === "outputs") return renamedOutputs(value, names);
  if (field === "agents" && Array.isArray(value)) return value.map((agent) => renamedAgent(names, String(agent)));
  if (field === "agents" && typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([its, agent]) => [its, renamedAgent(names, String(agent))]));
  return renamed(value, names, path);
}

/** Maps whose keys are words: those of `if` are keys of the context, unless a vote stands below. */
function renamedMap(field: string, value: unknown, names: Names, path: Path): unknown {
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([word, item]: [string, unknown]) => {
    const isVote = typeof item === "object" && item !== null && !Array.isArray(item);
    const key = field === "if" && !isVote ? keyAt(names, word, [...path, word]) : word;
    return [key, renamed(item, names, [...path, word])];
  });
  return Object.fromEntries(entries);
}

function keyAt(names: Names, word: string, path: Path): string {
  const binding = renamedKey(names, word);
  if ("key" in binding) return binding.key;
  names.refuseText(path, word);
  return word;
}

/** Of a workflow that this file includes: which of its outputs it gets, under keys of this file. */
function renamedOutputs(value: unknown, names: Names): unknown {
  const wanted: readonly (readonly [string, unknown])[] = Array.isArray(value)
    ? value.map((key) => [String(key), key])
    : Object.entries(Object(value));
  const ownKey = (key: unknown) => contextKey({ include: names.inclusion }, foldValue(String(key)));
  return Object.fromEntries(wanted.map(([theirs, own]) => [theirs, ownKey(own)]));
}

function renamedTemplate(text: string, names: Names): string {
  let filled = "";
  let from = 0;
  for (const placeholder of placeholdersIn(text)) {
    const value = placeholder.isEscaped ? placeholder.text : renamedPlaceholder(placeholder, names);
    filled += text.slice(from, placeholder.index) + value;
    from = placeholder.index + placeholder.text.length;
  }
  return filled + text.slice(from);
}

function renamedPlaceholder({ key, text }: Placeholder, names: Names): string {
  const said = renamedSaid(names, key);
  const binding = said === null ? (key.includes(".") ? { key } : renamedKey(names, key)) : { key: said };
  return "text" in binding ? binding.text : text.replace(key, () => binding.key);
}

/** What stories of one of its steps said; null: the text names no such thing. */
function renamedSaid({ steps, inclusion }: Names, text: string): string | null {
  const isSaid = text.includes(".*.") || steps.some((step) => text.startsWith(`${step}.`));
  return isSaid ? `${inclusion.id}.${text}` : null;
}
