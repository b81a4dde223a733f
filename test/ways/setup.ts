// Before every test file of the five ways of working on PostgreSQL: each site has a store of its own there, and two workers.

import { afterAll, beforeEach } from "vitest";
import { onPostgres } from "../support/postgres.ts";
import { keepSiteStores } from "../support/site-store.ts";
import { stopAllWorkers, storesWithWorkers } from "../support/site-workers.ts";
import { leftOut } from "./left-out.ts";

// Its hook that drops the database comes last.
onPostgres();
afterAll(stopAllWorkers);
keepSiteStores(storesWithWorkers);
beforeEach((context) => {
  const why = leftOut(context.task.name);
  if (why !== null) context.skip(why);
});
