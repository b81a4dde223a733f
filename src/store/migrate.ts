// Migrates a database to this version's schema under the write lock, so that many processes may try at once.

import type { Kysely } from "kysely";
import { AppError } from "../domain/error.ts";
import type { ColumnTypes } from "./column-types.ts";
import { up as first } from "./migrations/001-first.ts";
import { up as agents } from "./migrations/002-agents.ts";
import { up as entries } from "./migrations/003-entries.ts";
import { up as attemptBodies } from "./migrations/004-attempt-bodies.ts";
import { up as runPlaces } from "./migrations/005-run-places.ts";
import { up as drivers } from "./migrations/006-drivers.ts";
import { up as effectsHeld } from "./migrations/007-effects-held.ts";
import { up as pauses } from "./migrations/008-pauses.ts";
import { up as permitLines } from "./migrations/009-permit-lines.ts";
import { up as parts } from "./migrations/010-parts.ts";
import { up as unreported } from "./migrations/011-unreported.ts";
import { up as api } from "./migrations/012-api.ts";
import { up as schedules } from "./migrations/013-schedules.ts";
import { up as changes } from "./migrations/014-changes.ts";
import { up as signInCodes } from "./migrations/015-sign-in-codes.ts";
import { up as push } from "./migrations/016-push.ts";
import { up as jobs } from "./migrations/017-jobs.ts";
import { up as machines } from "./migrations/018-machines.ts";
import { up as collation } from "./migrations/019-collation.ts";
import type { Tables } from "./schema.ts";

interface Migration {
  readonly name: string;
  readonly up: (db: Kysely<never>, types: ColumnTypes) => Promise<void>;
}

/** In order. The version of a database is the number of its migrations. A released migration is never edited. */
const migrations: readonly Migration[] = [
  { name: "first", up: first },
  { name: "agents", up: agents },
  { name: "entries", up: entries },
  { name: "attempt-bodies", up: attemptBodies },
  { name: "run-places", up: runPlaces },
  { name: "drivers", up: drivers },
  { name: "effects-held", up: effectsHeld },
  { name: "pauses", up: pauses },
  { name: "permit-lines", up: permitLines },
  { name: "parts", up: parts },
  { name: "unreported", up: unreported },
  { name: "api", up: api },
  { name: "schedules", up: schedules },
  { name: "changes", up: changes },
  { name: "sign-in-codes", up: signInCodes },
  { name: "push", up: push },
  { name: "jobs", up: jobs },
  { name: "machines", up: machines },
  { name: "collation", up: collation },
];

export const schemaVersion = migrations.length;

/** Runs inside the caller's write transaction. Running it twice is harmless. `store`: its name, for people. */
export async function migrate(db: Kysely<Tables>, types: ColumnTypes, now: number, store: string): Promise<void> {
  await db.schema
    .createTable("migrations")
    .ifNotExists()
    .addColumn("version", types.integer, (c) => c.primaryKey())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("applied_at", types.integer, (c) => c.notNull())
    .execute();
  const version = await versionOf(db);
  assertKnown(version, store);
  for (const [index, migration] of migrations.entries()) {
    if (index < version) continue;
    await migration.up(db as unknown as Kysely<never>, types);
    await db
      .insertInto("migrations")
      .values({ version: index + 1, name: migration.name, applied_at: now })
      .execute();
  }
}

/** `version`: how many migrations the store has. */
export function assertKnown(version: number, store: string): void {
  if (version <= schemaVersion) return;
  throw new AppError(
    "STORE_NEWER",
    `the store ${store} has schema ${version}, but this Pawl knows only ${schemaVersion}`,
    { hint: "use the newer Pawl that wrote it, or another store with --store" },
  );
}

export async function hasCurrentSchema(db: Kysely<Tables>): Promise<boolean> {
  return (await versionOf(db)) === schemaVersion;
}

async function versionOf(db: Kysely<Tables>): Promise<number> {
  const { version } = await db
    .selectFrom("migrations")
    .select((e) => e.fn.count<number>("version").as("version"))
    .executeTakeFirstOrThrow();
  return version;
}
