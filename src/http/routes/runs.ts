// Routes about runs: looking at them.

import { z } from "zod";
import { diffOf } from "../../application/diffs/diff.ts";
import { costOfRun, runsPage } from "../../application/looking/runs.ts";
import { status, stories, whyOf } from "../../application/looking/status.ts";
import { definitionOfRun } from "../../application/workflows/definition.ts";
import { costContract } from "../../contracts/cost-documents.ts";
import { definitionContract } from "../../contracts/definition.ts";
import { diffContract } from "../../contracts/diff-document.ts";
import { runPageContract } from "../../contracts/http-documents.ts";
import { runStatus, statusContract, storiesContract, whyContract } from "../../contracts/run-documents.ts";
import { digitsInput } from "../number-input.ts";
import { type ApiRoute, apiRoute } from "../route.ts";

const longestSearch = 200;

const runsQuery = z.strictObject({
  limit: digitsInput(1, 200).default(50),
  cursor: z.string().optional().describe("`next` of the page before."),
  status: z
    .string()
    .transform((text) => text.split(","))
    .pipe(z.array(runStatus))
    .optional()
    .describe("One status, or several with commas."),
  q: z
    .string()
    .max(longestSearch)
    .optional()
    .describe("Words of the task or the workflow, whatever the case, or a number."),
});

export const runRoutes: readonly ApiRoute[] = [
  apiRoute(
    "GET /runs",
    "read",
    "runs, the newest first, a page at a time",
    runPageContract,
    async ({ app, query: { limit, cursor, status: statuses, q } }) =>
      await runsPage(app, { limit, cursor, statuses, search: q }),
    { query: runsQuery },
  ),
  apiRoute(
    "GET /runs/{run}",
    "read",
    "where a run stands",
    statusContract,
    async ({ app, path }) => (await status(app, path("run"))).document,
  ),
  apiRoute("GET /runs/{run}/stories", "read", "the stories of a run", storiesContract, async ({ app, path }) => ({
    stories: await stories(app, path("run")),
  })),
  apiRoute(
    "GET /runs/{run}/cost",
    "read",
    "what a run used",
    costContract,
    async ({ app, path }) => await costOfRun(app, path("run")),
  ),
  apiRoute(
    "GET /runs/{run}/why",
    "read",
    "what a run is doing or waits for",
    whyContract,
    async ({ app, path }) => await whyOf(app, path("run")),
  ),
  apiRoute(
    "GET /runs/{run}/definition",
    "read",
    "the workflow as the run froze it",
    definitionContract,
    async ({ app, path }) => await definitionOfRun(app, path("run")),
  ),
  apiRoute(
    "GET /runs/{run}/diff",
    "read",
    "what a run or one of its stories changed",
    diffContract,
    async ({ app, path, query }) => await diffOf(app, path("run"), { ...query, fits: "page" }),
    { query: z.strictObject({ story: z.string().optional().describe("Only this story.") }), isSlow: true },
  ),
];
