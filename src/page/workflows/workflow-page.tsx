// One workflow: its chain with the figures of each step, and its newest runs.

import type { DefinitionDocument } from "../../contracts/definition.ts";
import type { RunPage } from "../../contracts/http-documents.ts";
import type { FiguresDocument } from "../../contracts/workflow-documents.ts";
import { money } from "../../transcript/money.ts";
import { pathTo } from "../address.ts";
import { useDocument } from "../api/loaded.ts";
import { may } from "../api/role.ts";
import { RunTable } from "../home/run-table.tsx";
import { Loading, Problem } from "../parts/notice.tsx";
import { spanText } from "../parts/time-text.ts";
import { common } from "../texts/common.ts";
import { workflowTexts as texts } from "../texts/workflows.ts";
import { type StaticRow, staticChain } from "./static-chain.ts";
import { GoneStep, StaticChain } from "./static-chain-view.tsx";
import { allRuns, figuredSteps, runShare, type StepFigures } from "./step-figures.ts";
import { figuresPath } from "./workflows-page.tsx";

interface WorkflowShown {
  readonly origin: keyof typeof texts.origins;
  readonly definition: DefinitionDocument;
}

const mostRuns = 20;
const { figures: heads } = texts;

export function WorkflowPage({ id }: { readonly id: string }) {
  const { document, problem } = useDocument<WorkflowShown>(pathTo(["workflows", id])).value;
  const figures = useDocument<FiguresDocument>(figuresPath(id)).value.document;
  if (document === null)
    return <div class="page">{problem === null ? <Loading /> : <Problem problem={problem} />}</div>;
  const { definition, origin } = document;
  const rows = staticChain(definition);
  const steps = figuredSteps(rows, figures?.steps ?? []);
  const hasFigures = figures !== null && figures.steps.length > 0;
  const of = (row: StaticRow) => steps.find((step) => step.row === row)?.figures ?? null;
  return (
    <div class="page workflow">
      <div class="workflow-head">
        <div>
          <p class="dim small">
            <a href="/workflows">{common.workflows}</a> / {texts.origins[origin]}
          </p>
          <h1>{definition.id}</h1>
          <p>{definition.description === "" ? definition.title : definition.description}</p>
        </div>
        {may("operate") ? (
          <a class="button primary" href={pathTo(["new"], { workflow: definition.id })}>
            {texts.start}
          </a>
        ) : null}
      </div>
      <section aria-labelledby="chain-of-workflow">
        <div class="section-line">
          <h2 id="chain-of-workflow">{texts.chain}</h2>
          {hasFigures ? <span class="dim small">{countedText(figures)}</span> : null}
        </div>
        {hasFigures ? (
          <StaticChain
            rows={rows}
            heads={[heads.attempts, heads.rate, heads.rejected, heads.failed, heads.median, heads.cost, heads.lost]}
            cells={(row) => <FigureCells figures={of(row)} />}
          >
            {steps
              .filter(({ row }) => row === null)
              .map(({ name, figures: gone }) => (
                <GoneStep key={name} name={name}>
                  <FigureCells figures={gone} />
                </GoneStep>
              ))}
          </StaticChain>
        ) : (
          <StaticChain rows={rows} />
        )}
      </section>
      <Runs workflow={definition.id} figures={figures} />
    </div>
  );
}

function countedText(figures: FiguresDocument): string {
  const all = allRuns(figures.runs);
  return figures.counted < all ? texts.countedOf(figures.counted, all) : texts.counted(figures.counted);
}

function FigureCells({ figures }: { readonly figures: StepFigures | null }) {
  if (figures === null || figures.attempts === 0)
    return (
      <>
        {Object.keys(heads).map((key) => (
          <td key={key} class="end" />
        ))}
      </>
    );
  const { ended, passed, rejected, failed, medianMs, lostUsd } = figures;
  return (
    <>
      <td class="number end">{figures.attempts}</td>
      <td class="number end">{ended === 0 ? "" : texts.rate(passed, ended)}</td>
      <td class={`number end ${rejected === 0 ? "dim" : "held"}`}>{rejected}</td>
      <td class={`number end ${failed === 0 ? "dim" : "failed"}`}>{failed}</td>
      <td class="number end">{medianMs === null ? "" : spanText(medianMs)}</td>
      <td class="number end">{money(figures)}</td>
      <td class="number end">
        {lostUsd === null || lostUsd === 0 ? "" : money({ costUsd: lostUsd, estimatedUsd: 0 })}
      </td>
    </>
  );
}

function Runs({ workflow, figures }: { readonly workflow: string; readonly figures: FiguresDocument | null }) {
  const { document, problem } = useDocument<RunPage>(`/runs?limit=200&q=${encodeURIComponent(workflow)}`).value;
  // The search also finds tasks that have the word.
  const runs = document?.runs.filter((run) => run.workflow === workflow).slice(0, mostRuns) ?? null;
  const all = figures === null ? 0 : allRuns(figures.runs);
  const [first, second] = runs ?? [];
  const share = figures === null ? null : runShare(figures.runs);
  return (
    <section aria-labelledby="runs-of-workflow">
      <div class="section-line">
        <h2 id="runs-of-workflow">{texts.runs}</h2>
        {runs === null || runs.length === 0 ? null : (
          <span class="dim small">
            {texts.newest(runs.length, all)}
            {share === null ? "" : ` · ${texts.done(texts.rate(share.good, share.all))}`}
          </span>
        )}
        {first === undefined || second === undefined ? null : (
          <a href={pathTo(["compare"], { a: String(second.number), b: String(first.number) })}>{texts.compare}</a>
        )}
      </div>
      {problem === null ? null : <Problem problem={problem} />}
      {runs === null ? (
        problem === null && <Loading />
      ) : runs.length === 0 ? (
        <p class="dim">{texts.noRuns}</p>
      ) : (
        <RunTable runs={runs} />
      )}
    </section>
  );
}
