// Who works on runs, and what waits for them: each process with its machine, what it drives and performs, and the steps that nobody has
// taken yet. Where something is wrong, what to do.

import type { HealthDetails } from "../../contracts/http-documents.ts";
import { pathTo } from "../address.ts";
import { withCode } from "../parts/notice.tsx";
import { now } from "../parts/now.ts";
import { Sign } from "../parts/sign.tsx";
import { clockText, spanText } from "../parts/time-text.ts";
import { Visible } from "../parts/visible.tsx";
import { visibleLine } from "../parts/visible-text.ts";
import { healthTexts as texts } from "../texts/health.ts";
import { home } from "../texts/home.ts";
import { heardText, isGone } from "./health-facts.ts";
import { Figure, Section } from "./health-parts.tsx";

export function Queues({ queues }: Pick<HealthDetails, "queues">) {
  return (
    <Section title={texts.queues}>
      {queues.map((queue) => (
        <Queue key={queue.queue ?? ""} {...queue} />
      ))}
    </Section>
  );
}

function Queue(props: HealthDetails["queues"][number]) {
  const { queue, waiting, deferred, active, lost, ended, waitingSince, attended } = props;
  return (
    <div class="queue" data-row>
      {attended ? null : (
        <div>
          <p class="health-sum failed">
            <Sign of="blocked" />
            {texts.unattended}
          </p>
          <p>{withCode(texts.unattendedHint)}</p>
        </div>
      )}
      <dl class="figures">
        <Figure name={texts.waiting}>
          {waiting}
          {waitingSince === null ? null : (
            <span class="dim small beside">{texts.firstFor(spanText(now.value - Date.parse(waitingSince)))}</span>
          )}
        </Figure>
        <Figure name={texts.deferred}>{deferred}</Figure>
        <Figure name={texts.active}>{active}</Figure>
        {lost === 0 ? null : <Figure name={texts.lost}>{lost}</Figure>}
        {ended === null ? null : (
          <Figure name={texts.ended}>{ended < texts.mostEnded ? ended : texts.atLeast(ended)}</Figure>
        )}
      </dl>
      {lost === 0 || !attended ? null : <p class="dim small">{texts.lostHint}</p>}
      {queue === null ? null : <p class="dim small">{texts.queue(queue)}</p>}
    </div>
  );
}

type Worker = HealthDetails["workers"][number];

export function Workers({ workers }: Pick<HealthDetails, "workers">) {
  return (
    <Section title={texts.workers}>
      {workers.length === 0 ? <p class="dim">{texts.noWorkers}</p> : null}
      <ul>
        {workers.map((worker) => (
          <WorkerLine key={`${worker.worker} ${worker.since}`} worker={worker} />
        ))}
      </ul>
    </Section>
  );
}

function WorkerLine({ worker }: { readonly worker: Worker }) {
  const gone = isGone(worker, now.value);
  const sign = gone ? "failed" : "running";
  const { host, pid, since } = worker;
  return (
    <li class="health-line" data-row>
      <span class={sign}>
        <Sign of={sign} />
      </span>
      <span>
        <strong>
          <Visible text={pid === null ? worker.worker : texts.processOf(pid)} />
        </strong>{" "}
        <span class="dim">
          {[
            ...(host === null ? [] : [texts.on(host)]),
            ...(since === null ? [] : [texts.since(clockText(Date.parse(since), now.value))]),
          ].join(", ")}
        </span>
        {gone ? <span class="health-hint">{worker.life === "dead" ? texts.deadHint : texts.quietHint}</span> : null}
        <Performed worker={worker} gone={gone} />
        <Driven worker={worker} gone={gone} />
      </span>
      <span class={gone ? "failed small" : "dim small"}>{heardText(worker, now.value)}</span>
    </li>
  );
}

interface Holding {
  readonly worker: Worker;
  readonly gone: boolean;
}

function Performed({ worker: { performs, attempts }, gone }: Holding) {
  if (attempts.length === 0) return null;
  return (
    <span class="health-hint">
      {gone ? texts.hadPerformed : texts.performs}{" "}
      {performs.map(({ attempt, number, story, step, since }, i) => (
        <span key={attempt}>
          {i === 0 ? "" : ", "}
          <a href={pathTo(["attempts", attempt])}>
            <Visible text={texts.performed(number, story === null ? step : `${story}/${step}`)} />
          </a>{" "}
          <span class="dim number">{texts.performedFor(spanText(now.value - Date.parse(since)))}</span>
        </span>
      ))}
      <More than={performs.length} all={attempts.length} />
    </span>
  );
}

function Driven({ worker: { drives, runs }, gone }: Holding) {
  if (runs.length === 0) return null;
  return (
    <span class="health-hint">
      {gone ? texts.hadDriven : texts.drives}{" "}
      {drives.map(({ run, number, task }, i) => (
        <span key={run}>
          {i === 0 ? "" : ", "}
          <a href={pathTo(["runs", number])} title={visibleLine(task)}>
            {home.run(number)}
          </a>
        </span>
      ))}
      <More than={drives.length} all={runs.length} />
    </span>
  );
}

function More({ than, all }: { readonly than: number; readonly all: number }) {
  return all > than ? <span class="dim"> {texts.more(all - than)}</span> : null;
}
