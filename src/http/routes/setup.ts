// Routes about what this home has: workflows, executors, accounts, workers and sessions.

import { accounts, queues, workers } from "../../application/health/workers.ts";
import { knownSessions } from "../../application/lifecycle/known-sessions.ts";
import { executors } from "../../application/setup/executors.ts";
import { knownRepositories } from "../../application/starting/start-known.ts";
import { definitionDocument } from "../../application/workflows/definition.ts";
import { figures } from "../../application/workflows/figures.ts";
import { assertListed, workflow, workflows } from "../../application/workflows/workflows.ts";
import {
  accountsContract,
  queuesContract,
  repositoriesContract,
  sessionsContract,
  workersContract,
} from "../../contracts/http-documents.ts";
import { executorsContract } from "../../contracts/machine-documents.ts";
import { figuresContract, workflowContract, workflowsContract } from "../../contracts/workflow-documents.ts";
import { type ApiRoute, apiRoute } from "../route.ts";

export const setupRoutes: readonly ApiRoute[] = [
  apiRoute("GET /workflows", "read", "bundled and installed workflows", workflowsContract, async ({ app }) =>
    workflows(app),
  ),
  apiRoute(
    "GET /workflows/{workflow}",
    "read",
    "a workflow in its internal form",
    workflowContract,
    async ({ app, path }) => {
      const id = path("workflow");
      // An id and never a path: a path would read any file.
      assertListed(app, id);
      const { definition, ...found } = workflow(app, id);
      return { ...found, definition: definitionDocument(definition) };
    },
  ),
  apiRoute(
    "GET /workflows/{workflow}/figures",
    "read",
    "its runs by status, and what the attempts of each step came to and cost",
    figuresContract,
    async ({ app, path }) => await figures(app, path("workflow")),
  ),
  apiRoute(
    "GET /executors",
    "read",
    "the executors, and whether each can be used",
    executorsContract,
    async ({ app }) => ({
      executors: await executors(app),
    }),
  ),
  apiRoute(
    "GET /repositories",
    "read",
    "the repositories that a run may be started in",
    repositoriesContract,
    async ({ app }) => await knownRepositories(app),
  ),
  apiRoute(
    "GET /accounts",
    "read",
    "accounts that refused an agent",
    accountsContract,
    async ({ app }) => await accounts(app),
  ),
  apiRoute(
    "GET /workers",
    "read",
    "processes that drive runs and perform attempts",
    workersContract,
    async ({ app }) => await workers(app),
  ),
  apiRoute(
    "GET /queues",
    "read",
    "how many ready steps wait for a worker, and what workers perform",
    queuesContract,
    async ({ app }) => await queues(app),
  ),
  apiRoute(
    "GET /sessions",
    "read",
    "sessions of lifecycles",
    sessionsContract,
    async ({ app }) => await knownSessions(app),
  ),
];
