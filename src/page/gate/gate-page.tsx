// The page of a gate: what is asked and why, what speaks for the work, the work itself, and the answer, with where each one leads.

import { useComputed } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo } from "preact/hooks";
import type { GateView } from "../../contracts/run-documents.ts";
import type { Gate } from "../../domain/gate.ts";
import type { Run } from "../../domain/run.ts";
import { address, setQuery } from "../address.ts";
import { useDocument } from "../api/loaded.ts";
import { may } from "../api/role.ts";
import { fileChangesOf } from "../diff/file-change.ts";
import { placeComments } from "../diff/line-comment.ts";
import { Loading, Problem } from "../parts/notice.tsx";
import { WatchedRun } from "../run/watched-run.ts";
import { gateTexts as texts } from "../texts/gate.ts";
import { AnswerForm } from "./answer-form.tsx";
import { AnsweredPanel } from "./answered-panel.tsx";
import { GateChanges } from "./gate-changes.tsx";
import { type DiffSince, useGateDiff } from "./gate-diff.ts";
import { GateDraft } from "./gate-draft.ts";
import { GateHead } from "./gate-head.tsx";
import { OnlyOptions } from "./only-options.tsx";
import { useChangedFiles } from "./second-look.ts";
import { useAnswering } from "./use-answering.ts";

export function GatePage({ id }: { readonly id: string }) {
  const loaded = useDocument<GateView>(`/gates/${encodeURIComponent(id)}`).value;
  if (loaded.document === null)
    return <div class="page">{loaded.problem === null ? <Loading /> : <Problem problem={loaded.problem} />}</div>;
  return <KnownGate gate={loaded.document} />;
}

function KnownGate({ gate: loaded }: { readonly gate: GateView }) {
  const watched = useMemo(() => new WatchedRun(loaded.number), [loaded.number]);
  useLayoutEffect(() => () => watched.close(), [watched]);
  const draft = useDraft(loaded.id);
  const answering = useAnswering(draft);
  // What a refusal told is newer than what was loaded, until that is read again.
  const gate = answering.newest(loaded);
  const wantsShown = address.value.query.get("since") === "shown" && gate.shown !== null;
  const since: DiffSince = wantsShown ? "shown" : "base";
  const { diff, problem, isReading, readAgain } = useGateDiff(gate, since);
  const files = useMemo(() => (diff === null ? [] : fileChangesOf(diff)), [diff]);
  const changed = useChangedFiles(diff, files);
  // Not of every word that is typed into the note.
  const comments = useComputed(() => draft.words.value.comments).value;
  const placed = useMemo(() => {
    const byPath = new Map(files.map((file) => [file.path, file]));
    return placeComments(comments, (path) => byPath.get(path)?.lines ?? null);
  }, [files, comments]);
  const isPast = address.value.query.has("at") && (watched.past.value !== null || !watched.isLoaded.value);
  const folded = useComputed(() => gateIn(watched.run.value, loaded.id));
  const isMine = answering.sent.value !== null;
  const isAsked = gate.status === "open" && !isMine;
  const mayAnswer = may("answer");
  return (
    <div class="page gate">
      <GateHead gate={gate} events={watched.events} length={watched.length.value} />
      <aside class="gate-answer card" id="answer" tabIndex={-1}>
        {isPast ? (
          <Past gate={watched.isLoaded.value ? folded.value : undefined} />
        ) : isAsked && !mayAnswer ? (
          <OnlyOptions gate={gate} folded={folded.value} run={watched.run.value} draft={draft} />
        ) : isAsked ? (
          <AnswerForm
            gate={gate}
            folded={folded.value}
            run={watched.run.value}
            draft={draft}
            placed={placed}
            answering={answering}
            seenTree={diff?.tree ?? null}
            isReading={isReading}
          />
        ) : (
          <AnsweredPanel gate={gate} watched={watched} draft={draft} answering={answering} />
        )}
      </aside>
      <GateChanges
        gate={gate}
        since={since}
        diff={diff}
        files={files}
        changed={changed}
        problem={problem}
        isReading={isReading}
        onReadAgain={readAgain}
        placed={placed}
        draft={draft}
        mayComment={isAsked && mayAnswer && !isPast}
        isRefused={answering.refusal.value === "moved"}
      />
    </div>
  );
}

/** `gate`: as it was then; null: it was not asked yet; undefined: the run is still read. */
function Past({ gate }: { readonly gate: Gate | null | undefined }) {
  return (
    <div class="gate-past">
      <p role="status">{gate === null ? texts.notYet : texts.past}</p>
      {gate?.state.status === "answered" ? <p>{`${texts.answered}: ${gate.state.option}`}</p> : null}
      <p class="dim small">{texts.pastDiff}</p>
      <button type="button" onClick={() => setQuery({ at: null })}>
        {texts.toNow}
      </button>
    </div>
  );
}

function gateIn(run: Run | null, id: string): Gate | null {
  if (run === null) return null;
  const scopes = [run.header, ...Object.values(run.stories)];
  return scopes.flatMap(({ gates }) => gates).find((gate) => gate.id === id) ?? null;
}

/** Kept on the way out, and read again when another tab of this browser changed it. */
function useDraft(id: string): GateDraft {
  const draft = useMemo(() => new GateDraft(id, localStorage), [id]);
  useEffect(() => {
    const keep = () => draft.keep();
    const hear = ({ key }: StorageEvent) => {
      if (key === draft.key) draft.readAgain();
    };
    // A phone that sleeps may never come back to this page.
    const hide = () => {
      if (document.visibilityState === "hidden") keep();
    };
    addEventListener("pagehide", keep);
    document.addEventListener("visibilitychange", hide);
    addEventListener("storage", hear);
    return () => {
      keep();
      removeEventListener("pagehide", keep);
      document.removeEventListener("visibilitychange", hide);
      removeEventListener("storage", hear);
    };
  }, [draft]);
  return draft;
}
