// Retry of a failed run from the list. Owns: the question before it, which says what it will do by the run's own state.

import { useSignal } from "@preact/signals";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { CallProblem, post } from "../api/calls.ts";
import { Loading, Problem } from "../parts/notice.tsx";
import { WatchedRun } from "../run/watched-run.ts";
import { common } from "../texts/common.ts";
import { home } from "../texts/home.ts";
import { type RetryPreview, retryPreview } from "./retried.ts";

const texts = home.retry;

export function RetryButton({ number }: { readonly number: number }) {
  const isAsked = useSignal(false);
  return (
    <>
      <button type="button" aria-label={texts.label(number)} onClick={() => (isAsked.value = true)}>
        {texts.button}
      </button>
      {isAsked.value ? <Question number={number} onClose={() => (isAsked.value = false)} /> : null}
    </>
  );
}

function Question({ number, onClose }: { readonly number: number; readonly onClose: () => void }) {
  const watched = useMemo(() => new WatchedRun(number), [number]);
  const problem = useSignal<CallProblem | null>(null);
  const isSending = useSignal(false);
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    dialog.current?.showModal();
    return () => watched.close();
  }, [watched]);
  const run = watched.isLoaded.value ? watched.run.value : null;
  const preview = run === null ? null : retryPreview(run, Date.now());
  const send = async () => {
    isSending.value = true;
    problem.value = null;
    try {
      await post(`/runs/${number}/retry`, {});
      dialog.current?.close();
    } catch (error) {
      if (!(error instanceof CallProblem)) throw error;
      problem.value = error;
    } finally {
      isSending.value = false;
    }
  };
  const unread = watched.problem.value;
  return (
    <dialog ref={dialog} class="card ask" aria-label={texts.label(number)} onClose={onClose}>
      <h2>{texts.label(number)}</h2>
      {run === null ? null : <p class="dim">{run.header.end?.reason ?? ""}</p>}
      {unread !== null ? (
        <Problem problem={unread} />
      ) : preview === null ? (
        <Loading />
      ) : typeof preview === "string" ? (
        <p>{texts.cannot(preview)}</p>
      ) : (
        <Effects preview={preview} />
      )}
      {problem.value === null ? null : <Problem problem={problem.value} />}
      <div class="ask-buttons">
        <button type="button" onClick={() => dialog.current?.close()}>
          {common.close}
        </button>
        <button
          type="button"
          class="primary"
          disabled={isSending.value || preview === null || typeof preview === "string"}
          onClick={() => void send()}
        >
          {texts.button}
        </button>
      </div>
    </dialog>
  );
}

function Effects({ preview: { steps, stories, freed } }: { readonly preview: RetryPreview }) {
  return (
    <ul class="effects">
      {steps.map((step) => (
        <li key={step}>{texts.step(step)}</li>
      ))}
      {stories.map(({ story, step }) => (
        <li key={story}>{texts.story(story, step)}</li>
      ))}
      {freed.length === 0 ? null : <li>{texts.freed(freed)}</li>}
      <li>{texts.limits}</li>
      <li>{texts.kept}</li>
    </ul>
  );
}
