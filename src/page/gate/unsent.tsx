// What a person wrote about a gate and could not send. It stays readable until they discard it.

import { Visible } from "../parts/visible.tsx";
import { answeredTexts as texts } from "../texts/gate.ts";
import { CommentList } from "./comment-list.tsx";
import type { GateDraft } from "./gate-draft.ts";

export function Unsent({ draft }: { readonly draft: GateDraft }) {
  const { note, comments } = draft.words.value;
  if (note.trim() === "" && comments.length === 0) return null;
  return (
    <section class="unsent" aria-label={texts.unsent}>
      <h3>{texts.unsent}</h3>
      {note.trim() === "" ? null : (
        <p class="answered-note">
          <Visible text={note} keepsLines />
        </p>
      )}
      {comments.length === 0 ? null : (
        <CommentList placed={comments.map((comment) => ({ comment, line: comment.line }))} onRemove={null} />
      )}
      <button type="button" onClick={() => draft.clear()}>
        {texts.discard}
      </button>
    </section>
  );
}
