// One file of a diff: its head, which opens it, and its lines, which are there only when they come near. A click on the number of a
// line, or `c`, writes a comment below it.

import { useMemo } from "preact/hooks";
import { Visible } from "../parts/visible.tsx";
import { visibleText } from "../parts/visible-text.ts";
import { diffTexts as texts } from "../texts/diff.ts";
import { answerTexts } from "../texts/gate.ts";
import { CommentEditor, CommentView } from "./comment-view.tsx";
import { Counts } from "./counts.tsx";
import type { DiffReview } from "./diff-review.ts";
import type { FileChange } from "./file-change.ts";
import { isSamePlace, type LinePlace, type PlacedComment, placeOf, quoteOf } from "./line-comment.ts";
import { Near } from "./near.tsx";
import type { DiffLine } from "./unified-diff.ts";

interface Props {
  readonly file: FileChange;
  readonly index: number;
  readonly isOpen: boolean;
  /** A key has led to it. */
  readonly isCurrent: boolean;
  readonly onOpen: (isOpen: boolean) => void;
  readonly editing: LinePlace | null;
  readonly onEdit: (place: LinePlace | null) => void;
  readonly review: DiffReview | null;
  /** Since the person has looked at the diff before. */
  readonly isChanged: boolean;
}

const chunkSize = 150;
const lineHeight = 20;
/** Of a longer line, the beginning is shown. */
const longestLine = 1_000;
/** Of comments whose line is gone, the newest. */
const shownLost = 50;

export function FileView(props: Props) {
  const { file, index, isOpen, isCurrent, onOpen, review, isChanged } = props;
  const name = visibleText(file.path);
  const status = texts.status[file.status];
  const isViewed = review?.isViewed(file) === true;
  const comments = review?.commentsOn(file.path) ?? null;
  // Of many open files only the one that changed is made again.
  const lines = useMemo(
    () => (isOpen ? <FileLines {...props} /> : null),
    [file, isOpen, isCurrent, comments, props.editing, review === null],
  );
  return (
    <section class="file card" data-file={index} aria-label={name}>
      <div class="file-head" data-row>
        <button type="button" class="file-name quiet" aria-expanded={isOpen} onClick={() => onOpen(!isOpen)}>
          <svg class="sign" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
            <path d={isOpen ? "M4 6l4 4 4-4" : "M6 4l4 4-4 4"} />
          </svg>
          <span class="mono file-path">
            <Visible text={file.path} isName />
          </span>
        </button>
        <span class="file-facts dim small">
          {isChanged ? <span class="held">{texts.changed}</span> : null}
          {status === "" ? null : <span class="file-status">{status}</span>}
          {file.from === null ? null : <span class="mono">{texts.renamedFrom(visibleText(file.from))}</span>}
          {file.mode === null ? null : <span>{texts.mode(file.mode)}</span>}
        </span>
        <Counts added={file.added} removed={file.removed} />
        {review === null ? null : (
          <label class="check file-viewed">
            <input
              type="checkbox"
              checked={isViewed}
              onChange={({ currentTarget }) => {
                review.setViewed(file, currentTarget.checked);
                onOpen(!currentTarget.checked);
              }}
            />
            {texts.viewed}
          </label>
        )}
      </div>
      {lines}
    </section>
  );
}

/** Its `review` may be an older one: what it calls there stays the same. */
function FileLines(props: Props) {
  const { file, isCurrent, review, editing } = props;
  const { lines } = file;
  const comments = review?.commentsOn(file.path) ?? [];
  const lost = comments.filter(({ line }) => line === null);
  const chunks = useMemo(
    () => Array.from({ length: Math.ceil(lines.length / chunkSize) }, (_, i) => i * chunkSize),
    [lines],
  );
  const said = file.isBinary
    ? texts.binary
    : file.isWithoutText
      ? texts.noText
      : lines.length === 0
        ? texts.empty
        : null;
  return (
    <div class="file-lines">
      {lost.length > shownLost ? (
        <p class="file-said dim">{answerTexts.moreComments(lost.length - shownLost)}</p>
      ) : null}
      {lost.slice(-shownLost).map((placed) => (
        <CommentView
          key={keyOf(placed)}
          placed={placed}
          onEdit={null}
          onRemove={() => review?.remove(placed.comment)}
        />
      ))}
      {said === null ? null : <p class="file-said dim">{said}</p>}
      {chunks.map((first) => {
        const chunk = lines.slice(first, first + chunkSize);
        const isEdited = editing !== null && chunk.some((line) => isAt(file.path, line, editing));
        return (
          // The next key goes to the first lines of a file that a key has led to, and must not pass over them.
          <Near key={first} height={chunk.length * lineHeight} isNeeded={isEdited || (isCurrent && first === 0)}>
            {() =>
              chunk.map((line, i) => (
                <LineView key={first + i} {...props} line={line} at={first + i} comments={comments} />
              ))
            }
          </Near>
        );
      })}
      {file.isCut && !file.isWithoutText ? <p class="file-said dim">{texts.isCut}</p> : null}
    </div>
  );
}

