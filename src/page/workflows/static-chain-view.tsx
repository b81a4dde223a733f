// The chain of a workflow as a table, with figures of its runs where there are some.

import type { ComponentChildren } from "preact";
import { staticChainTexts as texts, workflowTexts } from "../texts/workflows.ts";
import type { StaticRow } from "./static-chain.ts";

interface Props {
  readonly rows: readonly StaticRow[];
  /** Heads of further columns. */
  readonly heads?: readonly string[];
  /** Further cells of a row, as many as there are heads. */
  readonly cells?: (row: StaticRow) => ComponentChildren;
  readonly children?: ComponentChildren;
}

export function StaticChain({ rows, heads = [], cells = () => null, children }: Props) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={texts.label}>
      <table class={`list static-chain ${heads.length === 0 ? "stacks" : "with-figures"}`}>
        <thead>
          <tr>
            <th>{texts.columns.step}</th>
            <th>{texts.columns.does}</th>
            <th>{texts.columns.back}</th>
            {heads.map((head) => (
              <th key={head} class="end">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.key} class={row.of === null ? "" : "in-story"}>
              <StepCells row={row} />
              {cells(row)}
            </tr>
          ))}
          {children}
        </tbody>
      </table>
    </div>
  );
}

function StepCells({ row }: { readonly row: StaticRow }) {
  return (
    <>
      <td>
        <span class="step-name">{row.name}</span>
        {row.title === "" ? null : <span class="dim small static-title">{row.title}</span>}
      </td>
      <td>
        {row.performedBy}
        {row.notes.length === 0 ? null : <span class="dim small static-title">{row.notes.join(", ")}</span>}
      </td>
      <td>
        {row.waysBack.map(({ key, to, limit }) => (
          <span key={`${key} ${to}`} class="way unused">
            {texts.way(key, to)}
            {limit === null ? null : <span class="dim"> {texts.limit(limit)}</span>}
          </span>
        ))}
      </td>
    </>
  );
}

/** A step of older runs. */
export function GoneStep({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <tr class="future">
      <td>
        <span class="step-name">{name}</span>
        <span class="dim small static-title">{workflowTexts.gone}</span>
      </td>
      <td />
      <td />
      {children}
    </tr>
  );
}
