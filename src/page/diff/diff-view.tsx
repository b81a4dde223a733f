// A diff, file by file. Owns: which files are open, the way from one to the next, and where a comment is being written. It is used
// for gates, with comments and marks, and for attempts, without.

import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { DiffDocument } from "../../contracts/diff-document.ts";
import { useKeys } from "../keys.tsx";
import { diffTexts as texts } from "../texts/diff.ts";
import { Counts } from "./counts.tsx";
import type { DiffReview } from "./diff-review.ts";
import type { FileChange } from "./file-change.ts";
import { FileView } from "./file-view.tsx";
import { type LinePlace, placeOf } from "./line-comment.ts";
import { Near } from "./near.tsx";

interface Props {
  readonly files: readonly FileChange[];
  /** Of all files, also where the list is cut. */
  readonly total: DiffDocument["total"];
  /** Null: it is only looked at. */
  readonly review: DiffReview | null;
  /** Of a second look: the files that changed since the first, which are open; null or absent: this is the first. */
  readonly changed?: ReadonlySet<string> | null;
}

/** Files are open at first as long as this many changed lines are. */
const openedLines = 600;
const groupSize = 40;
const headHeight = 49;
/** What stays free above a file that is brought into sight. */
const above = 8;

export function DiffView({ files, total, review, changed = null }: Props) {
  const root = useRef<HTMLDivElement>(null);
  /** Files that a person has opened or closed; all others are as they are at first. */
  const chosen = useSignal<ReadonlyMap<string, boolean>>(new Map());
  const editing = useSignal<LinePlace | null>(null);
  const current = useSignal(-1);
  /** A file that a key has led to and that was not drawn then. */
  const wanted = useRef<number | null>(null);
  const openedFirst = useMemo(
    () => firstOpened(files.filter(({ path }) => changed?.has(path) !== false)),
    [files, changed],
  );
  // What a person closed before it changed is to be looked at again.
  useEffect(() => {
    if (changed !== null) chosen.value = new Map();
  }, [changed]);
  const isOpen = (file: FileChange) =>
    // Words that are being written are not put away.
    editing.value?.path === file.path ||
    (chosen.value.get(file.path) ?? (openedFirst.has(file.path) && review?.isViewed(file) !== true));
  const setOpen = (paths: readonly string[], open: boolean) => {
    chosen.value = new Map([...chosen.value, ...paths.map((path) => [path, open] as const)]);
  };
  const focusFile = (index: number): boolean => {
    const head = root.current?.querySelector<HTMLElement>(`[data-file="${index}"] .file-name`);
    if (!head) return false;
    head.focus({ preventScroll: true });
    const section = head.closest("[data-file]") ?? head;
    scrollTo({ top: section.getBoundingClientRect().top + scrollY - above });
    return true;
  };
  const step = (by: number) => {
    const focused = indexOf(document.activeElement);
    const from = focused ?? current.value;
    const next = Math.max(0, Math.min(files.length - 1, from + by));
    const file = files[next];
    if (file === undefined) return;
    current.value = next;
    setOpen([file.path], true);
    if (!focusFile(next)) wanted.current = next;
  };
  // It takes the focus as soon as it is drawn, which is before the next key.
  useLayoutEffect(() => {
    if (wanted.current !== null && focusFile(wanted.current)) wanted.current = null;
  });
  const write = () => {
    const place = review === null ? null : focusedPlace(files);
    if (place !== null) editing.value = place;
  };
  useKeys([
    { key: "n", name: texts.nextFile, act: () => step(1) },
    { key: "p", name: texts.previousFile, act: () => step(-1) },
    ...(review === null ? [] : [{ key: "c", name: texts.commentLine, act: write }]),
  ]);
  const groups = Array.from({ length: Math.ceil(files.length / groupSize) }, (_, i) => i * groupSize);
  const areAllOpen = files.every(isOpen);
  if (files.length === 0) return <p class="dim">{texts.nothing}</p>;
  return (
    <div class="diff" ref={root}>
      <div class="diff-line-of-tools">
        <span class="number">
          {texts.files(total.files)} <Counts added={total.added} removed={total.removed} />
          {review === null ? null : (
            <span class="dim"> · {texts.viewedCount(files.filter(review.isViewed).length, files.length)}</span>
          )}
        </span>
        <span class="diff-tools">
          <button type="button" onClick={() => step(-1)}>
            {texts.previousFile} <kbd aria-hidden="true">p</kbd>
          </button>
          <button type="button" onClick={() => step(1)}>
            {texts.nextFile} <kbd aria-hidden="true">n</kbd>
          </button>
          <button
            type="button"
            onClick={() =>
              setOpen(
                files.map(({ path }) => path),
                !areAllOpen,
              )
            }
          >
            {areAllOpen ? texts.closeAll : texts.openAll}
          </button>
        </span>
      </div>
      {groups.map((first) => {
        const group = files.slice(first, first + groupSize);
        const hasCurrent = current.value >= first && current.value < first + groupSize;
        const isEdited = editing.value !== null && group.some(({ path }) => path === editing.value?.path);
        return (
          <Near key={first} height={group.length * headHeight} isNeeded={hasCurrent || isEdited}>
            {() =>
              group.map((file, i) => (
                <FileView
                  key={file.path}
                  file={file}
                  index={first + i}
                  isOpen={isOpen(file)}
                  isCurrent={current.value === first + i}
                  onOpen={(open) => setOpen([file.path], open)}
                  editing={editing.value?.path === file.path ? editing.value : null}
                  onEdit={(place) => {
                    editing.value = place;
                  }}
                  review={review}
                  isChanged={changed?.has(file.path) === true}
                />
              ))
            }
          </Near>
        );
      })}
    </div>
  );
}

function firstOpened(files: readonly FileChange[]): ReadonlySet<string> {
  const opened = new Set<string>();
  let lines = 0;
  for (const file of files) {
    lines += file.added + file.removed;
    if (lines > openedLines && opened.size > 0) break;
    opened.add(file.path);
  }
  return opened;
}

function indexOf(element: Element | null): number | null {
  const file = element?.closest<HTMLElement>("[data-file]")?.dataset["file"];
  return file === undefined ? null : Number(file);
}

/** The line that has the focus. */
function focusedPlace(files: readonly FileChange[]): LinePlace | null {
  const file = files[indexOf(document.activeElement) ?? -1];
  const line = document.activeElement?.closest<HTMLElement>("[data-line]")?.dataset["line"];
  const found = file?.lines[Number(line ?? Number.NaN)];
  return file === undefined || found === undefined ? null : placeOf(file.path, found);
}
