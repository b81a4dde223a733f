// Plain text. Owns: how text of agents and people is shown without control characters, which could act on a terminal.

/** Colours of others; they say nothing that is lost without them. */
const colours = new RegExp(`${String.fromCharCode(0x1b)}\\[[0-9;]*m`, "g");

/**
 * Controls but for tabs and line ends, C1, marks that change the direction of text or end a line, and invisible tags. In JSON the
 * replacement is an escape, so that a reader gets the character back.
 */
const unsafe = /(?![\t\n])[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

export function plainText(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(colours, "").replace(unsafe, numbered);
}

function numbered(characters: string): string {
  return Array.from({ length: characters.length }, (_, index) => {
    const code = characters.charCodeAt(index).toString(16).padStart(4, "0");
    return `\\u${code}`;
  }).join("");
}
