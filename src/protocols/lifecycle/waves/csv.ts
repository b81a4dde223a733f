// Reads and writes CSV. Owns: RFC 4180 as it is written, and both spellings of a quote inside of quotes (`""`, `\"`) as they are read.

export type CsvRead =
  | { readonly kind: "rows"; readonly rows: readonly Row[] }
  /** It cannot be told what the text means. */
  | { readonly kind: "unreadable"; readonly why: string };

export interface Row {
  readonly fields: readonly string[];
  /** The 1-based line that it begins on. */
  readonly line: number;
}

/** Every field is quoted, so that no reader guesses its type. */
export function csvText(rows: readonly (readonly string[])[]): string {
  return rows.map((fields) => `${fields.map(quoted).join(",")}\r\n`).join("");
}

function quoted(field: string): string {
  return `"${field.replaceAll('"', '""')}"`;
}

/** All rows have as many fields as the first. Empty lines are no rows. */
export function readCsv(text: string): CsvRead {
  const plain = text.replace(/^\uFEFF/, "");
  const doubled = rowsOf(plain, "doubled");
  if (doubled.kind === "rows") return doubled;
  const escaped = rowsOf(plain, "escaped");
  return escaped.kind === "rows" ? escaped : doubled;
}

type Quotes = "doubled" | "escaped";

function rowsOf(text: string, quotes: Quotes): CsvRead {
  const rows: Row[] = [];
  let at = 0;
  let line = 1;
  while (at < text.length) {
    const begin = line;
    const fields: string[] = [];
    for (let more = true; more; ) {
      const field = text[at] === '"' ? quotedField(text, at, quotes) : plainField(text, at);
      if (field === null) return { kind: "unreadable", why: `line ${begin}: a quoted field does not end` };
      line += linesIn(text.slice(at, field.end));
      fields.push(field.value);
      const after = text[field.end];
      if (after !== undefined && !isEnd(after))
        return { kind: "unreadable", why: `line ${line}: ${JSON.stringify(after)} follows a closing quote` };
      more = after === ",";
      at = field.end + (more ? 1 : lengthOfBreak(text, field.end));
      if (!more && after !== undefined) line += 1;
    }
    if (fields.length === 1 && fields[0]?.trim() === "") continue;
    const [first] = rows;
    if (first !== undefined && first.fields.length !== fields.length)
      return {
        kind: "unreadable",
        why: `line ${begin}: ${fields.length} fields, and ${first.fields.length} in the head`,
      };
    rows.push({ fields, line: begin });
  }
  return { kind: "rows", rows };
}

interface Field {
  readonly value: string;
  readonly end: number;
}

function plainField(text: string, from: number): Field {
  let end = from;
  while (end < text.length && !isEnd(text[end] ?? "")) end += 1;
  return { value: text.slice(from, end), end };
}

/** Null: its closing quote is missing. */
function quotedField(text: string, from: number, quotes: Quotes): Field | null {
  const parts: string[] = [];
  let begin = from + 1;
  for (let at = begin; at < text.length; at += 1) {
    const here = text[at];
    const next = text[at + 1];
    const isEscape = quotes === "escaped" && here === "\\" && (next === '"' || next === "\\");
    const isDouble = here === '"' && next === '"';
    if (isEscape || isDouble) {
      parts.push(text.slice(begin, at));
      at += 1;
      begin = at;
    } else if (here === '"') return { value: parts.join("") + text.slice(begin, at), end: at + 1 };
  }
  return null;
}

function isEnd(char: string): boolean {
  return char === "," || char === "\n" || char === "\r";
}

function lengthOfBreak(text: string, at: number): number {
  return text[at] === "\r" && text[at + 1] === "\n" ? 2 : 1;
}

function linesIn(text: string): number {
  return text.split(/\r\n|\n|\r/).length - 1;
}
