// Which home a store belongs to, and which others are its guests. Runs have their trees and logs in a home, and a process that finds a run
// of another home would take its worker for dead and its tree for lost. So the first home that opens a store on a server has it, and a
// worker of another one joins as a guest.

import { type Kysely, sql } from "kysely";
import { AppError } from "../../domain/error.ts";
import { isNewer } from "../../domain/version.ts";
import { deadAfterMs } from "../machines.ts";
import type { Tables } from "../schema.ts";

export interface StoreOwner {
  /** Of the home, not of its path: a home that moves stays the same. */
  readonly id: string;
  readonly host: string;
  readonly dir: string;
  /** Of Pawl. */
  readonly version: string;
}

export interface StoreVisitor extends StoreOwner {
  /** A worker, which may perform attempts of a store that belongs to another home. */
  readonly joins: boolean;
}

/** Inside the transaction that migrates. Running it twice is harmless. */
export async function createOwnerTable(db: Kysely<Tables>): Promise<void> {
  await sql`create table if not exists homes (id text primary key, host text not null, dir text not null)`.execute(db);
  await sql`alter table homes
    add column if not exists guest boolean not null default false,
    add column if not exists version text not null default ''`.execute(db);
}

/** Inside a write transaction. A guest never makes a store its own. */
export async function recordOwner(db: Kysely<Tables>, { id, host, dir, version, joins }: StoreVisitor): Promise<void> {
  if (joins) return;
  await sql`insert into homes (id, host, dir, version) select ${id}, ${host}, ${dir}, ${version}
    where not exists (select from homes where not guest)`.execute(db);
}

type HomeRow = StoreOwner & { readonly guest: boolean };

/** Returns the home that has the store: this one, or for a guest another one. */
export async function ownerFor(db: Kysely<Tables>, own: StoreVisitor, store: string): Promise<StoreOwner> {
  const { rows } = await sql<HomeRow>`select id, host, dir, version, guest from homes`.execute(db);
  const owner = rows.find(({ guest }) => !guest);
  if (owner?.id === own.id) {
    // An older one that only looks does not speak for the workers of this home; those say their version themselves.
    if (isNewer(own.version, owner.version))
      await sql`update homes set version = ${own.version} where id = ${own.id}`.execute(db);
    return own;
  }
  if (!own.joins) {
    if (owner !== undefined) throw ofAnotherHome(owner, store);
    // The home that had it is gone.
    await recordOwner(db, own);
    return own;
  }
  if (owner === undefined) throw noOwner(store);
  assertSameVersion(owner, own, store);
  await assertOnlyOne(db, own, rows);
  await sql`insert into homes (id, host, dir, guest, version) values (${own.id}, ${guestName(own)}, ${own.dir}, true, ${own.version})
    on conflict (id) do update set host = excluded.host, dir = excluded.dir, version = excluded.version`.execute(db);
  return owner;
}

/** A copy of a home has its id, too. Containers that share a home have it at one place, and names of their own. */
async function assertOnlyOne(db: Kysely<Tables>, own: StoreVisitor, homes: readonly HomeRow[]): Promise<void> {
  const other = homes.find(({ id }) => id === own.id);
  if (other === undefined || other.dir === own.dir) return;
  const { rows } = await sql`select from machine_workers where home_id = ${own.id}
    and seen_at > clock_timestamp() - ${deadAfterMs} * interval '1 millisecond'`.execute(db);
  if (rows.length === 0) return;
  throw new AppError(
    "STORE_UNUSABLE",
    `${other.dir} on ${other.host} is the same home as ${own.dir}, and has a worker`,
    {
      hint: `one of them is a copy: remove its file home.id, its worktrees and its repositories, and it becomes a machine of its own; a home that was moved may join ${deadAfterMs / 1000} s after its last worker`,
    },
  );
}

/** Two containers may have the same host name, also the one of the host, whose processes are known by its host name alone. */
export function guestName({ host, id }: Pick<StoreOwner, "host" | "id">): string {
  return `${host}.${id.slice(0, 8)}`;
}

export function noOwner(store: string): AppError {
  return new AppError("STORE_UNUSABLE", `the store ${store} belongs to no home yet, so a worker cannot join it`, {
    hint: "first open it where the repositories are, for example with `pawl runs`",
  });
}

/** The schema is not the one of this version: only the home that has the store may change it. */
export async function assertOwnToMigrate(db: Kysely<Tables>, own: StoreVisitor, store: string): Promise<void> {
  // Older schemas know no guests.
  const { rows } = await sql<StoreOwner>`select id, host, dir, '' as version from homes
    where coalesce(to_jsonb(homes)->>'guest', 'false') = 'false'`.execute(db);
  const [owner] = rows;
  if (owner === undefined || owner.id === own.id) return;
  if (!own.joins) throw ofAnotherHome(owner, store);
  throw new AppError("STORE_UNUSABLE", `the store ${store} was made by another version of Pawl than ${own.version}`, {
    hint: `install the same version here and on ${owner.host}; a worker of another home changes no schema`,
  });
}

function ofAnotherHome(owner: StoreOwner, store: string): AppError {
  return new AppError("STORE_UNUSABLE", `the store ${store} belongs to another home: ${owner.dir} on ${owner.host}`, {
    hint: "a `pawl worker` whose configuration names `worker.repositories` may join it; else give this home a schema of its own with ?schema=NAME at the end of the address; if that home is gone for good, delete its row from the table homes",
  });
}

/** Both change the same runs, by rules that must be the same. */
function assertSameVersion(owner: StoreOwner, { version }: Pick<StoreOwner, "version">, store: string): void {
  if (owner.version === version) return;
  throw new AppError(
    "STORE_UNUSABLE",
    `this worker is Pawl ${version}, and the store ${store} is used by Pawl ${owner.version || "of an older version"} on ${owner.host}`,
    { hint: "install the same version on both machines; drain the workers before the host is upgraded" },
  );
}
