// Reads markdown of agents and people into blocks. Owns: the few forms that questions and notes use. There is no HTML: a tag is text
// like any other, and only http and https become links. It reads each character a few times at most, whatever the text is.

export type Inline =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "strong" | "em"; readonly inside: readonly Inline[] }
  | { readonly kind: "link"; readonly href: string; readonly inside: readonly Inline[] };

export type Block =
  | { readonly kind: "paragraph"; readonly inside: readonly Inline[] }
  | { readonly kind: "heading"; readonly inside: readonly Inline[] }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "quote"; readonly blocks: readonly Block[] }
  | { readonly kind: "list"; readonly isOrdered: boolean; readonly items: readonly (readonly Block[])[] }
  | { readonly kind: "rule" };

const deepest = 6;
const fence = /^ {0,3}(`{3,}|~{3,})/;
const bullet = /^( {0,3})([-*+]|\d{1,9}[.)]) +/;

export function markdownBlocks(text: string, depth = 0): readonly Block[] {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const blocks: Block[] = [];
  let words: string[] = [];
  const endParagraph = () => {
    if (words.length > 0) blocks.push({ kind: "paragraph", inside: markdownInlines(words.join("\n")) });
    words = [];
  };
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? "";
    const taken = depth < deepest ? blockAt(lines, at, depth) : null;
    if (taken !== null) {
      endParagraph();
      blocks.push(taken.block);
      at = taken.next;
      continue;
    }
    if (line.trim() === "") endParagraph();
    else words.push(line.trim());
    at += 1;
  }
  endParagraph();
  return blocks;
}

interface TakenBlock {
  readonly block: Block;
  readonly next: number;
}

function blockAt(lines: readonly string[], at: number, depth: number): TakenBlock | null {
  const line = lines[at] ?? "";
  const heading = /^ {0,3}#{1,6} +(.*)$/.exec(line);
  if (heading !== null)
    return { block: { kind: "heading", inside: markdownInlines((heading[1] ?? "").trim()) }, next: at + 1 };
  const opened = fence.exec(line)?.[1];
  if (opened !== undefined) return codeAt(lines, at + 1, opened);
  if (/^ {0,3}(?:-{3,}|\*{3,}|_{3,})\s*$/.test(line)) return { block: { kind: "rule" }, next: at + 1 };
  if (/^ {0,3}>/.test(line)) {
    const end = endOf(lines, at, (each) => /^ {0,3}>/.test(each));
    const inside = lines.slice(at, end).map((each) => each.replace(/^ {0,3}> ?/, ""));
    return { block: { kind: "quote", blocks: markdownBlocks(inside.join("\n"), depth + 1) }, next: end };
  }
  return bullet.test(line) ? listAt(lines, at, depth) : null;
}

function codeAt(lines: readonly string[], at: number, opened: string): TakenBlock {
  const end = endOf(lines, at, (each) => !(each.trim().startsWith(opened) && /^\s*[`~]+\s*$/.test(each)));
  return { block: { kind: "code", text: lines.slice(at, end).join("\n") }, next: Math.min(end + 1, lines.length) };
}

function listAt(lines: readonly string[], start: number, depth: number): TakenBlock {
  const isOrdered = /^\s*\d/.test(lines[start] ?? "");
  const items: (readonly Block[])[] = [];
  let at = start;
  for (let found = bullet.exec(lines[at] ?? ""); found !== null; found = bullet.exec(lines[at] ?? "")) {
    if (/\d/.test(found[2] ?? "") !== isOrdered) break;
    const indent = found[0].length;
    const end = endOf(lines, at + 1, (each, i) => isInside(each, lines[i + 1], indent));
    const inside = [
      (lines[at] ?? "").slice(indent),
      ...lines.slice(at + 1, end).map((each) => outdented(each, indent)),
    ];
    items.push(markdownBlocks(inside.join("\n"), depth + 1));
    at = end;
  }
  return { block: { kind: "list", isOrdered, items }, next: at };
}

