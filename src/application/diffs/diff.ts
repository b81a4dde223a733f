// Diffs. Owns: what a run or one story changed, as a document, also while it runs. It only looks: no index, lock or ref is written.

import type { DiffDocument } from "../../contracts/diff-document.ts";
import { counted } from "../../domain/counted.ts";
import {
  type Diff,
  type DiffLimits,
  diffBetween,
  diffWithTree,
  pageDiffLimits,
  usualDiffLimits,
} from "../../workspaces/trees/diff.ts";
import { savedDiff } from "../../workspaces/trees/saved-diff.ts";
import type { Application } from "../application.ts";
import { findRun, storyIn, wholeRun } from "../references.ts";
import { type FoundWork, type WorkSource, workOfRun, workOfStory } from "./work-of.ts";

export interface DiffRequest {
  /** Without it, what the whole run changed. */
  readonly story?: string | undefined;
  /** For a page, which shows file by file: a huge file does not hide the others. */
  readonly fits?: "page" | undefined;
}

export async function diffOf(app: Application, reference: string, request: DiffRequest = {}): Promise<DiffDocument> {
  const { parts } = await app.read();
  const found = await findRun(parts.store, reference);
  const { id, number } = found;
  const run = await wholeRun(parts.store, found);
  const entry = request.story === undefined ? null : storyIn(run.header, number, request.story);
  const located = await (entry === null
    ? workOfRun(parts, { run, number })
    : workOfStory(parts, { run, number }, entry));
  const limits = request.fits === "page" ? pageDiffLimits : usualDiffLimits;
  const repo = run.header.place.repo ?? "";
  const { work, diff } = await shown(located, repo, limits);
  const { notes, ...changes } = changesOf(diff, limits);
  return {
    run: id,
    number,
    story: entry?.id ?? null,
    from: work.in,
    base: "from" in work ? work.from : null,
    head: "to" in work ? work.to : null,
    ...changes,
    notes: [...(work.in === "nothing" ? [work.why] : []), ...located.notes, ...notes],
  };
}

type Changes = Pick<DiffDocument, "files" | "total" | "text" | "isCut" | "notes">;

/** A diff as documents have it; the notes say what is left out. */
export function changesOf(diff: Diff, limits: DiffLimits): Changes {
  const { files, total, text, cut } = diff;
  return { files: [...files], total, text, isCut: cut.files || cut.text, notes: cutNotes(diff, limits) };
}

export const noChanges: Diff = {
  files: [],
  total: { files: 0, added: 0, removed: 0 },
  text: "",
  cut: { files: false, text: false },
};

interface Shown {
  readonly work: WorkSource;
  readonly diff: Diff;
}

async function shown({ work, saved }: FoundWork, repo: string, limits: DiffLimits): Promise<Shown> {
  const diff = await compared(work, repo, limits);
  if (saved === undefined || diff.total.files > 0) return { work, diff };
  return await shown({ work: { in: "saved", file: saved }, notes: [] }, repo, limits);
}

async function compared(work: WorkSource, repo: string, limits: DiffLimits): Promise<Diff> {
  switch (work.in) {
    case "tree":
      return await diffWithTree(work.path, work.from, limits);
    case "saved":
      return await savedDiff(work.file, limits);
    case "nothing":
      return noChanges;
    case "commit":
    case "branch":
    case "parked":
      return await diffBetween(repo, work.from, work.to, limits);
  }
}

function cutNotes({ files, total, cut }: Diff, { maxTextBytes, maxFileBytes }: DiffLimits): readonly string[] {
  const ofFile = maxFileBytes === undefined ? "" : ` and that of a file after ${sizeText(maxFileBytes)}`;
  return [
    ...(cut.files ? [`only ${files.length} of ${counted(total.files, "file")} are listed`] : []),
    ...(cut.text
      ? [
          `the text ends after ${sizeText(maxTextBytes)}${ofFile}; the list of files has ${cut.files ? "more" : "all of them"} with their counts`,
        ]
      : []),
  ];
}

function sizeText(bytes: number): string {
  if (bytes < 1024 * 1024) return bytes % 1024 === 0 ? `${bytes / 1024} KiB` : `${bytes} bytes`;
  return `${bytes / 1024 / 1024} MiB`;
}
