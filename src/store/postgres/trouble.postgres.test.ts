// Addresses and servers that cannot be used.

import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { inspect } from "node:util";
import { sql } from "kysely";
import { expect, onTestFinished, test, vi } from "vitest";
import {
  addressAs,
  administer,
  execute,
  onPostgres,
  openStoreAt,
  owner,
  postgresAddress,
  queryAt,
} from "../../../test/support/postgres.ts";
import { freshFile } from "../../../test/support/programs.ts";
import { systemClock } from "../../system/clock.ts";
import { openPostgresStore } from "./open.ts";
import { assertNewEnough } from "./trouble.ts";

onPostgres();

const password = "Tr0ub4dor&3-secret";

/** Opens it and expects that to fail, with an error that does not have the password. */
async function failure(address: string, clock = systemClock): Promise<Error> {
  const error = await openPostgresStore(address, clock, owner).then(
    async (store) => {
      await store.close();
      throw new Error("it was opened");
    },
    (thrown: Error) => thrown,
  );
  for (const written of [password, encodeURIComponent(password)])
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(written);
  return error;
}

/** A user with a password who may connect, and nothing else. */
async function newUser(settings = ""): Promise<string> {
  const name = `u_${randomBytes(6).toString("hex")}`;
  await administer((client) => client.query(`create role ${name} login password '${password}' ${settings}`));
  onTestFinished(
    async () =>
      void (await execute(`drop owned by ${name}`).then(() => administer((c) => c.query(`drop role ${name}`)))),
  );
  return name;
}

test("[SO64] an address that cannot be read is refused without being repeated", async () => {
  for (const address of [`postgres://u:${password}/@h:99999/d`, `postgres://u:%zz${password}@h/d`]) {
    expect(await failure(address)).toMatchObject({ code: "USAGE", hint: expect.stringContaining("%2F") });
  }
  expect(await failure("postgres://u@h/d?schema=No%20Schema")).toMatchObject({ code: "USAGE" });
});

test("[SO100] what the driver would ignore or misread in an address is refused", async () => {
  const base = addressAs(postgresAddress(), "u", password);
  const words: readonly (readonly [more: string, says: RegExp])[] = [
    ["&shema=other", /"shema" that Pawl does not know/],
    ["&schema=other", /"schema" twice/],
    ["&statement_timeout=0", /"statement_timeout"/],
    ["&port=abc", /port .* not a number/],
    ["&port=99999", /port .* not a number/],
    ["&sslmode=bogus", /sslmode .* does not know/],
    ["&ssl=false", /ssl .* does not know/],
    ["#more", /cannot be read/],
  ];
  for (const [more, says] of words)
    expect(await failure(`${base}${more}`)).toMatchObject({ code: "USAGE", message: expect.stringMatching(says) });
  for (const cut of ["/", "?", "#"]) {
    const address = `postgres://u:12${cut}${password}@h/d`;
    expect(await failure(address)).toMatchObject({ code: "USAGE", hint: expect.stringContaining("%2F") });
  }
  expect(await failure(`${base}&sslrootcert=/no/such.pem`)).toMatchObject({
    code: "STORE_UNUSABLE",
    message: expect.stringMatching(/sslrootcert .*ENOENT/),
  });
  expect(await failure(`${postgresAddress()}&options=nonsense`)).toMatchObject({
    code: "STORE_UNUSABLE",
    message: expect.stringContaining("did not accept the connection"),
    hint: expect.stringContaining("options"),
  });
});

test("[SO64] encryption that the server does not have, without a warning of the driver", async () => {
  const warned = vi.spyOn(process, "emitWarning");
  onTestFinished(() => warned.mockRestore());
  for (const mode of ["require", "verify-ca", "verify-full"]) {
    expect(await failure(`${postgresAddress()}&sslmode=${mode}`)).toMatchObject({
      code: "STORE_UNUSABLE",
      message: expect.stringMatching(/could not be encrypted: .*does not support SSL/),
      hint: expect.stringContaining("sslmode=verify-full"),
    });
  }
  expect(warned).not.toHaveBeenCalled();
});

test("[SO101] a schema with tables of another program is refused and left as it is", async () => {
  await execute("create schema theirs; create table theirs.runs (word text)");
  await execute("create schema knex; create table knex.migrations (id int, batch int)");
  for (const schema of ["theirs", "knex"]) {
    expect(await failure(postgresAddress(schema))).toMatchObject({
      code: "STORE_UNUSABLE",
      message: expect.stringContaining(`the schema ${schema} of`),
      hint: expect.stringContaining("?schema=NAME"),
    });
    const { rows } = await queryAt(postgresAddress(schema), (db) =>
      sql`select tablename from pg_tables where schemaname = ${schema}`.execute(db),
    );
    expect(rows).toHaveLength(1);
  }
});

test("[SO64] a server that cannot be reached is reported at once", async () => {
  const url = new URL(addressAs(postgresAddress(), "u", password));
  url.port = "1";
  expect(await failure(url.href)).toMatchObject({
    code: "STORE_UNUSABLE",
    message: expect.stringMatching(/postgres:\/\/u@.*:1\/.* cannot be reached: .*ECONNREFUSED/),
    hint: expect.stringContaining("port"),
  });
});

