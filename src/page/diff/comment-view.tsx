// A comment below its line, and the field in which one is written.

import { useLayoutEffect, useRef } from "preact/hooks";
import { Visible } from "../parts/visible.tsx";
import { diffTexts as texts } from "../texts/diff.ts";
import { answerTexts } from "../texts/gate.ts";
import type { PlacedComment } from "./line-comment.ts";

interface CommentProps {
  readonly placed: PlacedComment;
  /** Null: its line is gone. */
  readonly onEdit: (() => void) | null;
  readonly onRemove: () => void;
}

export function CommentView({ placed, onEdit, onRemove }: CommentProps) {
  const { comment, line } = placed;
  return (
    <div class="line-comment">
      {line === null ? (
        <p class="dim small">
          {answerTexts.lost}:{" "}
          <code>
            <Visible text={comment.quote.trim()} />
          </code>
        </p>
      ) : null}
      <p class="line-comment-text">
        <Visible text={comment.text} keepsLines />
      </p>
      <p class="line-comment-tools">
        {onEdit === null ? null : (
          <button type="button" class="quiet" onClick={onEdit}>
            {texts.edit}
          </button>
        )}
        <button type="button" class="quiet" onClick={onRemove}>
          {texts.remove}
        </button>
      </p>
    </div>
  );
}

interface EditorProps {
  readonly label: string;
  readonly text: string;
  readonly onSave: (text: string) => void;
  readonly onCancel: () => void;
}

/** Ctrl+Enter keeps it, Escape leaves it. */
export function CommentEditor({ label, text, onSave, onCancel }: EditorProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  // Before the page is shown: keys that are pressed until then would be taken for shortcuts.
  useLayoutEffect(() => field.current?.focus(), []);
  const save = () => onSave(field.current?.value ?? "");
  return (
    <div class="line-comment">
      <textarea
        ref={field}
        rows={3}
        aria-label={label}
        defaultValue={text}
        onKeyDown={(event) => {
          if (event.key === "Escape") onCancel();
          if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          // It is about this field, and not about the answer.
          event.stopPropagation();
          save();
        }}
      />
      <p class="line-comment-tools">
        <button type="button" class="primary" onClick={save}>
          {texts.save}
        </button>
        <button type="button" onClick={onCancel}>
          {texts.cancel}
        </button>
      </p>
    </div>
  );
}
