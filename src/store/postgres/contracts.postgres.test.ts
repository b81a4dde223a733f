// Runs the store contracts on PostgreSQL.

import { onPostgres, openEmptyStore, walksOnPostgres } from "../../../test/support/postgres.ts";
import { describeApiTables } from "../api.contract.ts";
import { describeEntries } from "../entries.contract.ts";
import { describeFigures } from "../figures.contract.ts";
import { describeMessages } from "../messages.contract.ts";
import { describeOffersAndLeases } from "../offers-and-leases.contract.ts";
import { describeSchedules } from "../schedules.contract.ts";
import { describeStore } from "../store.contract.ts";
import { serverColumnTypes } from "./open.ts";

onPostgres();

const open = async () => ({ ...(await openEmptyStore()), columnTypes: serverColumnTypes });

describeStore("PostgreSQL", open, walksOnPostgres(45));
describeEntries("PostgreSQL", open, walksOnPostgres(6));
describeOffersAndLeases("PostgreSQL", open);
describeApiTables("PostgreSQL", open);
describeMessages("PostgreSQL", open);
describeSchedules("PostgreSQL", open);
describeFigures("PostgreSQL", open);
