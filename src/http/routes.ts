// The table of routes.

import type { Route } from "./route.ts";
import { serviceRoutes } from "./routes/service.ts";

export const routes: readonly Route[] = [...serviceRoutes];
