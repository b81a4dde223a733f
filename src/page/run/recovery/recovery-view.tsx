// What was interrupted, and what became of it.

import { nameWithPart } from "../../../domain/attempt.ts";
import type { Run } from "../../../domain/run.ts";
import { pathTo } from "../../address.ts";
import { costOf } from "../../parts/cost-text.ts";
import { Empty } from "../../parts/notice.tsx";
import { clockText } from "../../parts/time-text.ts";
import { visibleLine } from "../../parts/visible-text.ts";
import { recoveryTexts as texts } from "../../texts/recovery.ts";
import type { ViewOfRun } from "../watched-run.ts";
import { type Recovery, recoveriesOf } from "./recoveries.ts";

export function RecoveryView({ watched }: ViewOfRun) {
  const found = recoveriesOf(watched.run.value as Run, watched.events);
  const { columns } = texts;
  if (found.length === 0) return <Empty>{texts.none}</Empty>;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={texts.label}>
      <table class="list recovery stacks">
        <thead>
          <tr>
            <th>{columns.at}</th>
            <th>{columns.attempt}</th>
            <th>{columns.what}</th>
            <th>{columns.then}</th>
            <th class="end">{columns.cost}</th>
          </tr>
        </thead>
        <tbody>
          {found.map((each) => (
            <Row key={each.attempt.id} recovery={each} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ recovery: { attempt, outcome, again, isRolledBack } }: { readonly recovery: Recovery }) {
  const { why, endedAt, notes = [] } = attempt.state;
  return (
    <tr data-row>
      <td class="number dim">{clockText(endedAt)}</td>
      <td>
        <a href={pathTo(["attempts", attempt.id])}>
          {attempt.story === null ? "" : `${attempt.story} `}
          {nameWithPart(attempt)} {texts.number(attempt.number)}
        </a>
      </td>
      <td class="recovery-why">
        <strong class={outcome === "adopted" ? "" : "failed"}>{texts.outcomes[outcome]}</strong> {visibleLine(why)}
        {notes.map((note) => (
          <span key={visibleLine(note)} class="dim">
            {" "}
            {note}
          </span>
        ))}
      </td>
      <td>
        {outcome === "adopted" ? texts.adopted : isRolledBack ? texts.rolledBack : texts.kept}{" "}
        {outcome === "adopted" ? null : again === null ? (
          <span class="dim">{texts.notAgain}</span>
        ) : (
          <a href={pathTo(["attempts", again.id])}>{texts.again(again.number)}</a>
        )}
      </td>
      <td class="number end">{costOf([attempt])}</td>
    </tr>
  );
}
