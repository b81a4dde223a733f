// The form of a new run. Owns: what was typed, the key under which it is sent, and what the service said.

import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { DefinitionDocument } from "../../contracts/definition.ts";
import type { RepositoryList, StartedDocument } from "../../contracts/http-documents.ts";
import type { ExecutorRow } from "../../contracts/machine-documents.ts";
import type { WorkflowList } from "../../contracts/workflow-documents.ts";
import { address, go, pathTo, setQuery } from "../address.ts";
import { CallProblem, post } from "../api/calls.ts";
import { Field } from "../parts/field.tsx";
import { Problem, sentence, withCode } from "../parts/notice.tsx";
import { newRunTexts as texts } from "../texts/new-run.ts";
import {
  capText,
  executorHint,
  type FieldName,
  type FieldProblems,
  fieldOf,
  type NewRun,
  newKey,
  requestOf,
} from "./new-run.ts";

interface Props {
  readonly workflows: WorkflowList["workflows"];
  readonly repositories: RepositoryList["repositories"];
  readonly executors: readonly ExecutorRow[];
  /** The id of the workflow. */
  readonly chosen: string;
  /** Null: it is being read. */
  readonly definition: DefinitionDocument | null;
  /** The person begins another form. */
  readonly onOver: () => void;
}

const capFields = ["costUsd", "attempts", "wallMs"] as const;