interface LineProps extends Props {
  readonly line: DiffLine;
  /** Its place in the file's lines. */
  readonly at: number;
  readonly comments: readonly PlacedComment[];
}

function LineView({ file, line, at, comments, editing, onEdit, review }: LineProps) {
  const place = placeOf(file.path, line);
  if (place === null)
    return (
      <div class={`diff-line ${line.kind}`}>
        <span class="diff-numbers" />
        <code class="diff-text">{line.kind === "hunk" ? <Visible text={line.text} /> : `⏎ ${texts.lineEnd}`}</code>
      </div>
    );
  const here = comments.filter(({ comment, line: number }) => comment.side === place.side && number === place.line);
  const isEdited = editing !== null && isSamePlace(editing, place);
  const label = (place.side === "new" ? texts.commentOn : texts.commentOnRemoved)(visibleText(file.path), place.line);
  const numbers = (
    <>
      <span>{line.oldLine ?? ""}</span>
      <span>{line.newLine ?? ""}</span>
    </>
  );
  return (
    <>
      <div class={`diff-line ${line.kind}`} data-row={review === null ? undefined : true} data-line={at}>
        {review === null ? (
          <span class="diff-numbers">{numbers}</span>
        ) : (
          <button
            type="button"
            class="diff-numbers"
            tabIndex={at === 1 ? 0 : -1}
            aria-label={label}
            onClick={() => onEdit(place)}
            onKeyDown={moveByArrow}
          >
            {numbers}
          </button>
        )}
        <code class="diff-text">
          <span class="diff-sign">{line.kind === "added" ? "+" : line.kind === "removed" ? "−" : " "}</span>
          <LineText text={line.text} />
        </code>
      </div>
      {here.map((placed) =>
        isEdited ? null : (
          <CommentView
            key={keyOf(placed)}
            placed={placed}
            onEdit={() => onEdit(place)}
            onRemove={() => review?.remove(placed.comment)}
          />
        ),
      )}
      {isEdited && review !== null ? (
        <CommentEditor
          label={label}
          text={here[0]?.comment.text ?? ""}
          onCancel={() => close(at, file, onEdit)}
          onSave={(text) => {
            for (const { comment } of here) review.remove(comment);
            review.comment({ ...place, text, quote: quoteOf(line) });
            close(at, file, onEdit);
          }}
        />
      ) : null}
    </>
  );
}

function LineText({ text }: { readonly text: string }) {
  if (text.length <= longestLine) return <Visible text={text} />;
  return (
    <>
      <Visible text={text.slice(0, longestLine)} />
      <span class="hidden-mark">{texts.more(text.length - longestLine)}</span>
    </>
  );
}

/** The focus goes back to the line that the comment is about. */
function close(at: number, file: FileChange, onEdit: Props["onEdit"]): void {
  onEdit(null);
  const name = CSS.escape(visibleText(file.path));
  document.querySelector<HTMLElement>(`.file[aria-label="${name}"] [data-line="${at}"] button`)?.focus();
}

function moveByArrow(event: KeyboardEvent): void {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const lines = event.currentTarget instanceof Element ? event.currentTarget.closest(".file-lines") : null;
  const buttons = [...(lines?.querySelectorAll<HTMLElement>("button.diff-numbers") ?? [])];
  const at = buttons.indexOf(event.currentTarget as HTMLElement);
  event.preventDefault();
  buttons[at + (event.key === "ArrowDown" ? 1 : -1)]?.focus();
}

function isAt(path: string, line: DiffLine, place: LinePlace): boolean {
  const own = placeOf(path, line);
  return own !== null && isSamePlace(own, place);
}

function keyOf({ comment }: PlacedComment): string {
  return `${comment.side}${comment.line}`;
}
