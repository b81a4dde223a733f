// Text of agents with nothing hidden in it. Owns: which characters act on the eye without being seen (controls, marks that turn the
// direction of text, invisible tags), and the words that stand for them.

/**
 * Controls, C1, marks of direction, line ends of Unicode, everything that Unicode lets a font leave out, blank letters, half characters.
 * Within an emoji, what joins its parts is seen by what it makes of them.
 */
const hidden =
  /(?:(?<!\p{Extended_Pictographic})\ufe0f|(?<!\p{Extended_Pictographic}\ufe0f?)\u200d|\u200d(?!\p{Extended_Pictographic})|(?!\u200d|\ufe0f)[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\u061c\u2028-\u202e\u2066-\u2069\u200e\u200f\u2800\ufff9-\ufffb])/u;
const everyHidden = new RegExp(hidden, "gu");
const everyHiddenButTabs = new RegExp(`(?!\\t)${hidden.source}`, "gu");

export interface TextPiece {
  readonly text: string;
  /** It stands for a character that cannot be seen. */
  readonly isMark: boolean;
}

/** `keepsTabs`: in a text a tab can be seen, in a name it cannot. */
export function visiblePieces(text: string, keepsTabs = true): readonly TextPiece[] {
  if (!hidden.test(text)) return text === "" ? [] : [{ text, isMark: false }];
  const pieces: TextPiece[] = [];
  let at = 0;
  for (const { 0: found, index } of text.matchAll(keepsTabs ? everyHiddenButTabs : everyHidden)) {
    if (index > at) pieces.push({ text: text.slice(at, index), isMark: false });
    pieces.push({ text: markOf(found), isMark: true });
    at = index + found.length;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), isMark: false });
  return pieces;
}

/** The same as one string, for names and labels. */
export function visibleText(text: string): string {
  return visiblePieces(text, false)
    .map((piece) => piece.text)
    .join("");
}

/** A text that is shown in one line: a line end is a space. */
export function visibleLine(text: string): string {
  return visibleText(text.replaceAll(/[\t\n\r ]+/g, " "));
}

const names: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/** `\r`, `\x1b` for a control of ASCII, `U+202E` for all others. */
function markOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code < 0x20 || code === 0x7f) return names[character] ?? `\\x${hex.padStart(2, "0")}`;
  return `U+${hex.toUpperCase().padStart(4, "0")}`;
}
