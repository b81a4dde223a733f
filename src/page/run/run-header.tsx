// The first lines of a run's page, which stay in sight: the task, where it stands, why, what it cost of what it may, and what a person
// can do now.

import type { StatusDocument } from "../../contracts/run-documents.ts";
import { isQuestion } from "../../domain/gate.ts";
import type { Run } from "../../domain/run.ts";
import { money } from "../../transcript/money.ts";
import { pathTo } from "../address.ts";
import { line } from "../api/changes.ts";
import { useDocument } from "../api/loaded.ts";
import { may } from "../api/role.ts";
import { costText } from "../parts/cost-text.ts";
import { withCode } from "../parts/notice.tsx";
import { now } from "../parts/now.ts";
import { Status } from "../parts/sign.tsx";
import { spanText } from "../parts/time-text.ts";
import { visibleLine } from "../parts/visible-text.ts";
import { common } from "../texts/common.ts";
import { roleTexts } from "../texts/roles.ts";
import { runTexts as texts } from "../texts/run.ts";
import { RunActions } from "./run-actions.tsx";
import type { ViewOfRun } from "./watched-run.ts";

export function RunHeader({ watched }: ViewOfRun) {
  const run = watched.run.value as Run;
  const { header } = run;
  const known = useDocument<StatusDocument>(`/runs/${watched.number}`).value.document;
  const isPast = watched.past.value !== null;
  const status = watched.status.value ?? "running";
  const isUndriven = !isPast && status === "running" && known?.run.driver === null;
  const until = header.end?.at ?? (isPast ? watched.time.value : now.value);
  const done = header.stories.filter((story) => story.status === "done").length;
  const atWork = header.stories.filter((story) => story.status === "running").length;
  return (
    <div class="run-header">
      <div class="run-header-inside">
        <p class="dim small one-line">
          <a href="/">{common.runs}</a> / {texts.run(String(watched.number))} ·{" "}
          <a class="plain-link" href={pathTo(["workflows", header.definition.id])}>
            {header.definition.id}
          </a>
          {header.place.repo === null ? null : (
            <>
              {" · "}
              <span title={header.place.repo}>{folderOf(header.place.repo)}</span>
            </>
          )}
        </p>
        <h1 class="run-task">{visibleLine(header.task.split("\n", 1)[0] ?? "")}</h1>
        <p class="facts">
          <Status of={status} />
          <span class="number">{spanText(until - header.startedAt)}</span>
          <span class="number">
            {texts.cost(
              costText(header.totals, header.totals.unreported),
              money({ costUsd: header.caps.costUsd, estimatedUsd: 0 }),
            )}
          </span>
          <span class="number">{texts.attempts(header.totals.attempts)}</span>
          {header.stories.length === 0 ? null : (
            <span class="number">{texts.stories(done, header.stories.length)}</span>
          )}
          {atWork === 0 ? null : <span class="number">{texts.slots(atWork)}</span>}
          {known === null || known.run.branch === null ? null : <span>{texts.branch(known.run.branch)}</span>}
          {header.end !== null && !isPast ? null : (
            <span class={`line ${isPast ? "past" : line.value}`}>
              {isPast
                ? common.past
                : { live: common.live, lost: common.lost, connecting: common.connecting }[line.value]}
            </span>
          )}
        </p>
        <p class="why">
          <span class="heard-only">{texts.why}: </span>
          {withCode(isUndriven ? texts.noDriver : isPast || known === null ? watched.why.value : known.why)}
        </p>
        <div class="run-actions">
          <Questions run={run} isPast={isPast} />
          <RunActions number={watched.number} status={status} isPast={isPast} />
        </div>
      </div>
    </div>
  );
}

/** The last part of a path. */
function folderOf(path: string): string {
  return path.split(/[/\\]/).findLast((part) => part !== "") ?? path;
}

function Questions({ run, isPast }: { readonly run: Run; readonly isPast: boolean }) {
  const open = [run.header, ...Object.values(run.stories)].flatMap(({ gates }) =>
    gates.filter((gate) => gate.state.status === "open" && isQuestion(gate)),
  );
  const [first] = open;
  if (first === undefined) return null;
  if (isPast) return <span class="held">{texts.questions(open.length)}</span>;
  return (
    <a class={may("answer") ? "button primary" : "button"} href={pathTo(["gates", first.id])}>
      {may("answer") ? texts.answer : roleTexts.look}: {texts.questions(open.length)}
    </a>
  );
}
