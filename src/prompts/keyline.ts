// Key lines. Owns: recognising one line `KEY: value` in the forms that agents print. Does not own: what the lines around
// it make of it.

export interface KeyLine {
  /** Folded to lower case. */
  readonly key: string;
  /** The rest of the line. */
  readonly value: string;
  /** What stands before the value, as it was printed. */
  readonly spelling: string;
  /** `KEY:` at the start of the line and nothing else. */
  readonly plain: boolean;
  readonly upper: boolean;
  /** Indented, or an item of a list: inside a longer value it is more likely a part of that value. */
  readonly nested: boolean;
  /** White space or the end of the line follows; without it only a few keys count. */
  readonly spaced: boolean;
}

// Indentation, list mark, heading mark, opening marks, key, closing marks before or after the colon.
const shape =
  /^(\s*)((?:[-*+•]|\d{1,3}[.)])\s+)?(#{1,6}\s+)?([*`]{0,4})([A-Za-z_][A-Za-z0-9_]{0,63})([*`]{0,4})\s?:([*`]{0,4})/;

/** Longer than any honest key with its marks; it keeps the work per line constant. */
const headLength = 160;

export function readKeyLine(line: string): KeyLine | null {
  const head = line.slice(0, headLength);
  if (!head.includes(":")) return null;
  const match = shape.exec(head);
  if (!match) return null;
  const [whole, indent = "", bullet = "", , opening = "", name = "", before = "", after = ""] = match;
  const key = name.toLowerCase();
  // `__proto__` would not be a key of a record but its prototype.
  if (!/[a-z]/.test(key) || key === "__proto__") return null;
  if (!opening && (before || after)) return null;
  const rest = line.slice(whole.length);
  const closed = opening === "" || before !== "" || after !== "";
  return {
    key,
    value: closed ? rest.trim() : withoutClosing(rest.trim(), opening),
    spelling: whole.trim(),
    plain: whole === `${name}:` && name === name.toUpperCase(),
    upper: name === name.toUpperCase(),
    nested: indent !== "" || bullet !== "",
    spaced: rest === "" || /^\s/.test(rest),
  };
}

/** `STATUS: done` in one pair of marks: the closing one belongs to the opening one, not to the value. */
function withoutClosing(value: string, opening: string): string {
  const closing = opening.split("").toReversed().join("");
  return value.endsWith(closing) ? value.slice(0, -closing.length).trimEnd() : value;
}

export interface FenceLine {
  readonly mark: string;
  /** It names a language, so it can only open a block. */
  readonly named: boolean;
}

/** A line that opens or closes a fenced block. */
export function readFenceLine(line: string): FenceLine | null {
  const match = /^\s{0,8}(`{3,}|~{3,})/.exec(line);
  const mark = match?.[1];
  if (!match || mark === undefined) return null;
  const info = line.slice(match[0].length).trim();
  // Three backticks around something on one line are not a block.
  if (info.includes("`")) return null;
  return { mark, named: info !== "" };
}
