// What a person can do with a run now. Owns: the buttons, the question before one that cannot be undone, and what the service said.

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { RunStatus } from "../../domain/run.ts";
import { CallProblem, post } from "../api/calls.ts";
import { may } from "../api/role.ts";
import { Problem } from "../parts/notice.tsx";
import { roleTexts } from "../texts/roles.ts";
import { runTexts as texts } from "../texts/run.ts";

type Action = keyof typeof texts.actions;

const possible: Readonly<Record<RunStatus, readonly Action[]>> = {
  running: ["pause", "cancel"],
  held: ["pause", "cancel"],
  paused: ["resume", "cancel"],
  done: [],
  failed: ["retry"],
  cancelled: [],
};

interface Props {
  readonly number: number;
  readonly status: RunStatus;
  readonly isPast: boolean;
}

export function RunActions({ number, status, isPast }: Props) {
  const problem = useSignal<CallProblem | null>(null);
  const isSending = useSignal(false);
  const dialog = useRef<HTMLDialogElement>(null);
  const send = async (action: Action) => {
    isSending.value = true;
    problem.value = null;
    try {
      await post(`/runs/${number}/${action}`, {});
    } catch (error) {
      if (!(error instanceof CallProblem)) throw error;
      problem.value = error;
    } finally {
      isSending.value = false;
    }
  };
  if (possible[status].length > 0 && !may("operate")) return <p class="dim small">{roleTexts.denied.steer}</p>;
  return (
    <>
      {possible[status].map((action) => (
        <button
          key={action}
          type="button"
          disabled={isPast || isSending.value}
          title={isPast ? texts.pastHint : undefined}
          onClick={() => (action === "cancel" ? dialog.current?.showModal() : void send(action))}
        >
          {texts.actions[action]}
        </button>
      ))}
      <dialog ref={dialog} class="card ask" aria-label={texts.surelyCancel}>
        <h2>{texts.surelyCancel}</h2>
        <p>{texts.cancelMeans}</p>
        <form method="dialog">
          <button type="submit">{texts.keep}</button>
          <button type="submit" class="danger" onClick={() => void send("cancel")}>
            {texts.doCancel}
          </button>
        </form>
      </dialog>
      {problem.value === null ? null : <Problem problem={problem.value} />}
    </>
  );
}