export function NewRunForm({ workflows, repositories, executors, chosen, definition, onOver }: Props) {
  const key = useMemo(newKey, []);
  const there = repositories.filter(({ isThere }) => isThere);
  const form = useSignal<Omit<NewRun, "workflow">>({
    task: "",
    repo: address.value.query.get("repo") ?? there[0]?.path ?? "",
    executor: "",
    base: "",
    costUsd: "",
    attempts: "",
    wallMs: "",
    waits: "marked",
    context: {},
  });
  const problems = useSignal<FieldProblems>({});
  const refusal = useSignal<CallProblem | null>(null);
  const isSending = useSignal(false);
  const started = useSignal<StartedDocument | null>(null);
  const isLost = refusal.value?.status === 0;
  const set = (change: Partial<NewRun>) => {
    form.value = { ...form.value, ...change };
  };
  const inputs = definition?.inputs ?? [];

  const send = async () => {
    if (definition === null || isSending.value) return;
    const checked = requestOf({ workflow: chosen, ...form.value }, { inputs, caps: definition.caps });
    problems.value = checked.problems;
    refusal.value = null;
    if (checked.body === null) {
      focusOn(Object.keys(checked.problems)[0]);
      return;
    }
    isSending.value = true;
    try {
      const answer = await post<StartedDocument>("/runs", checked.body, key);
      if (answer.notes.length === 0) go(pathTo(["runs", answer.run.number]));
      else started.value = answer;
    } catch (error) {
      if (!(error instanceof CallProblem)) throw error;
      const field = fieldOf(error);
      refusal.value = error;
      problems.value =
        field === null ? {} : { [field]: [error.message, error.hint].filter(Boolean).map(sentence).join(" ") };
      focusOn(field ?? undefined);
    } finally {
      isSending.value = false;
    }
  };

  if (started.value !== null) return <Started started={started.value} />;
  const field = (name: FieldName) => ({
    id: `new-${name}`,
    label: texts.fields[name],
    problem: problems.value[name] ?? "",
  });
  const isAboutField = Object.keys(problems.value).length > 0;
  return (
    <form
      class="new-run-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <fieldset disabled={isSending.value || isLost} class="bare">
        <Field {...field("workflow")} hint={definition?.description ?? ""}>
          {(tied) => (
            <select {...tied} value={chosen} onChange={(event) => setQuery({ workflow: event.currentTarget.value })}>
              {workflows.map(({ id, title }) => (
                <option key={id} value={id}>
                  {title === id ? id : `${id}: ${title}`}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field {...field("task")} hint={texts.hints.task}>
          {(tied) => (
            <textarea
              {...tied}
              rows={9}
              required
              value={form.value.task}
              onInput={(event) => set({ task: event.currentTarget.value })}
            />
          )}
        </Field>
        {inputs.length === 0 ? null : (
          <fieldset class="inputs">
            <legend>{texts.fields.context}</legend>
            <p class="dim small">{texts.hints.context}</p>
            {inputs.map((input, i) => (
              <Field
                key={input}
                id={i === 0 ? "new-context" : `new-context-${input}`}
                label={input}
                problem={(form.value.context[input] ?? "").trim() === "" ? (problems.value.context ?? "") : ""}
              >
                {(tied) => (
                  <input
                    {...tied}
                    value={form.value.context[input] ?? ""}
                    onInput={(event) => set({ context: { ...form.value.context, [input]: event.currentTarget.value } })}
                  />
                )}
              </Field>
            ))}
          </fieldset>
        )}
        <Field {...field("repo")} hint={repositories.length === 0 ? texts.noRepositories : ""}>
          {(tied) => (
            <select
              {...tied}
              value={form.value.repo}
              disabled={repositories.length === 0}
              onChange={(event) => set({ repo: event.currentTarget.value })}
            >
              {repositories.map(({ path, isThere }) => (
                <option key={path} value={path} disabled={!isThere}>
                  {isThere ? path : texts.isGone(path)}
                </option>
              ))}
            </select>
          )}
        </Field>
        <div class="two-fields">
          <Field {...field("executor")} hint={executorHint(executors)}>
            {(tied) => (
              <select
                {...tied}
                value={form.value.executor}
                onChange={(event) => set({ executor: event.currentTarget.value })}
              >
                <option value="">{texts.asConfigured}</option>
                {executors.map(({ name, installed, isDefault }) => (
                  <option key={name} value={name} disabled={!installed}>
                    {!installed ? texts.notInstalled(name) : isDefault ? texts.isDefault(name) : name}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Field {...field("waits")}>
            {(tied) => (
              <select
                {...tied}
                value={form.value.waits}
                onChange={(event) => set({ waits: event.currentTarget.value as NewRun["waits"] })}
              >
                {Object.entries(texts.waits).map(([level, words]) => (
                  <option key={level} value={level}>
                    {words}
                  </option>
                ))}
              </select>
            )}
          </Field>
        </div>
        <Field {...field("base")} hint={texts.hints.base}>
          {(tied) => (
            <input {...tied} value={form.value.base} onInput={(event) => set({ base: event.currentTarget.value })} />
          )}
        </Field>
        <fieldset class="inputs">
          <legend>{texts.caps}</legend>
          <p class="dim small">{texts.hints.caps}</p>
          <div class="three-fields">
            {capFields.map((cap) => (
              <Field key={cap} {...field(cap)} hint={cap === "wallMs" ? texts.timeForm : ""}>
                {(tied) => (
                  <input
                    {...tied}
                    inputMode={cap === "wallMs" ? "text" : "decimal"}
                    placeholder={definition === null ? "" : texts.upTo(capText(cap, definition.caps[cap]))}
                    value={form.value[cap]}
                    onInput={(event) => set({ [cap]: event.currentTarget.value })}
                  />
                )}
              </Field>
            ))}
          </div>
        </fieldset>
      </fieldset>
      <Refused problem={refusal.value} isAboutField={isAboutField} />
      <div class="new-run-buttons">
        <button type="submit" class="primary" disabled={isSending.value || definition === null || there.length === 0}>
          {isSending.value ? texts.sending : isLost ? texts.sendAgain : texts.submit}
        </button>
        {isLost ? (
          <button type="button" onClick={onOver} title={texts.startOverHint}>
            {texts.startOver}
          </button>
        ) : null}
      </div>
    </form>
  );
}

function Refused({ problem, isAboutField }: { readonly problem: CallProblem | null; readonly isAboutField: boolean }) {
  if (problem === null || isAboutField) return null;
  return (
    <>
      {problem.status === 403 ? <h2>{texts.forbidden}</h2> : null}
      <Problem problem={problem} />
      {problem.status === 0 ? <p>{texts.lost}</p> : null}
    </>
  );
}

/** There is something to know about the choices that were made. */
function Started({ started: { run, notes } }: { readonly started: StartedDocument }) {
  return (
    <div class="new-run-form" role="status">
      <h2>{texts.started(run.number)}</h2>
      <ul class="effects">
        {notes.map((note) => (
          <li key={note}>{withCode(note)}</li>
        ))}
      </ul>
      <p>
        <a class="button primary" href={pathTo(["runs", run.number])}>
          {texts.goToRun}
        </a>
      </p>
    </div>
  );
}

function focusOn(field: string | undefined): void {
  if (field !== undefined) document.getElementById(`new-${field}`)?.focus();
}
