// The cost of a run, by what it was spent on.

import type { Run } from "../../../domain/run.ts";
import { estimateNote, money, tokensText } from "../../../transcript/money.ts";
import { address, setQuery } from "../../address.ts";
import { costText } from "../../parts/cost-text.ts";
import { costTexts as texts } from "../../texts/cost.ts";
import type { ViewOfRun } from "../watched-run.ts";
import { type Grouping, type SpentRow, spentBy, spentInAll } from "./spent.ts";

const groupings: readonly Grouping[] = ["story", "step", "model", "outcome"];

export function CostView({ watched }: ViewOfRun) {
  const run = watched.run.value as Run;
  const asked = address.value.query.get("by");
  const grouping = groupings.find((each) => each === asked) ?? "step";
  const all = spentInAll(run);
  const rows = spentBy(run, grouping, texts.own);
  const most = Math.max(...rows.map(({ usage }) => usage.costUsd), 0);
  const { costUsd } = run.header.caps;
  return (
    <section class="cost" aria-label={texts.label}>
      <p class="cost-sums">
        <strong class="number">{costText(all.usage, all.unreported)}</strong>
        <span class="dim">{texts.ofCap(money({ costUsd, estimatedUsd: 0 }))}</span>
        <span>{texts.wasted(money({ costUsd: all.wastedUsd, estimatedUsd: all.usage.estimatedUsd }), share(all))}</span>
        {all.unreported === 0 ? null : <span class="held">{texts.unreported(all.unreported)}</span>}
      </p>
      <div class="section-line">
        {groupings.map((each) => (
          <button key={each} type="button" aria-pressed={each === grouping} onClick={() => setQuery({ by: each })}>
            {texts.by[each]}
          </button>
        ))}
      </div>
      <div class="scroll" tabIndex={0} role="region" aria-label={texts.label}>
        <table class="list cost-table">
          <thead>
            <tr>
              <th>{texts.by[grouping]}</th>
              <th class="end">{texts.columns.cost}</th>
              <th aria-hidden="true" />
              <th class="end">{texts.columns.wasted}</th>
              <th class="end">{texts.columns.attempts}</th>
              <th class="end">{texts.columns.input}</th>
              <th class="end">{texts.columns.output}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row key={row.name} row={row} most={most} />
            ))}
          </tbody>
        </table>
      </div>
      {all.usage.estimatedUsd > 0 ? <p class="dim small">{estimateNote}</p> : null}
    </section>
  );
}

function Row({ row, most }: { readonly row: SpentRow; readonly most: number }) {
  const { usage } = row;
  const length = most === 0 ? 0 : (usage.costUsd / most) * 100;
  const wasted = most === 0 ? 0 : (row.wastedUsd / most) * 100;
  return (
    <tr data-row>
      <td>{row.name}</td>
      <td class="number end">{costText(usage, row.unreported)}</td>
      <td>
        <svg class="cost-bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
          <rect class="cost-all" width={length} height="10" />
          <rect class="cost-wasted" width={wasted} height="10" />
        </svg>
      </td>
      <td class="number end">{row.wastedUsd === 0 ? "" : money({ costUsd: row.wastedUsd, estimatedUsd: 0 })}</td>
      <td class="number end">{row.attempts}</td>
      <td class="number end">{tokensText(usage.inputTokens + usage.cacheReadTokens)}</td>
      <td class="number end">{tokensText(usage.outputTokens)}</td>
    </tr>
  );
}

function share({ usage, wastedUsd }: SpentRow): number {
  return usage.costUsd === 0 ? 0 : Math.round((wastedUsd / usage.costUsd) * 100);
}
