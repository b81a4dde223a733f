// Sessions of lifecycles: where each project stands, the decision that it waits for, and the chain so far.

import type { ComponentChildren } from "preact";
import type { SessionList } from "../../contracts/http-documents.ts";
import type { LifecycleSession } from "../../contracts/lifecycle-documents.ts";
import { pathTo } from "../address.ts";
import { useDocument } from "../api/loaded.ts";
import { may } from "../api/role.ts";
import { Empty, Loading, Problem, withCode } from "../parts/notice.tsx";
import { Sign, Status } from "../parts/sign.tsx";
import { clockText } from "../parts/time-text.ts";
import { home } from "../texts/home.ts";
import { roleTexts } from "../texts/roles.ts";
import { sessionTexts as texts } from "../texts/sessions.ts";
import { callOf, chainOfSession, type SessionStep, signOf } from "./session-chain.ts";

export function SessionsPage() {
  const { document, problem } = useDocument<SessionList>("/sessions").value;
  if (document === null)
    return <div class="page">{problem === null ? <Loading /> : <Problem problem={problem} />}</div>;
  return (
    <div class="page">
      <h1>{texts.title}</h1>
      {problem === null ? null : <Problem problem={problem} />}
      {document.sessions.length === 0 ? (
        <Empty>
          <p>{texts.none}</p>
          <pre>{texts.noneCommand}</pre>
        </Empty>
      ) : null}
      {document.sessions.map((session) => (
        <Session key={session.runId ?? session.session ?? ""} session={session} />
      ))}
    </div>
  );
}

const signs = { planned: "waiting", running: "running", paused: "held", completed: "done" } as const;

function Session({ session }: { readonly session: LifecycleSession }) {
  const { facts } = texts;
  const chain = chainOfSession(session);
  const id = `session-${session.session ?? ""}`;
  const status = session.runStatus === "failed" || session.runStatus === "cancelled" ? session.runStatus : null;
  return (
    <section class="card session" aria-labelledby={id}>
      <div class="project-head">
        <h2 id={id}>{session.intent === "" ? session.session : session.intent}</h2>
        {status !== null ? (
          <Status of={status} />
        ) : session.stop !== null ? (
          <Status of="held" word={texts.waits} />
        ) : (
          <Status of={signs[session.status]} word={texts.states[session.status]} />
        )}
        <span class="dim small one-line" title={session.folder ?? ""}>
          {session.session}
        </span>
      </div>
      <dl class="figures">
        <Fact name={facts.position}>{session.position}</Fact>
        <Fact name={facts.target}>{session.target}</Fact>
        {session.phase === null ? null : <Fact name={facts.phase}>{session.phase}</Fact>}
        {session.milestone === null ? null : <Fact name={facts.milestone}>{session.milestone}</Fact>}
        <Fact name={facts.steps}>{texts.stepsOf(chain.done, session.steps.length)}</Fact>
        <Fact name={facts.mode}>{session.auto ? texts.auto : texts.stepwise}</Fact>
        {session.run === null ? null : (
          <Fact name={facts.run}>
            <a href={pathTo(["runs", session.run])}>{home.run(session.run)}</a>
          </Fact>
        )}
      </dl>
      <Stop session={session} />
      <div>
        <h3>{texts.chain}</h3>
        <ol class="session-chain">
          {chain.soFar.map((step) => (
            <Step key={step.id} step={step} />
          ))}
        </ol>
        {chain.later.length === 0 ? null : (
          <details>
            <summary class="dim">{texts.later(chain.later.length)}</summary>
            <ol class="session-chain">
              {chain.later.map((step) => (
                <Step key={step.id} step={step} />
              ))}
            </ol>
          </details>
        )}
      </div>
      {session.codes.length === 0 ? null : (
        <details>
          <summary>
            {texts.codes} <span class="count">{session.codes.length}</span>
          </summary>
          <ul class="effects">
            {session.codes.map(({ code, at, step, why }, i) => (
              <li key={i}>
                <strong>{code}</strong> <span class="dim number">{clockText(Date.parse(at))}</span> {step}: {why}
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt class="dim small">{name}</dt>
      <dd class="number">{children}</dd>
    </div>
  );
}

function Stop({ session: { stop, next } }: { readonly session: LifecycleSession }) {
  return (
    <>
      {stop === null ? null : (
        <div class="session-stop">
          <div>
            <p class="held">
              {texts.stops[stop.kind]}: {stop.step}
            </p>
            <p class="asked">{stop.question}</p>
            {stop.feedback === "" ? null : <p class="session-feedback">{stop.feedback}</p>}
          </div>
          <a class={may("answer") ? "button primary" : "button"} href={pathTo(["gates", stop.gate])}>
            {may("answer") ? texts.answer : roleTexts.look}
          </a>
        </div>
      )}
      {next === null ? null : (
        <p class="dim small">
          {texts.next} {withCode(`\`${next}\``)}
        </p>
      )}
    </>
  );
}

function Step({ step }: { readonly step: SessionStep }) {
  const sign = signOf(step);
  const note = step.error ?? step.summary ?? "";
  return (
    <li class={`session-step ${step.type === "decision" ? "is-decision" : ""}`}>
      <span class={sign}>
        <Sign of={sign} />
        <span class="heard-only">{texts.words[step.status]}</span>
      </span>
      <span class={`session-call ${step.status === "pending" ? "dim" : ""}`}>
        {callOf(step)}
        {step.type === "decision" ? <span class="dim small"> {texts.decision}</span> : null}
      </span>
      <span class={`one-line small ${step.error === null ? "dim" : "failed"}`} title={note}>
        {note}
      </span>
    </li>
  );
}
