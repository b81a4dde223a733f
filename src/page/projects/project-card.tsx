// One project: its phase, tasks, blockers and dispatch, in the words of STATE.json.

import type { ComponentChildren } from "preact";
import type { ProjectStatus } from "../../contracts/project-documents.ts";
import { pathTo } from "../address.ts";
import { withCode } from "../parts/notice.tsx";
import { now } from "../parts/now.ts";
import { Status } from "../parts/sign.tsx";
import { agoText } from "../parts/time-text.ts";
import { home } from "../texts/home.ts";
import { projectTexts as texts } from "../texts/projects.ts";
import { ProjectSay } from "./project-say.tsx";

const signs = {
  pending: "waiting",
  running: "running",
  pass: "done",
  failing: "rejected",
  needs_human: "held",
  timeout: "failed",
} as const;

export function ProjectCard({ project }: { readonly project: ProjectStatus }) {
  const { state, root, run, done, next, question, notes } = project;
  const { facts } = texts;
  const id = `project-${state.project}`;
  return (
    <section class="card project" aria-labelledby={id}>
      <div class="project-head">
        <h2 id={id}>{state.project}</h2>
        <Status of={signs[state.status]} word={texts.states[state.status]} />
        <span class="dim small one-line" title={root}>
          {texts.level(project.level)} · {root}
        </span>
      </div>
      {question === null ? null : <p class="asked">{question}</p>}
      <dl class="figures">
        <Fact name={facts.story}>{state.story ?? texts.noStory}</Fact>
        <Fact name={facts.step}>{state.step}</Fact>
        {state.story === null ? null : (
          <Fact name={facts.attempt}>{texts.attemptOf(state.attempt, state.max_attempts)}</Fact>
        )}
        {state.tests === null ? null : (
          <Fact name={facts.tests}>{texts.tests(state.tests.pass, state.tests.fail, state.tests.skip)}</Fact>
        )}
        {state.dispatched_at === null ? null : (
          <Fact name={facts.dispatched}>{agoText(Date.parse(state.dispatched_at), now.value)}</Fact>
        )}
        {state.blocked_by.length === 0 ? null : <Fact name={facts.blockers}>{state.blocked_by.join(", ")}</Fact>}
        {done.length === 0 ? null : <Fact name={facts.done}>{done.join(", ")}</Fact>}
        {next === null ? null : <Fact name={facts.next}>{`${next.id} ${next.title}`}</Fact>}
        {run === null ? null : (
          <Fact name={facts.run}>
            <a href={pathTo(["runs", run])}>{home.run(run)}</a>
          </Fact>
        )}
      </dl>
      <Details project={project} />
      {notes.length === 0 ? null : (
        <div>
          <h3>{texts.changed}</h3>
          <ul class="effects">
            {notes.map((note) => (
              <li key={note}>{withCode(note)}</li>
            ))}
          </ul>
        </div>
      )}
      <ProjectSay project={project} />
    </section>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt class="dim small">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Details({ project: { state } }: { readonly project: ProjectStatus }) {
  const small = [
    ...(state.lint_pass === null ? [] : [state.lint_pass ? texts.lint.good : texts.lint.bad]),
    ...(state.files_changed.length === 0 ? [] : [texts.filesChanged(state.files_changed.length)]),
  ];
  return (
    <>
      {state.reason === null ? null : <p>{state.reason}</p>}
      {small.length === 0 ? null : <p class="dim small">{small.join(" · ")}</p>}
      {state.failing_tests.length === 0 ? null : (
        <details>
          <summary>
            {texts.failingTests} <span class="count">{state.failing_tests.length}</span>
          </summary>
          <ul class="effects mono">
            {state.failing_tests.map((name) => (
              <li key={name}>{name}</li>
            ))}
          </ul>
        </details>
      )}
      {state.human_note === null ? null : (
        <p>
          <span class="dim">{texts.note}:</span> {state.human_note}
        </p>
      )}
    </>
  );
}
