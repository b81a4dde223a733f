// Routes about the service itself.

import { healthContract } from "../../contracts/http-documents.ts";
import { type Route, route } from "../route.ts";

export const serviceRoutes: readonly Route[] = [
  route("GET /health", null, "whether the service answers", healthContract, async () => ({ ok: true as const })),
];
