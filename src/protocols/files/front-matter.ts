// Reads the front matter of a text: the YAML between a first line `---` and the next line that is exactly `---`. A `---` inside a value
// ends nothing. Scalars stay texts, so that a story `007` is not the number 7.

import { isMap, isScalar, isSeq, type ParsedNode, parseDocument } from "yaml";

export type FrontMatter =
  | { readonly kind: "none"; readonly body: string }
  | { readonly kind: "broken"; readonly why: string; readonly body: string }
  | { readonly kind: "read"; readonly fields: Readonly<Record<string, Field>>; readonly body: string };

/** A value as it is written: a word, a list of words, or anything else. */
export type Field =
  | { readonly kind: "word"; readonly text: string }
  | { readonly kind: "list"; readonly items: readonly string[] }
  | { readonly kind: "other"; readonly what: string };

const largestBlock = 64 * 1024;

export function readFrontMatter(source: string): FrontMatter {
  const text = source.startsWith("\uFEFF") ? source.slice(1) : source;
  const begin = /^(?:[ \t]*\r?\n)*---[ \t]*(?:\r?\n|$)/.exec(text);
  if (begin === null) return { kind: "none", body: text };
  const rest = text.slice(begin[0].length);
  const end = /^---[ \t]*(?:\r?\n|$)/m.exec(rest);
  if (end === null) return broken("its front matter has no end: a line that is exactly --- is missing", rest);
  const body = rest.slice(end.index + end[0].length);
  const block = rest.slice(0, end.index);
  if (block.length > largestBlock) return broken(`its front matter is larger than ${largestBlock / 1024} KiB`, body);
  return parsed(block.replaceAll("\r\n", "\n"), body);
}

function parsed(block: string, body: string): FrontMatter {
  const document = parseDocument(block, { schema: "failsafe", prettyErrors: false, logLevel: "silent" });
  const [error] = document.errors;
  if (error !== undefined) return broken(`its front matter is not YAML: ${sentence(error, block)}`, body);
  const { contents } = document;
  if (contents === null) return { kind: "read", fields: {}, body };
  if (!isMap(contents)) return broken("its front matter has no keys", body);
  const fields = contents.items.map(({ key, value }): [string, Field] => [
    (wordOf(key) ?? "").trim().toLowerCase(),
    fieldOf(value),
  ]);
  const twice = fields.find(([key], index) => fields.findIndex(([other]) => other === key) < index);
  if (twice !== undefined) return broken(`its front matter has "${twice[0]}" twice`, body);
  return { kind: "read", fields: Object.fromEntries(fields), body };
}

/** The line in the file: the front matter begins after the first one. */
function sentence(
  error: { readonly code: string; readonly message: string; readonly pos: [number, number] },
  block: string,
): string {
  const line = block.slice(0, error.pos[0]).split("\n").length + 1;
  if (error.code === "DUPLICATE_KEY") return `line ${line}: a key is there twice`;
  return `line ${line}: ${error.message}`;
}

function fieldOf(node: ParsedNode | null): Field {
  const word = wordOf(node);
  if (word !== null) return { kind: "word", text: word };
  if (!isSeq(node)) return { kind: "other", what: isMap(node) ? "a map" : "an alias" };
  const items = node.items.map(wordOf).filter((item) => item !== null);
  if (items.length < node.items.length) return { kind: "other", what: "a list of lists or maps" };
  return { kind: "list", items };
}

/** null: it is not a scalar. */
function wordOf(node: unknown): string | null {
  if (node === null) return "";
  if (!isScalar(node)) return null;
  return typeof node.value === "string" ? node.value : "";
}

function broken(why: string, body: string): FrontMatter {
  return { kind: "broken", why, body };
}
