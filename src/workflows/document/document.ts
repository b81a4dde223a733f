// Reads YAML text as plain data that remembers the place of each part. Nothing that a file can contain makes
// it throw, hang or grow: size, depth and aliases have limits.

import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument as parseYaml,
  visit,
  type YAMLMap,
} from "yaml";
import { errorText } from "../../domain/error.ts";
import { foldKey } from "./fold.ts";
import type { Path, Problem } from "./problem.ts";
import { adviceFor } from "./yaml-advice.ts";

interface Position {
  readonly line: number;
  readonly column: number;
}

export interface WorkflowDocument {
  readonly file: string;
  /** The root map, as plain data: maps, lists, texts, numbers, booleans, null. */
  readonly value: Readonly<Record<string, unknown>>;
  /** Where a path stands; for one that does not exist, the deepest part of it that does. Folded keys are found too. */
  at(path: Path): Position;
  /** Where a text first stands inside the value at a path; the value itself if it is not there. */
  locate(path: Path, text: string): Position;
  /** The last key of a path as the file spells it. */
  spelled(path: Path): string;
}

export interface ParsedDocument {
  readonly document: WorkflowDocument | null;
  readonly problems: readonly Problem[];
}

const maxBytes = 1024 * 1024;
const maxDepth = 40;
const maxAliasCount = 100;
/** A file that is not YAML at all gives hundreds; the first ones say it. */
const maxReported = 5;

export function parseDocument(text: string, file: string): ParsedDocument {
  if (text.length > maxBytes || new TextEncoder().encode(text).length > maxBytes) {
    return refused(
      { line: 1, column: 1 },
      "the file is larger than 1 MiB",
      "a workflow file of at most 1 MiB",
      "keep long instructions in role files",
    );
  }
  const lines = new LineCounter();
  try {
    // The parser compares each key with all others of its map.
    const yaml = parseYaml(text, { lineCounter: lines, prettyErrors: false, logLevel: "error", uniqueKeys: false });
    const errors = [...yaml.errors, ...(yaml.errors.length === 0 ? repeatedKeys(yaml) : [])];
    const problems = [...errors.slice(0, maxReported), ...yaml.warnings.slice(0, maxReported)].map((error) =>
      yamlProblem(text, error, positionOf(lines, error.pos[0])),
    );
    if (errors.length > 0) return { document: null, problems: onePerMistake(problems) };
    if (yaml.directives?.yaml.version === "1.1") {
      return refused(
        { line: 1, column: 1 },
        "the file declares YAML 1.1",
        "YAML 1.2",
        "remove the %YAML line: in 1.1 the key `on` means `true`",
      );
    }
    const value: unknown = yaml.toJS({ maxAliasCount });
    const unfit = findUnfit(value, [], new Set());
    if (unfit)
      return refused(
        walkTo(yaml, unfit.path, lines, text).position,
        unfit.message,
        "maps, lists, texts, numbers, true and false",
        unfit.hint,
      );
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return refused(
        { line: 1, column: 1 },
        `the file holds ${kindOf(value)}`,
        "a map with `id`, `agents` and `steps`",
        "start from a bundled workflow file",
      );
    }
    return { document: documentOf(yaml, value as Record<string, unknown>, file, text, lines), problems };
  } catch (error) {
    return aliasOrDepth(error);
  }
}

/** A value in words, for messages. */
export function kindOf(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a map";
  if (typeof value === "string") return value.length > 40 ? "a text" : `the text "${value}"`;
  if (typeof value === "boolean") return `the value ${value}`;
  return typeof value === "number" ? `the number ${value}` : "something else";
}

function documentOf(
  yaml: Document,
  value: Readonly<Record<string, unknown>>,
  file: string,
  text: string,
  lines: LineCounter,
): WorkflowDocument {
  const find = (path: Path) => walkTo(yaml, path, lines, text);
  return {
    file,
    value,
    at: (path) => find(path).position,
    spelled: (path) => find(path).key ?? String(path.at(-1) ?? ""),
    locate(path, needle) {
      const found = find(path);
      const offset = found.range ? text.indexOf(needle, found.range[0]) : -1;
      return found.range && offset >= 0 && offset < found.range[1] ? positionOf(lines, offset) : found.position;
    },
  };
}

interface Found {
  readonly position: Position;
  readonly key: string | null;
  /** Where the value begins and ends in the text; null when the path does not exist. */
  readonly range: readonly [number, number] | null;
}

