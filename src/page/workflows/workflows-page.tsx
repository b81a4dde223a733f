// The workflows of this home, with how their runs went.

import type { FiguresDocument, WorkflowList } from "../../contracts/workflow-documents.ts";
import { pathTo } from "../address.ts";
import { useDocument } from "../api/loaded.ts";
import { Empty, Loading, Problem, withCode } from "../parts/notice.tsx";
import { workflowTexts as texts } from "../texts/workflows.ts";
import { allRuns, runShare } from "./step-figures.ts";

type Listed = WorkflowList["workflows"][number];

export function WorkflowsPage() {
  const { document, problem } = useDocument<WorkflowList>("/workflows").value;
  return (
    <div class="page">
      <h1>{texts.title}</h1>
      {problem === null ? null : <Problem problem={problem} />}
      {document === null ? (
        problem === null && <Loading />
      ) : document.workflows.length === 0 ? (
        <Empty>{withCode(texts.none)}</Empty>
      ) : (
        <Table workflows={document.workflows} />
      )}
    </div>
  );
}

function Table({ workflows }: { readonly workflows: readonly Listed[] }) {
  const { columns } = texts;
  return (
    <table class="list workflows">
      <thead>
        <tr>
          <th>{columns.workflow}</th>
          <th>{columns.origin}</th>
          <th class="end">{columns.steps}</th>
          <th class="end">{columns.runs}</th>
          <th class="end">{columns.rate}</th>
        </tr>
      </thead>
      <tbody>
        {workflows.map((workflow) => (
          <Row key={workflow.id} workflow={workflow} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ workflow }: { readonly workflow: Listed }) {
  const { document } = useDocument<FiguresDocument>(figuresPath(workflow.id), "once").value;
  const share = document === null ? null : runShare(document.runs);
  return (
    <tr data-row>
      <td>
        <a class="plain-link step-name" href={pathTo(["workflows", workflow.id])}>
          {workflow.id}
        </a>
        {workflow.title === workflow.id ? null : <span class="dim small static-title">{workflow.title}</span>}
      </td>
      <td class="dim">{texts.origins[workflow.origin]}</td>
      <td class="number end dim">{workflow.steps.length}</td>
      <td class="number end">{document === null ? "" : allRuns(document.runs)}</td>
      <td class="number end">
        {share === null ? null : (
          <>
            {texts.rate(share.good, share.all)} <span class="dim small">{texts.ofEnded(share.good, share.all)}</span>
          </>
        )}
      </td>
    </tr>
  );
}

export function figuresPath(workflow: string): string {
  return `${pathTo(["workflows", workflow])}/figures`;
}
