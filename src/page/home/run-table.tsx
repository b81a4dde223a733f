// Runs as a table.

import type { RunDocument } from "../../contracts/run-documents.ts";
import { money } from "../../transcript/money.ts";
import { pathTo } from "../address.ts";
import { now } from "../parts/now.ts";
import { Status } from "../parts/sign.tsx";
import { agoText } from "../parts/time-text.ts";
import { visibleLine } from "../parts/visible-text.ts";
import { home as texts } from "../texts/home.ts";

export function RunTable({ runs }: { readonly runs: readonly RunDocument[] }) {
  const { columns } = texts;
  return (
    <table class="list runs">
      <thead>
        <tr>
          <th>{columns.run}</th>
          <th>{columns.task}</th>
          <th>{columns.workflow}</th>
          <th>{columns.status}</th>
          <th class="end">{columns.cost}</th>
          <th class="end">{columns.age}</th>
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <tr key={run.id} data-row>
            <td class="number dim">{texts.run(run.number)}</td>
            <td class="task">
              <a class="plain-link one-line" href={pathTo(["runs", run.number])}>
                {visibleLine(run.task)}
              </a>
            </td>
            <td class="dim one-line">{run.workflow}</td>
            <td>
              <Status of={run.status} />
            </td>
            <td class="number end">{money(run.usage)}</td>
            <td class="number end dim">{agoText(Date.parse(run.startedAt), now.value)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
