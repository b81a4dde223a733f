// The page about the service: what is missing and what to do about it, who works, what waits, accounts, schedules, the store.

import type { HealthDetails } from "../../contracts/http-documents.ts";
import { pathTo } from "../address.ts";
import { useDocument } from "../api/loaded.ts";
import { Loading, Problem, withCode } from "../parts/notice.tsx";
import { now } from "../parts/now.ts";
import { Sign, Status } from "../parts/sign.tsx";
import { clockText, spanText } from "../parts/time-text.ts";
import { statusWords } from "../texts/common.ts";
import { healthTexts as texts } from "../texts/health.ts";
import { home } from "../texts/home.ts";
import { isRefusing, resetText, sizeText, troublesIn } from "./health-facts.ts";
import { Figure, Section } from "./health-parts.tsx";
import { Queues, Workers } from "./workers-view.tsx";

export function HealthPage() {
  const { document: health, problem } = useDocument<HealthDetails>("/health/details", "often").value;
  if (health === null) return <div class="page">{problem === null ? <Loading /> : <Problem problem={problem} />}</div>;
  const troubles = troublesIn(health, now.value);
  return (
    <div class="page health">
      <div>
        <h1>{texts.title}</h1>
        <p class={`health-sum ${troubles === 0 ? "done" : "failed"}`} role="status">
          <Sign of={troubles === 0 ? "done" : "blocked"} />
          {troubles === 0 ? texts.good : texts.bad(troubles)}
        </p>
      </div>
      {problem === null ? null : <Problem problem={problem} />}
      <Figures health={health} />
      <Undriven health={health} />
      <Queues queues={health.queues} />
      <Workers workers={health.workers} />
      <Accounts health={health} />
      <Doctor health={health} />
      <Schedules health={health} />
    </div>
  );
}

interface Part {
  readonly health: HealthDetails;
}

function Figures({ health: { service, store } }: Part) {
  const runs = Object.entries(store.runs).filter(([, count]) => count > 0) as [keyof typeof store.runs, number][];
  return (
    <dl class="figures">
      <Figure name={texts.version}>{service.version}</Figure>
      <Figure name={texts.uptime}>{spanText(now.value - Date.parse(service.startedAt))}</Figure>
      <Figure name={texts.process}>{service.pid}</Figure>
      <Figure name={texts.streams}>{service.streams}</Figure>
      <Figure name={texts.size} title={store.name}>
        {store.bytes === null ? texts.sizeUnknown : sizeText(store.bytes)}
      </Figure>
      <Figure name={texts.runs}>
        {runs.length === 0
          ? 0
          : runs
              .map(([status, count]) => `${count} ${status === "held" ? texts.held : statusWords[status]}`)
              .join(", ")}
      </Figure>
    </dl>
  );
}

function Undriven({ health: { undriven } }: Part) {
  if (undriven.length === 0) return null;
  return (
    <Section title={texts.undriven}>
      <p class="dim">{withCode(texts.undrivenHint)}</p>
      <ul>
        {undriven.map(({ run, number, task, since }) => (
          <li key={run} class="health-line" data-row>
            <span class="failed">
              <Sign of="blocked" />
            </span>
            <a class="plain-link one-line" href={pathTo(["runs", number])}>
              <span class="dim number">{home.run(number)}</span> {task}
            </a>
            <span class="dim">{texts.undrivenFor(spanText(now.value - Date.parse(since)))}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Doctor({ health: { doctor } }: Part) {
  if (doctor === null)
    return (
      <Section title={texts.doctor}>
        <p class="dim">{texts.doctorLate}</p>
      </Section>
    );
  // What is missing first, what is needed before what is not.
  const rank = ({ ok, needed }: (typeof doctor.findings)[number]) => (ok ? 2 : needed ? 0 : 1);
  return (
    <Section title={texts.doctor}>
      <ul>
        {doctor.findings
          .toSorted((a, b) => rank(a) - rank(b))
          .map((finding) => {
            const { name, ok, needed, detail, hint } = finding;
            const status = ok ? "done" : needed ? "failed" : "waiting";
            return (
              <li key={name} class="health-line" data-row>
                <span class={status}>
                  <Sign of={status} />
                  <span class="heard-only">{ok ? texts.ok : texts.missing}</span>
                </span>
                <span>
                  <strong>{name}</strong> <span class={ok ? "dim" : ""}>{detail}</span>
                  {ok || hint === "" ? null : <span class="health-hint">{withCode(hint)}</span>}
                </span>
                <span class="dim small">{needed ? texts.needed : texts.optional}</span>
              </li>
            );
          })}
      </ul>
    </Section>
  );
}

function Accounts({ health: { accounts } }: Part) {
  return (
    <Section title={texts.accounts}>
      {accounts.length === 0 ? <p class="dim">{texts.noAccounts}</p> : null}
      <ul>
        {accounts.map((account) => {
          const status = isRefusing(account, now.value) ? "failed" : "waiting";
          return (
            <li key={account.account} class="health-line" data-row>
              <span class={status}>
                <Sign of={status === "failed" ? "blocked" : "waiting"} />
              </span>
              <span>
                <strong>{account.account}</strong> {texts.causes[account.cause]},{" "}
                <span class="number">{resetText(account, now.value)}</span>
                <span class="health-hint dim">{account.why}</span>
              </span>
              <span class="dim small">{texts.refusals(account.times)}</span>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}

function Schedules({ health: { schedules } }: Part) {
  const signs = { waiting: "waiting", running: "running", paused: "paused", broken: "failed" } as const;
  return (
    <Section title={texts.schedules}>
      {schedules.length === 0 ? <p class="dim">{withCode(texts.noSchedules)}</p> : null}
      <ul>
        {schedules.map(({ id, state, why, workflow, cron, zone, task, next, run }) => (
          <li key={id} class="health-line" data-row>
            <Status of={signs[state]} word="" />
            <span>
              <strong>{id}</strong> {texts.scheduleStates[state]}
              <span class="health-hint dim">
                <a class="plain-link" href={pathTo(["workflows", workflow])}>
                  {workflow}
                </a>{" "}
                · <code>{cron}</code> {zone} · {task}
              </span>
              {why === "" ? null : <span class="health-hint">{withCode(why)}</span>}
            </span>
            <span class="dim small number">
              {next === null ? null : nextText(next)}
              {run === null ? null : (
                <a class="health-hint" href={pathTo(["runs", run.number])}>
                  {texts.lastRun(run.number)}, {statusWords[run.status]}
                </a>
              )}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function nextText(next: string): string {
  const at = Date.parse(next);
  return texts.next(clockText(at, now.value), spanText(at - now.value));
}
