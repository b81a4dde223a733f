// Colours of a terminal as classes. Owns: reading SGR sequences of a line into pieces with a style, one of 16 colours each. Links of
// terminals (OSC 8) become their text; every other control character is shown and does nothing.

export interface Span {
  readonly text: string;
  /** Names of classes; empty: plain. */
  readonly style: string;
}

/** What is switched on; it holds until it is switched off, over the ends of lines. */
export interface SgrState {
  readonly fg: number | null;
  readonly bg: number | null;
  readonly marks: readonly Mark[];
}

type Mark = "bold" | "faint" | "italic" | "underline" | "inverse" | "strike";

export const plainState: SgrState = { fg: null, bg: null, marks: [] };

const escape = "\u001b";
const sequence = new RegExp(
  [
    `${escape}\\[([0-9;:]*)m`,
    `${escape}\\]8;[^\\u0007${escape}]*(?:\\u0007|${escape}\\\\)`,
    "[\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ufeff\\ufff9-\\ufffb]",
  ].join("|"),
  "g",
);

export function readSgr(line: string, before: SgrState): { readonly spans: readonly Span[]; readonly state: SgrState } {
  const spans: Span[] = [];
  let state = before;
  let at = 0;
  const add = (text: string, style: string) => {
    if (text !== "") spans.push({ text, style });
  };
  sequence.lastIndex = 0;
  // Not `matchAll`: a log may grow by ten thousand lines a second, and that would make another expression for each.
  for (let found = sequence.exec(line); found !== null; found = sequence.exec(line)) {
    add(line.slice(at, found.index), styleOf(state));
    at = found.index + found[0].length;
    if (found[1] !== undefined) state = after(state, found[1]);
    else if (found[0] === "\t") add("    ", styleOf(state));
    else if (found[0].length === 1) add(visible(found[0]), "ansi-control");
  }
  add(line.slice(at), styleOf(state));
  return { spans, state };
}

/** `^G` for a bell; a mark that changes the direction of text by its number. Fonts have no signs for either. */
function visible(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return `^${String.fromCharCode(0x40 + code)}`;
  return code === 0x7f ? "^?" : `\\u${code.toString(16).padStart(4, "0")}`;
}

function styleOf({ fg, bg, marks }: SgrState): string {
  if (fg === null && bg === null && marks.length === 0) return "";
  if (bg === null && marks.length === 0) return `ansi-fg-${fg}`;
  const colours = [...(fg === null ? [] : [`ansi-fg-${fg}`]), ...(bg === null ? [] : [`ansi-bg-${bg}`])];
  return [...colours, ...marks.map((mark) => `ansi-${mark}`)].join(" ");
}

const switchedOn: Readonly<Record<number, Mark>> = {
  1: "bold",
  2: "faint",
  3: "italic",
  4: "underline",
  7: "inverse",
  9: "strike",
};
const switchedOff: Readonly<Record<number, readonly Mark[]>> = {
  22: ["bold", "faint"],
  23: ["italic"],
  24: ["underline"],
  27: ["inverse"],
  29: ["strike"],
};

function after(before: SgrState, parameters: string): SgrState {
  // Most have one code.
  const only = Number(parameters);
  if (!Number.isNaN(only)) return afterCode(before, only);
  const codes = parameters.split(/[;:]/).map(Number);
  let state = before;
  for (let i = 0; i < codes.length; i += 1) {
    const code = codes[i] ?? 0;
    if (code === 38 || code === 48) {
      const { colour, length } = wideColour(codes.slice(i + 1));
      if (colour !== null) state = code === 38 ? { ...state, fg: colour } : { ...state, bg: colour };
      i += length;
    } else state = afterCode(state, code);
  }
  return state;
}

function afterCode(state: SgrState, code: number): SgrState {
  if (code === 0) return plainState;
  const mark = switchedOn[code];
  if (mark !== undefined) return state.marks.includes(mark) ? state : { ...state, marks: [...state.marks, mark] };
  const off = switchedOff[code];
  if (off !== undefined) return { ...state, marks: state.marks.filter((each) => !off.includes(each)) };
  if (code >= 30 && code <= 37) return { ...state, fg: code - 30 };
  if (code === 39) return { ...state, fg: null };
  if (code >= 40 && code <= 47) return { ...state, bg: code - 40 };
  if (code === 49) return { ...state, bg: null };
  if (code >= 90 && code <= 97) return { ...state, fg: code - 82 };
  return code >= 100 && code <= 107 ? { ...state, bg: code - 92 } : state;
}

/** `5;N` of 256 colours, or `2;R;G;B`: the nearest of the 16 that have a class. */
function wideColour(codes: readonly number[]): { readonly colour: number | null; readonly length: number } {
  const [form, a = 0, b = 0, c = 0] = codes;
  if (form === 2) return { colour: nearest(a, b, c), length: 4 };
  if (form !== 5) return { colour: null, length: 1 };
  if (a < 16) return { colour: a, length: 2 };
  if (a >= 232) return { colour: nearest(...grey(a)), length: 2 };
  const cube = a - 16;
  const level = (value: number) => (value === 0 ? 0 : 55 + value * 40);
  const rgb = [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6] as const;
  return { colour: nearest(level(rgb[0]), level(rgb[1]), level(rgb[2])), length: 2 };
}

function grey(code: number): readonly [number, number, number] {
  const level = 8 + (code - 232) * 10;
  return [level, level, level];
}

function nearest(red: number, green: number, blue: number): number {
  const most = Math.max(red, green, blue);
  if (most - Math.min(red, green, blue) < 40) return most < 64 ? 0 : most < 144 ? 8 : most < 224 ? 7 : 15;
  const isOn = (value: number) => value > most / 2;
  const base = Number(isOn(red)) + 2 * Number(isOn(green)) + 4 * Number(isOn(blue));
  return most > 192 ? base + 8 : base;
}