/** A line that goes on an item: indented, or words right below it; an empty line only before an indented one. */
function isInside(line: string, next: string | undefined, indent: number): boolean {
  if (line.trim() === "")
    return next !== undefined && next.startsWith(" ".repeat(Math.min(indent, 2))) && next.trim() !== "";
  if (bullet.test(line)) return line.length - line.trimStart().length >= Math.min(indent, 2);
  return /^\s/.test(line) || !(/^ {0,3}(?:#{1,6} |>)/.test(line) || fence.test(line));
}

function outdented(line: string, indent: number): string {
  const own = line.length - line.trimStart().length;
  return line.slice(Math.min(own, indent));
}

/** The first line from `at` on that does not hold. */
function endOf(lines: readonly string[], at: number, holds: (line: string, index: number) => boolean): number {
  let end = at;
  while (end < lines.length && holds(lines[end] ?? "", end)) end += 1;
  return end;
}

/** One line of it without its signs, for lists and labels. */
export function markdownText(line: string): string {
  return textOf(markdownInlines(line.replace(/^ {0,3}(?:#{1,6}|[-*+>]) +/, "")));
}

function textOf(inlines: readonly Inline[]): string {
  return inlines.map((inline) => ("inside" in inline ? textOf(inline.inside) : inline.text)).join("");
}

/** What has no end on its own is text. */
const token =
  /\\([\\`*_{}[\]()#+\-.!<>|~])|(?<!`)(`{1,8})(?!`)([^`]{1,2000}?)\2(?!`)|\[([^\][\n]{1,500})\]\(([^\s()<>]{1,2000})\)|(https?:\/\/[^\s<>"'`)\]]{0,2000}[^\s<>"'`)\].,;:!?])|(\*\*|__)(?=\S)([^\n]{1,2000}?\S)\7|([*_])(?=[^\s*_])([^*_\n]{0,1000}[^\s*_])\9(?!\w)/g;

export function markdownInlines(text: string, depth = 0): readonly Inline[] {
  const inlines: Inline[] = [];
  let at = 0;
  const say = (words: string) => {
    const last = inlines.at(-1);
    if (words === "") return;
    if (last?.kind === "text") inlines[inlines.length - 1] = { kind: "text", text: last.text + words };
    else inlines.push({ kind: "text", text: words });
  };
  for (const found of text.matchAll(token)) {
    say(text.slice(at, found.index));
    at = found.index + found[0].length;
    const before = text[found.index - 1] ?? " ";
    const inline = depth < deepest ? inlineOf(found, before, depth) : null;
    if (inline === null) say(found[1] ?? found[0]);
    else inlines.push(inline);
  }
  say(text.slice(at));
  return inlines;
}

function inlineOf(found: RegExpExecArray, before: string, depth: number): Inline | null {
  const [, , ticks, code = "", label = "", target, address, double, strong = "", single, em = ""] = found;
  if (ticks !== undefined) return { kind: "code", text: code.trim() };
  if (target !== undefined) {
    const href = safeHref(target);
    return href === null
      ? null
      : { kind: "link", href, inside: [...markdownInlines(label, deepest), ...leadsTo(label, href)] };
  }
  if (address !== undefined) {
    const href = safeHref(address);
    return href === null
      ? null
      : { kind: "link", href, inside: [{ kind: "text", text: address }, ...leadsTo(address, href)] };
  }
  // `snake_case_name` is one word.
  const isInWord = (double === "__" || single === "_") && /\w/.test(before);
  if (isInWord) return null;
  if (double !== undefined) return { kind: "strong", inside: markdownInlines(strong, depth + 1) };
  return single === undefined ? null : { kind: "em", inside: markdownInlines(em, depth + 1) };
}

const longestTarget = 200;

/** Where a link really goes, if its words are an address that says something else, or one in letters that look like others. */
function leadsTo(label: string, href: string): readonly Inline[] {
  const isAddress = /:\/\/|[\p{L}\p{N}][.\u3002\uff0e\uff61][\p{L}\p{N}]{2}/u.test(label);
  const { protocol, host, pathname, search, hash, username, password } = new URL(href);
  if (!isAddress) return [];
  const isSaid = safeHref(/^https?:\/\//i.test(label) ? label : `${protocol}//${label}`) === href;
  if (isSaid && `${username}${password}` === "" && label.toLowerCase().includes(host)) return [];
  const target = `${protocol}//${host}${pathname}${search}${hash}`;
  const shown = target.length > longestTarget ? `${target.slice(0, longestTarget)}…` : target;
  return [{ kind: "text", text: ` (leads to ${shown})` }];
}

/** Only what a browser opens as a page: `javascript:`, `data:` and paths of this page are text. */
function safeHref(target: string): string | null {
  if (!/^https?:\/\//i.test(target)) return null;
  try {
    const { protocol, href } = new URL(target);
    return protocol === "http:" || protocol === "https:" ? href : null;
  } catch {
    return null;
  }
}
