// The table of routes: everything that the API has, and the document that describes it.

import { openApiContract } from "../contracts/http-documents.ts";
import { openApiDocument } from "./openapi.ts";
import { type ApiRoute, apiRoute } from "./route.ts";
import { attemptRoutes } from "./routes/attempts.ts";
import { gateRoutes } from "./routes/gates.ts";
import { projectRoutes } from "./routes/projects.ts";
import { pushRoutes } from "./routes/push.ts";
import { runRoutes } from "./routes/runs.ts";
import { serviceRoutes } from "./routes/service.ts";
import { setupRoutes } from "./routes/setup.ts";
import { steeringRoutes } from "./routes/steering.ts";
import { storyRoutes } from "./routes/stories.ts";
import { streamRoutes } from "./streams/routes.ts";

let document: Readonly<Record<string, unknown>> | null = null;

const openApi = apiRoute("GET /openapi.json", "read", "this document, OpenAPI 3.1", openApiContract, async () => {
  document ??= openApiDocument(routes);
  return document;
});

export const routes: readonly ApiRoute[] = [
  ...serviceRoutes,
  openApi,
  ...runRoutes,
  ...streamRoutes,
  ...steeringRoutes,
  ...storyRoutes,
  ...gateRoutes,
  ...attemptRoutes,
  ...setupRoutes,
  ...pushRoutes,
  ...projectRoutes,
];
