// The answer to a gate: the options, each with where it leads, the note, the comments that go with it, and sending it.

import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { mostComments, type PlacedComment, sentComment } from "../diff/line-comment.ts";
import { useKeys } from "../keys.tsx";
import { Problem } from "../parts/notice.tsx";
import { visibleText } from "../parts/visible-text.ts";
import { answerTexts as texts } from "../texts/gate.ts";
import { CommentList } from "./comment-list.tsx";
import type { GateDraft } from "./gate-draft.ts";
import { type Previewed, PreviewText, usePreviews } from "./option-previews.tsx";
import type { Answering } from "./use-answering.ts";

interface Props extends Previewed {
  readonly draft: GateDraft;
  readonly placed: readonly PlacedComment[];
  readonly answering: Answering;
  readonly seenTree: string | null;
  /** The diff is being read: what an answer is about is not known yet. */
  readonly isReading: boolean;
}

export function AnswerForm({ gate, folded, run, draft, placed, answering, seenTree, isReading }: Props) {
  const { note, option, reason } = draft.words.value;
  const chosen = option !== null && gate.options.includes(option) ? option : null;
  const reasons = chosen === null ? [] : (gate.reasons[chosen] ?? []);
  const hasWords = note.trim() !== "" || placed.length > 0;
  const previews = usePreviews({ gate, folded, run }, { chosen, reason, hasWords });
  const isRefused = chosen !== null && previews?.get(chosen)?.isRefused === true;
  const isTooMany = placed.length > mostComments;
  const maySend = chosen !== null && !isRefused && !isTooMany && !answering.isSending.value && !isReading;
  const isUnkept = useSignal(false);
  const send = () => {
    if (!maySend || chosen === null) return;
    isUnkept.value = focusUnkept();
    if (isUnkept.value) return;
    void answering.send({
      gate,
      seenTree,
      body: {
        option: chosen,
        note: note.trim(),
        comments: placed.map(sentComment),
        ...(reason !== null && reasons.includes(reason) ? { reason } : {}),
      },
    });
  };
  useSendKey(send);
  useKeys([
    ...gate.options.slice(0, 9).map((name, i) => ({
      key: String(i + 1),
      name: texts.choice(visibleText(name)),
      act: () => draft.set({ option: name, reason: null }),
    })),
    { key: texts.sendKey, name: texts.sendChosen, act: send },
  ]);
  return (
    <form
      class="answer-form"
      aria-label={texts.title}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <h2>{texts.title}</h2>
      <fieldset class="answer-options" aria-label={texts.options}>
        {gate.options.map((name) => (
          <button
            key={name}
            type="button"
            data-row
            class="answer-option"
            aria-pressed={chosen === name}
            onClick={() => draft.set({ option: name, reason: null })}
          >
            <span class="answer-mark" aria-hidden="true" />
            <span class="answer-name">{visibleText(name)}</span>
            <PreviewText preview={previews?.get(name) ?? null} />
          </button>
        ))}
      </fieldset>
      {reasons.length === 0 ? null : (
        <label class="answer-reason">
          {texts.reason}
          <select
            value={reason ?? ""}
            onChange={({ currentTarget }) =>
              draft.set({ reason: currentTarget.value === "" ? null : currentTarget.value })
            }
          >
            <option value="">{texts.noReason}</option>
            {reasons.map((each) => (
              <option key={each} value={each}>
                {visibleText(each)}
              </option>
            ))}
          </select>
        </label>
      )}
      <label class="answer-note">
        {texts.note}
        <textarea
          rows={4}
          value={note}
          aria-describedby="note-hint"
          onInput={({ currentTarget }) => draft.set({ note: currentTarget.value })}
        />
      </label>
      <p id="note-hint" class="dim small">
        {texts.noteHint}
      </p>
      <CommentList placed={placed} onRemove={(place) => draft.remove(place)} />
      {isTooMany ? <p class="failed small">{texts.tooMany(mostComments)}</p> : null}
      {draft.isKept.value ? null : <p class="held small">{texts.notKept}</p>}
      {isUnkept.value ? (
        <p class="held" role="alert">
          {texts.unkept}
        </p>
      ) : null}
      {answering.problem.value === null ? null : <Problem problem={answering.problem.value} />}
      <button type="submit" class="primary answer-send" disabled={!maySend}>
        {answering.isSending.value ? texts.sending : chosen === null ? texts.choose : texts.send(visibleText(chosen))}
        <kbd aria-hidden="true">{texts.sendKey}</kbd>
      </button>
    </form>
  );
}

/** Words in a field that nobody has kept would be lost with the answer. True: there are some, and they have the focus. */
function focusUnkept(): boolean {
  const fields = [...document.querySelectorAll<HTMLTextAreaElement>(".line-comment textarea")];
  const found = fields.find(({ value }) => value.trim() !== "");
  found?.focus();
  return found !== undefined;
}

/** Wherever the focus is, also in the note. It sends what the page shows, also when the key comes at once after it was drawn. */
function useSendKey(send: () => void): void {
  const latest = useRef(send);
  latest.current = send;
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      latest.current();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
}
