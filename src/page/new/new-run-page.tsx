// The page for a new run: the form, and what it is made from.

import { signal } from "@preact/signals";
import type { DefinitionDocument } from "../../contracts/definition.ts";
import type { RepositoryList } from "../../contracts/http-documents.ts";
import type { ExecutorRow } from "../../contracts/machine-documents.ts";
import type { WorkflowList } from "../../contracts/workflow-documents.ts";
import { address, pathTo } from "../address.ts";
import { useDocument } from "../api/loaded.ts";
import { may } from "../api/role.ts";
import { Empty, Loading, Problem, withCode } from "../parts/notice.tsx";
import { NotAllowed } from "../role-line.tsx";
import { newRunTexts as texts } from "../texts/new-run.ts";
import { staticChain } from "../workflows/static-chain.ts";
import { StaticChain } from "../workflows/static-chain-view.tsx";
import { NewRunForm } from "./new-run-form.tsx";

/** What most runs are of. */
const usual = "feature-dev";
/** Each form has a key of its own. */
const formNumber = signal(1);

export function NewRunPage() {
  const workflows = useDocument<WorkflowList>("/workflows", "once").value;
  const repositories = useDocument<RepositoryList>("/repositories", "once").value;
  const executors = useDocument<{ readonly executors: readonly ExecutorRow[] }>("/executors", "once").value;
  const ids = workflows.document?.workflows.map(({ id }) => id) ?? [];
  const asked = address.value.query.get("workflow") ?? "";
  const chosen = [asked, usual].find((id) => ids.includes(id)) ?? ids[0] ?? "";
  const shown = useDocument<{ readonly definition: DefinitionDocument }>(
    chosen === "" ? null : pathTo(["workflows", chosen]),
    "once",
  ).value;
  const problem = workflows.problem ?? repositories.problem ?? executors.problem ?? shown.problem;
  // Of the one that was chosen before, until the next one has come.
  const definition = shown.document?.definition.id === chosen ? shown.document.definition : null;
  const isLoaded = workflows.document !== null && repositories.document !== null && executors.document !== null;
  return (
    <div class="page">
      <h1>{texts.title}</h1>
      {problem === null ? null : <Problem problem={problem} />}
      {may("operate") ? null : <NotAllowed what="start" />}
      {!may("operate") ? null : !isLoaded ? (
        problem === null && <Loading />
      ) : workflows.document.workflows.length === 0 ? (
        <Empty>{withCode(texts.noWorkflows)}</Empty>
      ) : (
        <div class="new-run">
          <NewRunForm
            key={formNumber.value}
            workflows={workflows.document.workflows}
            repositories={repositories.document.repositories}
            executors={executors.document.executors}
            chosen={chosen}
            definition={definition}
            onOver={() => formNumber.value++}
          />
          <section class="new-run-chain" aria-labelledby="its-steps">
            <h2 id="its-steps">{texts.preview}</h2>
            {definition === null ? <Loading /> : <StaticChain rows={staticChain(definition)} />}
          </section>
        </div>
      )}
    </div>
  );
}
