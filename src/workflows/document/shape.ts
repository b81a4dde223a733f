// What the published schema says about one place of a document: its keys, its values in words, its purpose.
// Messages are made from the same text that editors show, so the two cannot differ.

import type { Path } from "./problem.ts";

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface Shape {
  /** The fields that may stand here. */
  readonly keys: readonly string[];
  /** What may stand here, in words. */
  readonly expected: string;
  /** What it is for; empty where the schema says nothing. */
  readonly purpose: string;
}

/** Thousands of mistakes in one place ask for the same shape. */
const shapes = new WeakMap<JsonSchema, Map<string, Shape>>();

export function shapeAt(schema: JsonSchema, path: Path): Shape {
  // The items of a list have one shape.
  const place = path.map((part) => (typeof part === "number" ? 0 : part)).join("\n");
  const known = shapes.get(schema) ?? new Map<string, Shape>();
  shapes.set(schema, known);
  const shape = known.get(place) ?? findShape(schema, path);
  // Keys of an author are as many as an author writes.
  if (known.size < 1_000) known.set(place, shape);
  return shape;
}

function findShape(schema: JsonSchema, path: Path): Shape {
  let described = schema;
  let nodes = branches(schema, schema);
  for (const part of path) {
    const inner = nodes.flatMap((node) => child(node, part));
    described = inner.find((node) => typeof node.description === "string") ?? inner[0] ?? {};
    nodes = inner.flatMap((node) => branches(schema, node));
  }
  const own = nodes.find((node) => typeof node.description === "string");
  return {
    keys: [...new Set(nodes.flatMap((node) => Object.keys(record(node.properties))))],
    expected: [...new Set(nodes.map(describe))].join(", or "),
    purpose: textOf(described.description) || textOf(own?.description),
  };
}

/** A node without references and alternatives: everything that it may be. */
function branches(root: JsonSchema, node: JsonSchema): JsonSchema[] {
  if (typeof node.$ref === "string") {
    const name = node.$ref.split("/").at(-1) ?? "";
    return branches(root, record(record(root.$defs)[name]));
  }
  const alternatives = node.anyOf ?? node.oneOf ?? node.allOf;
  return Array.isArray(alternatives) ? alternatives.flatMap((each) => branches(root, record(each))) : [node];
}

function child(node: JsonSchema, part: string | number): JsonSchema[] {
  if (typeof part === "number") return isRecord(node.items) ? [node.items] : [];
  const properties = record(node.properties);
  const field = Object.hasOwn(properties, part) ? properties[part] : node.additionalProperties;
  return isRecord(field) ? [field] : [];
}

function describe(node: JsonSchema): string {
  if (Array.isArray(node.enum)) return node.enum.join(", ");
  if ("const" in node) return String(node.const);
  switch (node.type) {
    case "string":
      return typeof node.pattern === "string" ? 'a time such as "45m"' : "a text";
    case "integer":
    case "number":
      return `${node.type === "integer" ? "a whole number" : "a number"}${rangeOf(node)}`;
    case "boolean":
      return "true or false";
    case "array":
      return "a list";
    case "null":
      return "nothing";
    case "object": {
      const keys = Object.keys(record(node.properties));
      return keys.length > 0 ? `a map with ${keys.join(", ")}` : "a map";
    }
    default:
      return "any value";
  }
}

/** Limits that only say what a computer can count are not told. */
function rangeOf({ minimum, maximum, exclusiveMinimum }: JsonSchema): string {
  const told = (limit: unknown) => typeof limit === "number" && Math.abs(limit) < 1e9;
  const from = told(minimum)
    ? `, ${String(minimum)} or more`
    : told(exclusiveMinimum)
      ? `, more than ${String(exclusiveMinimum)}`
      : "";
  if (!told(maximum)) return from;
  return told(minimum) ? `, ${String(minimum)} to ${String(maximum)}` : `${from}, at most ${String(maximum)}`;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function isRecord(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function record(value: unknown): JsonSchema {
  return isRecord(value) ? value : {};
}
