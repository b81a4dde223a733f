// A file of a diff as the page shows it: what the document says about it, and its text, which is read when it is opened.

import type { DiffDocument } from "../../contracts/diff-document.ts";
import { type DiffLine, type DiffSection, linesIn, sectionsOf } from "./unified-diff.ts";

type FileOfDocument = DiffDocument["files"][number];

export class FileChange {
  readonly path: string;
  readonly status: FileOfDocument["status"];
  /** The path before, of a file that was renamed. */
  readonly from: string | null;
  readonly added: number;
  readonly removed: number;
  readonly isBinary: boolean;
  /** Something of its text is left out. */
  readonly isCut: boolean;
  /** `100644 → 100755`; null: it stays the same. */
  readonly mode: string | null;
  readonly #sections: readonly DiffSection[];
  #lines: readonly DiffLine[] | null = null;
  #mark: string | null = null;

  constructor(file: FileOfDocument, sections: readonly DiffSection[]) {
    this.path = file.path;
    this.status = file.status;
    this.from = file.from ?? null;
    this.added = file.added;
    this.removed = file.removed;
    this.isBinary = file.binary;
    this.isCut = file.isCut === true;
    this.#sections = sections;
    const { oldMode = null, newMode = null } = sections[0] ?? {};
    this.mode = oldMode === null || newMode === null ? null : `${oldMode} → ${newMode}`;
  }

  /** Nothing of its text came with the diff. */
  get isWithoutText(): boolean {
    return this.#sections.length === 0;
  }

  get lines(): readonly DiffLine[] {
    this.#lines ??= withLineEnds(this.#sections.flatMap(({ body }) => linesIn(body)));
    return this.#lines;
  }

  /** Changes with its text: what was viewed is this text, and not the file. */
  get mark(): string {
    this.#mark ??= this.#sections.map(({ body }) => `${body.length}.${hashOf(body)}`).join("-");
    return this.#mark;
  }
}

/** In the order of the document. */
export function fileChangesOf({ files, text }: Pick<DiffDocument, "files" | "text">): readonly FileChange[] {
  const sections = new Map<string, DiffSection[]>();
  for (const section of sectionsOf(text)) {
    const path = section.to ?? section.from ?? "";
    const known = sections.get(path);
    if (known === undefined) sections.set(path, [section]);
    else known.push(section);
  }
  return files.map((file) => new FileChange(file, sections.get(file.path) ?? []));
}

/** Where every line ends in CR and LF, the CR says nothing; where only some do, it is the change. */
function withLineEnds(lines: readonly DiffLine[]): readonly DiffLine[] {
  const texts = lines.filter(({ kind }) => kind !== "hunk" && kind !== "note");
  if (texts.length === 0 || !texts.every(({ text }) => text.endsWith("\r"))) return lines;
  return lines.map((line) => (line.text.endsWith("\r") ? { ...line, text: line.text.slice(0, -1) } : line));
}

/** FNV-1a. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(36);
}
