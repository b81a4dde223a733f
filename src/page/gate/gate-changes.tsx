// The work that a gate asks about: its diff since the base or since it was last shown, with comments, and what has to be said about it.

import { useComputed } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { GateDiff } from "../../contracts/diff-document.ts";
import type { GateView } from "../../contracts/run-documents.ts";
import { setQuery } from "../address.ts";
import type { CallProblem } from "../api/calls.ts";
import type { DiffReview } from "../diff/diff-review.ts";
import { DiffView } from "../diff/diff-view.tsx";
import type { FileChange } from "../diff/file-change.ts";
import type { PlacedComment } from "../diff/line-comment.ts";
import { Loading, Problem } from "../parts/notice.tsx";
import { now } from "../parts/now.ts";
import { personIn } from "../parts/person.ts";
import { agoText } from "../parts/time-text.ts";
import { visibleText } from "../parts/visible-text.ts";
import { answerTexts, gateTexts as texts } from "../texts/gate.ts";
import type { DiffSince } from "./gate-diff.ts";
import type { GateDraft, GateWords } from "./gate-draft.ts";

interface Props {
  readonly gate: GateView;
  readonly since: DiffSince;
  readonly diff: GateDiff | null;
  readonly files: readonly FileChange[];
  /** Of a second look: the files that changed since the first; null: this is the first. */
  readonly changed: ReadonlySet<string> | null;
  readonly problem: CallProblem | null;
  readonly isReading: boolean;
  readonly onReadAgain: () => void;
  readonly placed: readonly PlacedComment[];
  readonly draft: GateDraft;
  readonly mayComment: boolean;
  /** An answer was refused because the work moved. */
  readonly isRefused: boolean;
}

export function GateChanges(props: Props) {
  const { gate, since, diff, files, changed, problem, isReading, onReadAgain, placed, draft, mayComment, isRefused } =
    props;
  const viewed = useComputed(() => draft.words.value.viewed).value;
  const review = useMemo(
    () => (mayComment ? reviewWith(draft, placed, viewed) : null),
    [draft, placed, viewed, mayComment],
  );
  // The gate is read again with every change anywhere; its diff stays as it is.
  const shown = useMemo(
    () => (diff === null ? null : <DiffView files={files} total={diff.total} review={review} changed={changed} />),
    [diff, files, review, changed],
  );
  const isMoved = gate.status === "open" && (isRefused || diff?.isMoved === true);
  return (
    <section class="gate-changes" aria-label={texts.changes} aria-busy={isReading}>
      <div class="section-line">
        <h2>{texts.changes}</h2>
        {gate.shown === null ? null : <SinceSwitch since={since} />}
        <button type="button" disabled={isReading} onClick={onReadAgain}>
          {texts.readAgain}
        </button>
      </div>
      {gate.shown === null ? null : (
        <p class="dim small">
          {texts.shownBefore(
            personIn(gate.shown.by),
            visibleText(gate.shown.option),
            agoText(Date.parse(gate.shown.at), now.value),
          )}
        </p>
      )}
      {isMoved ? (
        <p class="gate-moved" role="alert">
          {isRefused ? texts.movedOnAnswer : texts.moved}
          {changed === null
            ? null
            : ` ${texts.changedFiles(files.filter(({ path }) => changed.has(path)).length, files.length)}`}
        </p>
      ) : null}
      {problem === null ? null : <Problem problem={problem} />}
      {diff === null && problem === null ? <Loading /> : null}
      {diff?.notes.map((note) => (
        <p key={note} class="dim small">
          {note}
        </p>
      ))}
      {shown}
      {mayComment ? (
        <a class="button to-answer" href="#answer">
          {answerTexts.toAnswer}
          {placed.length === 0 ? "" : ` · ${answerTexts.comments(placed.length)}`}
        </a>
      ) : null}
    </section>
  );
}

const noComments: readonly PlacedComment[] = [];

function reviewWith(draft: GateDraft, placed: readonly PlacedComment[], viewed: GateWords["viewed"]): DiffReview {
  const byPath = Map.groupBy(placed, ({ comment }) => comment.path);
  return {
    commentsOn: (path) => byPath.get(path) ?? noComments,
    comment: (comment) => draft.comment(comment),
    remove: (place) => draft.remove(place),
    isViewed: (file) => Object.hasOwn(viewed, file.path) && viewed[file.path] === file.mark,
    setViewed: (file, isViewed) => draft.setViewed(file.path, isViewed ? file.mark : null),
  };
}

function SinceSwitch({ since }: { readonly since: DiffSince }) {
  const choices: readonly (readonly [DiffSince, string])[] = [
    ["base", texts.sinceBase],
    ["shown", texts.sinceShown],
  ];
  return (
    <fieldset class="switch" aria-label={texts.sinceLabel}>
      {choices.map(([choice, name]) => (
        <button
          key={choice}
          type="button"
          aria-pressed={since === choice}
          onClick={() => setQuery({ since: choice === "base" ? null : choice })}
        >
          {name}
        </button>
      ))}
    </fieldset>
  );
}
