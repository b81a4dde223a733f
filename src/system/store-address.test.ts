// Passwords in the names of stores.

import { expect, test } from "vitest";
import { hasPassword, withoutPassword } from "./store-address.ts";

test("[SO67] the name of a store for people has no password, wherever it was written", () => {
  const names = [
    "postgres://ada:s3cret@db:5432/pawl?schema=x",
    "postgresql://ada@db/pawl?password=s3cret&sslmode=require",
    "POSTGRES://ada:s3cret%2F@db/pawl",
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
