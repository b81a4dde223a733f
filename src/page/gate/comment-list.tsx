// The comments that go with an answer, the newest last. Of very many, the newest are shown.

import type { LinePlace, PlacedComment } from "../diff/line-comment.ts";
import { Visible } from "../parts/visible.tsx";
import { visibleText } from "../parts/visible-text.ts";
import { answerTexts as texts } from "../texts/gate.ts";

interface Props {
  readonly placed: readonly PlacedComment[];
  /** Null: they are only shown. */
  readonly onRemove: ((place: LinePlace) => void) | null;
}

const shownComments = 50;

export function CommentList({ placed, onRemove }: Props) {
  if (placed.length === 0) return <p class="dim small">{texts.noComments}</p>;
  const hidden = Math.max(0, placed.length - shownComments);
  return (
    <section class="comment-list" aria-label={texts.comments(placed.length)}>
      <h3>{texts.comments(placed.length)}</h3>
      {hidden === 0 ? null : <p class="dim small">{texts.moreComments(hidden)}</p>}
      <ul>
        {placed.slice(-shownComments).map(({ comment, line }) => (
          <li key={`${comment.path}:${comment.side}:${comment.line}`}>
            <p class="small comment-place">
              <code>
                {visibleText(comment.path)}:{line ?? comment.line}
              </code>
              {line === null ? <span class="held"> {texts.lost}</span> : null}
            </p>
            <p class="comment-words">
              <Visible text={comment.text} keepsLines />
            </p>
            {onRemove === null ? null : (
              <button type="button" class="quiet" onClick={() => onRemove(comment)}>
                {texts.remove}
                <span class="heard-only">
                  {" "}
                  {visibleText(comment.path)}:{line ?? comment.line}
                </span>
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
