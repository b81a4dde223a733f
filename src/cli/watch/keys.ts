// Keys. Owns: which keys a person pressed, from the bytes of a terminal.

export type Key =
  | "up"
  | "down"
  | "page up"
  | "page down"
  | "enter"
  | "escape"
  | "tab"
  | "backspace"
  | "interrupt"
  | "suspend"
  | { readonly char: string };

const named: Readonly<Record<string, Key>> = {
  "\u001b[A": "up",
  "\u001b[B": "down",
  "\u001bOA": "up",
  "\u001bOB": "down",
  "\u001b[5~": "page up",
  "\u001b[6~": "page down",
  "\r": "enter",
  "\n": "enter",
  "\u001b": "escape",
  "\t": "tab",
  "\u007f": "backspace",
  "\b": "backspace",
  "\u0003": "interrupt",
  "\u001a": "suspend",
};

// An escape sequence is one key; what Pawl does not know is none.
const pieces = new RegExp(`${String.fromCharCode(0x1b)}(?:\\[[0-9;?]*[ -/]*[@-~]|O[A-Za-z])|[^]`, "gu");

export function keysIn(text: string): readonly Key[] {
  return (text.match(pieces) ?? []).flatMap((piece): readonly Key[] => {
    const key = named[piece];
    if (key !== undefined) return [key];
    return /^\p{Cc}/u.test(piece) ? [] : [{ char: piece }];
  });
}
