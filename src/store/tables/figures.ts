// Every query on the figures of a workflow: its runs by status, and what the attempts of each step came to. Attempts are counted in SQL,
// of the newest runs only, so that a store of many years answers as quickly as a new one.

import type { Kysely } from "kysely";
import type { RunStatus } from "../../domain/run.ts";
import type { Tables } from "../schema.ts";
import { dialectOf } from "../sql-dialect.ts";
import { sqlText, sqlWords } from "../sql-text.ts";
import { statement } from "../statement.ts";
import type { FiguresLimits, StepFigures, WorkflowFigures } from "../store.ts";

export async function selectFigures(
  db: Kysely<Tables>,
  workflow: string,
  limits: FiguresLimits,
): Promise<WorkflowFigures> {
  const statuses = await byStatus.all(db, { workflow });
  const steps = await ofSteps.all(db, { workflow, ...limits });
  return {
    runs: new Map(statuses.map(({ status, count }) => [status as RunStatus, count])),
    counted: steps[0]?.counted ?? 0,
    steps: steps.map(figuresOfRow),
  };
}

function figuresOfRow(row: StepRow): StepFigures {
  const { median, counted: _, ...step } = row;
  return { ...step, medianMs: median === null ? null : Math.round(median) };
}

const byStatus = statement<{ workflow: string }, { status: string; count: number }>(
  (_, p) => sqlText`select status, count(*) as count from runs where workflow = ${p("workflow")} group by status`,
);

type StepRow = Omit<StepFigures, "medianMs"> & { median: number | null; counted: number };

const ofSteps = statement<{ workflow: string } & FiguresLimits, StepRow>((db, p) => {
  const { field, joinsInOrder } = dialectOf(db);
  const text = (path: string) => sqlWords(field("body", path, "text"));
  const number = (path: string) => sqlWords(field("body", path, "number"));
  const inOrder = sqlWords(joinsInOrder ? "" : "order by chosen.number desc, story_id, position");
  return sqlText`with chosen as materialized (
      select id, number from runs where workflow = ${p("workflow")} order by number desc limit ${p("mostRuns")}
    ), attempt as materialized (
      select ${text("name")} as name, phase, ${text("executor")} as executor,
        ${number("startedAt")} as started, ${text("state.outcome")} as outcome,
        ${text("state.verdict.kind")} as verdict,
        ${number("state.endedAt")} - ${number("startedAt")} as ms,
        ${number("usage.costUsd")} as cost,
        coalesce(${number("usage.estimatedUsd")}, 0) as estimated,
        run_id, ${number("usage.inputTokens")} + ${number("usage.outputTokens")}
          + coalesce(${number("usage.cacheReadTokens")}, 0) as tokens
      from chosen cross join attempts where attempts.run_id = chosen.id ${inOrder} limit ${p("mostAttempts")}
    ), ranked as (
      select name, ms, row_number() over (partition by name order by ms) as place,
        count(*) over (partition by name) as many
      from attempt where phase = 'ended'
    ), middle as materialized (
      select name, avg(ms) as median from ranked where place in ((many + 1) / 2, (many + 2) / 2) group by name
    )
    select attempt.name as step, count(*) as attempts,
      count(*) filter (where phase = 'ended') as ended,
      count(*) filter (where outcome = 'completed' and verdict is distinct from 'rejected') as passed,
      count(*) filter (where outcome = 'completed' and verdict = 'rejected') as rejected,
      count(*) filter (where outcome <> 'completed') as failed,
      sum(cost) as "costUsd", sum(estimated) as "estimatedUsd",
      sum(case when outcome = 'completed' and verdict is distinct from 'rejected' then 0 else cost end) as "lostUsd",
      count(*) filter (where cost = 0 and tokens = 0 and executor not in ('shell', 'integrate')) as unreported,
      max(median) as median, (select count(distinct run_id) from attempt) as counted
    from attempt left join middle on middle.name = attempt.name
    group by attempt.name order by min(started), attempt.name`;
});
