// Cells of a terminal. Owns: how wide a text is on a screen, and cutting and wrapping it to a width. A CJK letter or an emoji takes two
// cells, a combining mark none; the length of a string says neither.

let segmenter: Intl.Segmenter | null = null;

/** Made when a text first needs it: that takes 20 ms, and every command imports this file. */
export function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return segmenter.segment(text);
}

/** Every character takes one cell, and is one unit of the string. */
const simple = /^[\x20-\x7e\u00a0-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u21ff\u2500-\u25fc\u270c-\u2727]*$/u;
const nothing = /^[\p{M}\u200b-\u200d\u2060\u00ad]/u;
const wide =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{17000}-\u{18aff}\u{1b000}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}])/u;

export function cellsOf(text: string): number {
  if (simple.test(text)) return text.length;
  let cells = 0;
  for (const { segment } of graphemesOf(text)) cells += cellsOfOne(segment);
  return cells;
}

function cellsOfOne(grapheme: string): number {
  if (nothing.test(grapheme)) return 0;
  return wide.test(grapheme) || grapheme.includes("\ufe0f") ? 2 : 1;
}

/** The text, cut to at most this many cells; what is cut ends in `…`. */
export function fit(text: string, cells: number): string {
  if (cells <= 0) return "";
  // What lies far beyond the edge need not be measured.
  const near = text.length > cells * 16 ? text.slice(0, cells * 16) : text;
  if (near === text && cellsOf(text) <= cells) return text;
  return `${headOf(near, cells - 1)}…`;
}

/** As wide as this many cells exactly. */
export function column(text: string, cells: number): string {
  const shown = fit(text, cells);
  return shown + " ".repeat(Math.max(0, cells - cellsOf(shown)));
}

/** Its end, where the end says more than the beginning, as of a path. */
export function fitEnd(text: string, cells: number): string {
  if (cells <= 0) return "";
  if (cellsOf(text) <= cells) return text;
  const all = [...graphemesOf(text)].map(({ segment }) => segment);
  let used = 1;
  let from = all.length;
  while (from > 0 && used + cellsOfOne(all[from - 1] ?? "") <= cells) {
    from -= 1;
    used += cellsOfOne(all[from] ?? "");
  }
  return `…${all.slice(from).join("")}`;
}

function headOf(text: string, cells: number): string {
  if (simple.test(text)) return text.slice(0, cells);
  let used = 0;
  let end = 0;
  for (const { segment, index } of graphemesOf(text)) {
    used += cellsOfOne(segment);
    if (used > cells) break;
    end = index + segment.length;
  }
  return text.slice(0, end);
}

/** The lines of one line, broken at spaces where there are some. A width that is not finite breaks nothing. */
export function wrap(line: string, cells: number): readonly string[] {
  if (!Number.isFinite(cells) || cellsOf(line) <= cells) return [line];
  const width = Math.max(2, cells);
  const lines: string[] = [];
  let rest = line;
  while (cellsOf(rest) > width) {
    // One character at least, or this would never end.
    const head = headOf(rest, width) || (graphemesOf(rest).containing(0)?.segment ?? rest);
    const space = rest[head.length] === " " ? head.length : head.lastIndexOf(" ");
    const end = space > width / 3 ? space : head.length;
    lines.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).replace(/^ +/, "");
  }
  return rest === "" ? lines : [...lines, rest];
}
