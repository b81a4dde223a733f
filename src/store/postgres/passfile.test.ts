// Passwords in a file.

import { chmodSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { freshFile } from "../../../test/support/programs.ts";
import { passwordFor } from "./passfile.ts";

const login = { host: "db", port: 5432, database: "pawl", user: "ada" };

test("[SO67] the first line that is for a login has its password", () => {
  const file = freshFile("pgpass");
  const lines = ["# db:5432:pawl:ada:comment", "db:5433:pawl:ada:port", "db:*:pawl:bob:user", "broken:line"];
  writeFileSync(file, [...lines, "db:5432:*:ada:a\\:b\\\\c", "*:*:*:*:any", ""].join("\n"), { mode: 0o600 });
  const found = (changes: object) => passwordFor({ ...login, ...changes }, { PGPASSFILE: file });
  expect(found({})).toBe("a:b\\c");
  expect(found({ port: 5433 })).toBe("port");
  expect(found({ user: "bob" })).toBe("user");
  expect(found({ host: "/run/socket", user: "eve" })).toBe("any");
});

test("[SO67] a file that is missing or that others can read has none", () => {
  const file = freshFile("pgpass");
  expect(passwordFor(login, { PGPASSFILE: file })).toBeNull();
  writeFileSync(file, "*:*:*:*:any\n", { mode: 0o600 });
  expect(passwordFor(login, { PGPASSFILE: file })).toBe("any");
  chmodSync(file, 0o640);
  expect(passwordFor(login, { PGPASSFILE: file })).toBeNull();
});