test("[SO64 SO120] a login that the server refuses, and a password that is missing", async () => {
  const user = await newUser();
  const unusable = (message: RegExp) => ({
    code: "STORE_UNUSABLE",
    message: expect.stringMatching(message),
    hint: expect.stringContaining("PGPASSFILE"),
  });
  expect(await failure(addressAs(postgresAddress(), user, `${password}!`))).toMatchObject(
    unusable(/refused the login/),
  );
  vi.stubEnv("PGPASSFILE", "/dev/null");
  expect(await failure(addressAs(postgresAddress(), user, ""))).toMatchObject(
    unusable(/\/dev\/null is not a plain file/),
  );
  const file = freshFile("pgpass");
  writeFileSync(file, "", { mode: 0o600 });
  vi.stubEnv("PGPASSFILE", file);
  expect(await failure(addressAs(postgresAddress(), user, ""))).toMatchObject({
    code: "STORE_UNUSABLE",
    message: expect.stringMatching(/wants a password, and there is none: no line of .*pgpass.* is for 127\.0\.0\.1:/),
    hint: expect.stringContaining(`:${user}:PASSWORD`),
  });
});

test("[SO67] the password may be in the file that PGPASSFILE names", async () => {
  const user = await newUser();
  const address = postgresAddress("own");
  await execute(`create schema own authorization ${user}`);
  const file = freshFile("pgpass");
  writeFileSync(file, `*:*:*:${user}:${password.replaceAll(":", "\\:")}\n`, { mode: 0o600 });
  vi.stubEnv("PGPASSFILE", file);
  const warned = vi.spyOn(process, "emitWarning");
  onTestFinished(() => warned.mockRestore());
  await (await openStoreAt(addressAs(address, user, ""))).close();
  expect(warned).not.toHaveBeenCalled();
});

test("[SO64] a database that is not there", async () => {
  const url = new URL(postgresAddress());
  url.pathname = "/no_such_database";
  expect(await failure(url.href)).toMatchObject({
    code: "STORE_UNUSABLE",
    message: expect.stringContaining("no such database"),
    hint: expect.stringContaining("createdb"),
  });
});

test("[SO64] a user without the right to create a schema, and with a schema of its own", async () => {
  const user = await newUser();
  const address = addressAs(postgresAddress("mine"), user, password);
  expect(await failure(address)).toMatchObject({
    code: "STORE_UNUSABLE",
    message: expect.stringContaining("permission denied"),
    hint: expect.stringContaining("CREATE SCHEMA"),
  });
  await execute(`create schema mine authorization ${user}`);
  await (await openStoreAt(address)).close();
});

test("[SO64] a server on which nothing may be written", async () => {
  const user = await newUser();
  await administer((client) => client.query(`alter role ${user} set default_transaction_read_only = on`));
  expect(await failure(addressAs(postgresAddress(), user, password))).toMatchObject({
    code: "STORE_UNUSABLE",
    message: expect.stringContaining("read-only"),
    hint: expect.stringContaining("primary"),
  });
});

test("[SO64] a server without a connection left is waited for, but not for long", async () => {
  const user = await newUser("connection limit 0");
  let steady = 0;
  const clock = { ...systemClock, steady: () => (steady += 1_000), sleep: async () => undefined };
  expect(await failure(addressAs(postgresAddress(), user, password), clock)).toMatchObject({
    code: "STORE_UNUSABLE",
    message: expect.stringContaining("no connection left"),
    hint: expect.stringContaining("max_connections"),
  });
});

test("[SO64] a server that is too old", () => {
  expect(() => assertNewEnough(130_021, "postgres://h/d")).toThrow("PostgreSQL 13, which is too old");
  expect(() => assertNewEnough(140_000, "postgres://h/d")).not.toThrow();
});

test("[SO65] a store belongs to the first home that opened it; another home has a schema of its own", async () => {
  const address = postgresAddress("shared");
  await (await openStoreAt(address)).close();
  const other = { id: "another", host: "elsewhere", dir: "/other", version: "1", joins: false };
  await expect(openPostgresStore(address, systemClock, other)).rejects.toMatchObject({
    code: "STORE_UNUSABLE",
    message: expect.stringContaining(`belongs to another home: ${owner.dir} on ${owner.host}`),
    hint: expect.stringContaining("?schema="),
  });
  await (await openPostgresStore(postgresAddress("second"), systemClock, other)).close();
  // A home that was moved is the same one.
  await (await openPostgresStore(address, systemClock, { ...owner, dir: "/moved" })).close();
});

test("[SO65] tables of other programs in the same database are left alone", async () => {
  await execute("create table public.runs (word text); insert into public.runs values ('theirs')");
  await (await openStoreAt(postgresAddress("beside"))).close();
  const { rows } = await queryAt(postgresAddress("public"), (db) => sql`select * from public.runs`.execute(db));
  expect(rows).toStrictEqual([{ word: "theirs" }]);
});

test("[SO66] a backup is the server's business", async () => {
  const store = await openStoreAt(postgresAddress("kept"));
  onTestFinished(() => store.close());
  await expect(store.backup("/tmp/x.db")).rejects.toMatchObject({
    code: "REFUSED",
    hint: expect.stringContaining("pg_dump --schema=kept"),
  });
});
