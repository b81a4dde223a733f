// Runs the dispatch contract on a PostgreSQL store.

import { onPostgres, openEmptyStore, walksOnPostgres } from "../../../test/support/postgres.ts";
import { describeDispatch } from "../dispatch.contract.ts";
import { EmbeddedDispatch } from "./embedded.ts";

onPostgres();

const open = async () => {
  const { store, another } = await openEmptyStore();
  const opened = (each: typeof store) => ({ store: each, dispatch: new EmbeddedDispatch(each) });
  return { ...opened(store), another: async () => opened(await another()) };
};

describeDispatch("embedded in PostgreSQL", open, walksOnPostgres(12));
