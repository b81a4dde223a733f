// The first page: what needs a person, what is stuck, what runs, and what was lately.

import type { RunPage } from "../../contracts/http-documents.ts";
import type { GateList, OpenGate } from "../../contracts/run-documents.ts";
import { money } from "../../transcript/money.ts";
import { address, pathTo } from "../address.ts";
import { useDocument } from "../api/loaded.ts";
import { may } from "../api/role.ts";
import { Loading, Problem, withCode } from "../parts/notice.tsx";
import { now } from "../parts/now.ts";
import { Sign } from "../parts/sign.tsx";
import { agoText, spanText } from "../parts/time-text.ts";
import { visibleLine } from "../parts/visible-text.ts";
import { PushButton } from "../push.tsx";
import { home as texts } from "../texts/home.ts";
import { roleTexts } from "../texts/roles.ts";
import { Recent } from "./recent.tsx";
import { RetryButton } from "./retry-button.tsx";
import { Since } from "./since.tsx";

type RunRow = RunPage["runs"][number];

export function Home() {
  const gates = useDocument<GateList>("/gates").value;
  const open = useDocument<RunPage>("/runs?limit=200&status=running,held,paused").value;
  const failed = useDocument<RunPage>("/runs?limit=10&status=failed").value;
  const problem = open.problem ?? gates.problem ?? failed.problem;
  if (open.document === null || gates.document === null || failed.document === null)
    return <div class="page">{problem === null ? <Loading /> : <Problem problem={problem} />}</div>;
  const moving = open.document.runs.filter((run) => run.status === "running");
  const undriven = moving.filter(({ driver }) => driver === null);
  const paused = open.document.runs.filter(({ status }) => status === "paused");
  const isFiltered = address.value.query.size > 0;
  return (
    <div class="page home">
      <h1 class="heard-only">{texts.title}</h1>
      {isFiltered ? null : (
        <>
          <NeedsYou gates={gates.document.gates} />
          <Since />
          <Group title={texts.stuck} runs={[...undriven, ...paused, ...failed.document.runs]} />
          <Group title={texts.running} runs={moving.filter(({ driver }) => driver !== null)} />
        </>
      )}
      <Recent />
    </div>
  );
}

function NeedsYou({ gates }: { readonly gates: readonly OpenGate[] }) {
  return (
    <section aria-labelledby="needs-you">
      <div class="section-line">
        <h2 id="needs-you">
          {texts.needsYou} {gates.length === 0 ? null : <span class="count">{gates.length}</span>}
        </h2>
        {may("answer") ? <PushButton /> : null}
      </div>
      {gates.length === 0 ? <p class="dim">{texts.nothingWaits}</p> : null}
      <ul class="questions">
        {gates.map((gate) => (
          <li key={gate.id} class="card question" data-row>
            <div>
              <p class="dim small one-line">
                <a class="plain-link" href={pathTo(["runs", gate.number])}>
                  {texts.run(gate.number)} {visibleLine(gate.task)}
                </a>
              </p>
              <p class="asked">
                <a class="plain-link" href={pathTo(["gates", gate.id])}>
                  {visibleLine(gate.question)}
                </a>
              </p>
              <p class="dim small">
                {gate.story === null ? gate.step : `${gate.story}, ${gate.step}`} ·{" "}
                {agoText(Date.parse(gate.openedAt), now.value)}
                {gate.deadline === null ? null : ` · ${deadlineText(gate.deadline)}`}
              </p>
            </div>
            <a class={may("answer") ? "button primary" : "button"} href={pathTo(["gates", gate.id])}>
              {may("answer") ? texts.answer : roleTexts.look}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function deadlineText({ at, option }: { readonly at: string; readonly option: string }): string {
  return `${option} in ${spanText(Date.parse(at) - now.value)}`;
}

interface GroupProps {
  readonly title: string;
  readonly runs: readonly RunRow[];
}

function Group({ title, runs }: GroupProps) {
  if (runs.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <ul class="run-lines">
        {runs.map((run) => (
          <RunLine key={run.id} run={run} />
        ))}
      </ul>
    </section>
  );
}

function canRetry({ status }: RunRow): boolean {
  return status === "failed" && may("operate");
}

/** A line without a button leaves room for one, so that the columns of all groups are one. */
function RunLine({ run }: { readonly run: RunRow }) {
  const isUndriven = run.status === "running" && run.driver === null;
  return (
    <li data-row class="run-row">
      <a class="run-line plain-link" href={pathTo(["runs", run.number])}>
        <span class={isUndriven ? "failed" : run.status}>
          <Sign of={isUndriven ? "blocked" : run.status} />
        </span>
        <span class="number dim">{texts.run(run.number)}</span>
        <span class="one-line task">{visibleLine(run.task)}</span>
        <span class={`why-short one-line ${run.status === "failed" ? "" : "dim"}`}>
          {isUndriven ? withCode(texts.noDriver) : visibleLine(run.why)}
        </span>
        <span class="number end">{costText(run)}</span>
        <span class="dim number end">{agoText(Date.parse(run.endedAt ?? run.startedAt), now.value)}</span>
      </a>
      {canRetry(run) ? <RetryButton number={run.number} /> : <span class="no-action" />}
    </li>
  );
}

function costText({ usage, capUsd, status }: RunRow): string {
  const spent = money(usage);
  return capUsd === null || status === "failed"
    ? spent
    : texts.ofCap(spent, money({ costUsd: capUsd, estimatedUsd: 0 }));
}
