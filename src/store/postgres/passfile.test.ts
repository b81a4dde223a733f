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
  expect(found({})).toEqual({ password: "a:b\\c" });
  expect(found({ port: 5433 })).toEqual({ password: "port" });
  expect(found({ user: "bob" })).toEqual({ password: "user" });
  expect(found({ host: "/run/socket", user: "eve" })).toEqual({ password: "any" });
});

test("[SO67 SO120] a file that is missing, that others can read, or that has no line for a login has no password, and says so", () => {
  const file = freshFile("pgpass");
  const found = () => passwordFor(login, { PGPASSFILE: file });
  const lacking = (lacks: string, hint: string) => ({
    lacks: expect.stringContaining(lacks),
    hint: expect.stringContaining(hint),
  });
  expect(found()).toEqual(lacking(`no such file or directory, stat '${file}'`, "PGPASSFILE"));
  writeFileSync(file, "db:5432:pawl:ada:any\n", { mode: 0o600 });
  expect(found()).toEqual({ password: "any" });
  chmodSync(file, 0o640);
  expect(found()).toEqual(lacking(`other users can read ${file}`, `chmod 600 ${file}`));
  chmodSync(file, 0o600);
  writeFileSync(file, "db.example.com:5432:pawl:ada:any\n");
  expect(found()).toEqual(lacking(`no line of ${file} is for db:5432:pawl:ada`, "db:5432:pawl:ada:PASSWORD"));
  writeFileSync(file, "db:5432:pawl:ada:a:b\n");
  expect(found()).toEqual(lacking("has too many colons", "as \\: and \\\\"));
});
