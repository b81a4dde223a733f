// What a person says to a project: buttons for what can be said now, words of their own, and the report that comes back.

import { useSignal } from "@preact/signals";
import type { ProjectMessage } from "../../contracts/http-documents.ts";
import type { ProjectStatus } from "../../contracts/project-documents.ts";
import { CallProblem, post } from "../api/calls.ts";
import { may } from "../api/role.ts";
import { Field } from "../parts/field.tsx";
import { typedIn } from "../parts/form-text.ts";
import { Problem } from "../parts/notice.tsx";
import { projectTexts as texts } from "../texts/projects.ts";
import { roleTexts } from "../texts/roles.ts";
import {
  actionsOf,
  approvalWords,
  type ProjectAction,
  type ProjectActions,
  rejectionWords,
  roleFor,
} from "./project-actions.ts";

/** These ask for words, or whether it is meant, before they are sent. */
const asks: readonly ProjectAction[] = ["approve", "reject", "skip", "abort"];

export function ProjectSay({ project }: { readonly project: ProjectStatus }) {
  const { actions, reasons, effects, isAnswer } = actionsOf(project);
  const open = useSignal<ProjectAction | null>(null);
  const isSending = useSignal(false);
  const said = useSignal<ProjectMessage | null>(null);
  const problem = useSignal<CallProblem | null>(null);
  const send = async (text: string) => {
    isSending.value = true;
    problem.value = null;
    try {
      said.value = await post<ProjectMessage>("/projects/say", { text, dir: project.root });
      open.value = null;
    } catch (error) {
      if (!(error instanceof CallProblem)) throw error;
      problem.value = error;
    } finally {
      isSending.value = false;
    }
  };
  const allowed = actions.filter((action) => may(roleFor(action)));
  const [first] = allowed;
  return (
    <div class="project-say">
      <div class="project-buttons">
        {allowed.map((action) => (
          <button
            key={action}
            type="button"
            class={action === first && action !== "status" ? "primary" : ""}
            disabled={isSending.value}
            title={action === "reject" ? undefined : effects.get(action) || undefined}
            aria-expanded={asks.includes(action) ? open.value === action : undefined}
            onClick={() => {
              if (!asks.includes(action)) void send(action);
              else open.value = open.value === action ? null : action;
            }}
          >
            {texts.actions[action]}
          </button>
        ))}
      </div>
      {allowed.length === actions.length ? null : (
        <p class="dim small">{may("answer") ? roleTexts.denied.steer : roleTexts.denied.answer}</p>
      )}
      {open.value === null ? null : (
        <Words
          key={open.value}
          id={`${project.state.project}-${open.value}`}
          action={open.value}
          reasons={reasons}
          isAnswer={isAnswer}
          isSending={isSending.value}
          onSend={send}
          onClose={() => (open.value = null)}
        />
      )}
      <form
        class="project-words"
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          const text = typedIn(form, "text");
          if (text !== "") void send(text).then(() => form.reset());
        }}
      >
        <input name="text" maxLength={4_000} aria-label={texts.say} placeholder={texts.say} />
        <button type="submit" disabled={isSending.value}>
          {texts.send}
        </button>
      </form>
      {problem.value === null ? null : <Problem problem={problem.value} />}
      <div role="status">{said.value === null ? null : <Reply said={said.value} />}</div>
    </div>
  );
}

interface WordsProps {
  readonly id: string;
  readonly action: ProjectAction;
  readonly reasons: ProjectActions["reasons"];
  readonly isAnswer: boolean;
  readonly isSending: boolean;
  readonly onSend: (text: string) => Promise<void>;
  readonly onClose: () => void;
}

function Words({ id, action, reasons, isAnswer, isSending, onSend, onClose }: WordsProps) {
  const label = action === "reject" ? texts.rejectNote : isAnswer ? texts.answerNote : texts.approveNote;
  return (
    <form
      class="project-ask"
      onSubmit={(event) => {
        event.preventDefault();
        const [note, reason] = [typedIn(event.currentTarget, "note"), typedIn(event.currentTarget, "reason")];
        const words =
          action === "approve" ? approvalWords(note) : action === "reject" ? rejectionWords(reason, note) : action;
        void onSend(words);
      }}
    >
      {action === "skip" || action === "abort" ? <p>{texts.surely[action]}</p> : null}
      {action === "reject" ? (
        <Field id={`${id}-reason`} label={texts.rejectReason}>
          {(tied) => (
            <select {...tied} name="reason">
              {reasons.map(({ reason, effect }) => (
                <option key={reason} value={reason}>
                  {texts.reasonTo(reason.replaceAll("_", " "), effect)}
                </option>
              ))}
            </select>
          )}
        </Field>
      ) : null}
      {action === "approve" || action === "reject" ? (
        <Field id={`${id}-note`} label={label}>
          {(tied) => <textarea {...tied} name="note" rows={3} maxLength={3_500} required={isAnswer} />}
        </Field>
      ) : null}
      <div class="project-buttons">
        <button type="submit" class="primary" disabled={isSending}>
          {texts.actions[action]}
        </button>
        <button type="button" onClick={onClose}>
          {texts.cancel}
        </button>
      </div>
    </form>
  );
}

function Reply({ said: { project, action, reply } }: { readonly said: ProjectMessage }) {
  return (
    <>
      <h3>{texts.reply(project)}</h3>
      {action === "unknown" ? <p class="held">{texts.notUnderstood}</p> : null}
      <pre class="project-reply">{reply}</pre>
    </>
  );
}