function walkTo(yaml: Document, path: Path, lines: LineCounter, text: string): Found {
  let node: unknown = yaml.contents;
  let offset = rangeOf(node)?.[0] ?? 0;
  let key: string | null = null;
  for (const part of path) {
    if (isAlias(node)) node = node.resolve(yaml);
    key = null;
    if (isMap(node)) {
      const pair = pairsOf(node).get(String(part));
      if (!pair) return { position: positionOf(lines, offset), key: null, range: null };
      key = keyText(pair);
      offset = rangeOf(pair.key)?.[0] ?? offset;
      node = pair.value;
    } else if (isSeq(node) && typeof part === "number" && part < node.items.length) {
      node = node.items[part];
      offset = rangeOf(node)?.[0] ?? offset;
    } else {
      return { position: positionOf(lines, offset), key: null, range: null };
    }
  }
  return { position: positionOf(lines, offset), key, range: rangeOf(node) ?? [offset, text.length] };
}

type KeyedPair = YAMLMap["items"][number];

/** Each problem looks for its place: a map with thousands of keys is indexed once. */
const indexes = new WeakMap<YAMLMap, ReadonlyMap<string, KeyedPair>>();

/** By key as the file spells it, else by its folded form. */
function pairsOf(map: YAMLMap): ReadonlyMap<string, KeyedPair> {
  const known = indexes.get(map);
  if (known) return known;
  const pairs = new Map<string, KeyedPair>();
  const add = (key: string, pair: KeyedPair) => pairs.has(key) || pairs.set(key, pair);
  for (const pair of map.items) add(keyText(pair), pair);
  for (const pair of map.items) add(foldKey(keyText(pair)), pair);
  indexes.set(map, pairs);
  return pairs;
}

function keyText({ key }: KeyedPair): string {
  return String(isScalar(key) ? key.value : "");
}

function rangeOf(node: unknown): readonly [number, number] | null {
  const range = (node as { range?: [number, number, number] | null } | null)?.range;
  return range ? [range[0], range[1]] : null;
}

function positionOf(lines: LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}

/** Tags can make sets and dates, and an alias can contain itself: no field of the format is either. */
function findUnfit(
  value: unknown,
  path: Path,
  above: Set<unknown>,
): { path: Path; message: string; hint: string } | null {
  if (typeof value === "bigint") return { path, message: "this number is too large", hint: "use a smaller number" };
  if (typeof value !== "object" || value === null) return null;
  if (above.has(value))
    return { path, message: "this part contains itself through an alias", hint: "write the part out" };
  if (path.length >= maxDepth)
    return { path, message: `nested deeper than ${maxDepth} levels`, hint: "flatten the file" };
  const list = Array.isArray(value);
  if (!list && Object.getPrototypeOf(value) !== Object.prototype) {
    return {
      path,
      message: "a tag makes this something else than plain data",
      hint: "remove the tag (the word after `!`)",
    };
  }
  above.add(value);
  for (const [key, item] of Object.entries(value)) {
    const unfit = findUnfit(item, [...path, list ? Number(key) : key], above);
    if (unfit) return unfit;
  }
  above.delete(value);
  return null;
}

function repeatedKeys(yaml: Document) {
  const found: { name: string; code: string; message: string; pos: [number, number] }[] = [];
  visit(yaml, {
    Map(_, map) {
      const seen = new Set<unknown>();
      for (const { key } of map.items) {
        if (!isScalar(key)) continue;
        const at = rangeOf(key)?.[0] ?? 0;
        if (seen.has(key.value))
          found.push({ name: "", code: "DUPLICATE_KEY", message: "Map keys must be unique", pos: [at, at + 1] });
        seen.add(key.value);
      }
    },
  });
  return found;
}

/** One slip gives several errors of the parser; the first that says what happened is enough. */
function onePerMistake(problems: readonly Problem[]): readonly Problem[] {
  const [first] = problems;
  const said = first && !first.message.startsWith("not valid YAML") ? problems.slice(0, 1) : problems;
  return said.filter(({ message }, index) => said.findIndex((other) => other.message === message) === index);
}

function yamlProblem(
  text: string,
  error: { name: string; code: string; message: string; pos: readonly [number, number] },
  position: Position,
): Problem {
  const severity = error.name === "YAMLWarning" ? "warning" : "error";
  return { severity, ...position, path: "", ...adviceFor(text, error) };
}

function aliasOrDepth(error: unknown): ParsedDocument {
  const start = { line: 1, column: 1 };
  const message = errorText(error);
  if (error instanceof RangeError)
    return refused(start, "nested too deeply", `at most ${maxDepth} levels`, "flatten the file");
  if (message.includes("Excessive alias count")) {
    return refused(
      start,
      "its aliases (`*name`) would grow without measure",
      `at most ${maxAliasCount} uses of aliases`,
      "write the repeated parts out",
    );
  }
  return refused(
    start,
    `not valid YAML: ${message}`,
    "valid YAML 1.2",
    "an alias `*name` needs its anchor `&name` before it",
  );
}

function refused(position: Position, message: string, expected: string, hint: string): ParsedDocument {
  return { document: null, problems: [{ severity: "error", ...position, path: "", message, expected, hint }] };
}
