// Passwords in the names of stores.

import { expect, test } from "vitest";
import { hasPassword, shownStore, withoutPassword } from "./store-address.ts";

test("[SO67] the name of a store for people has no password, wherever it was written", () => {
  const names = [
    "postgres://ada:s3cret@db:5432/pawl?schema=x",
    "postgresql://ada@db/pawl?password=s3cret&sslmode=require",
    "POSTGRES://ada:s3cret%2F@db/pawl",
    "postgres://ada@db/pawl?sslpassword=s3cret",
    // Not encoded. As addresses, these have the host "ada" and no password.
    "postgres://ada:12/s3cret@db/pawl",
    "postgres://ada:12#s3cret@db/pawl",
    "postgres://ada:12?s3cret@db/pawl",
    "postgres://ada:/s3cret@db/pawl",
  ];
  for (const name of names) {
    expect(hasPassword(name)).toBe(true);
    expect(withoutPassword(name)).not.toContain("s3cret");
    expect(hasPassword(withoutPassword(name))).toBe(false);
  }
  expect(withoutPassword("postgres://ada:s3cret@db:5432/pawl?schema=x")).toBe("postgres://ada@db:5432/pawl?schema=x");
  expect(withoutPassword("postgres://ada:s3/cret@db:99999/pawl")).toBe("postgres://…");
  for (const plain of ["postgres://ada@db/pawl", "sqlite:/a/b:c@d.db"]) {
    expect([hasPassword(plain), withoutPassword(plain)]).toStrictEqual([false, plain]);
  }
});

test("[SO67] what is not the address of a store is shown without what may be a password", () => {
  const given = [
    "postgres:/ada:s3cret@db/pawl",
    "postgres:ada:s3cret@db/pawl",
    " postgres://ada:s3cret@db/pawl",
    '"postgres://ada:s3cret@db/pawl"',
    "ada:s3cret@db/pawl",
    "host=db user=ada password=s3cret",
    "jdbc:postgresql://db/pawl?user=ada&password=s3cret",
  ];
  for (const each of given) expect(shownStore(each)).not.toContain("s3cret");
  expect(["mysql://ada:s3cret@db", "file:/a/b.db", "/a/b.db"].map(shownStore)).toStrictEqual([
    "mysql://…",
    "file:…",
    "/a/b.db",
  ]);
});
