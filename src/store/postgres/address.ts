// Reads the address of a PostgreSQL store into what the driver needs and what people see. Refuses what the driver would ignore or take
// for something else: a wrong word in an address must not lead to another store.

import { accessSync, constants } from "node:fs";
import { AppError, errorText } from "../../domain/error.ts";
import { isCutWrong, withoutPassword } from "../../system/store-address.ts";

export interface Address {
  /** For the driver; it may have a password. */
  readonly url: string;
  /** For people. */
  readonly label: string;
  /** All tables are in it, so that those of other programs in the same database are left alone. */
  readonly schema: string;
}

const files = ["sslrootcert", "sslcert", "sslkey"];
const server = ["schema", "host", "port", "user", "password", "application_name", "options"];
const known = [...server, "sslmode", ...files, "ssl", "sslnegotiation", "uselibpqcompat"];

/** Those that the driver takes for `verify-full`, with a warning of many lines for every command. */
const strictModes = ["prefer", "require", "verify-ca"];
const modes = ["disable", "no-verify", ...strictModes, "verify-full"];

/** No error names what was given: it may have a password in it. */
export function addressOf(given: string): Address {
  const url = URL.parse(given);
  if (url === null || !isDecodable(url) || url.hash !== "" || isCutWrong(given)) {
    throw new AppError("USAGE", "the address of the store cannot be read", {
      hint: "write postgres://USER@HOST:PORT/DATABASE; characters such as / and @ in a password are written as %2F and %40",
    });
  }
  const words = url.searchParams;
  assertKnown(words);
  assertValues(words);
  const schema = words.get("schema") ?? "pawl";
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema) || schema.startsWith("pg_")) {
    throw new AppError("USAGE", `"${schema}" cannot be the schema of a store`, {
      hint: "a schema has small letters, digits and _, and does not begin with pg_",
    });
  }
  words.delete("schema");
  if (strictModes.includes(words.get("sslmode") ?? "") && words.get("uselibpqcompat") !== "true")
    words.set("sslmode", "verify-full");
  return { url: url.href, label: withoutPassword(given), schema };
}

/** A value may be a password, a name is shown only if it looks like one. */
function assertKnown(words: URLSearchParams): void {
  const names = [...words.keys()];
  const wrong = names.find((name, at) => !known.includes(name) || names.indexOf(name) !== at);
  if (wrong === undefined) return;
  const shown = /^\w{1,40}$/.test(wrong) ? ` "${wrong}"` : "";
  const what = known.includes(wrong) ? "twice" : "that Pawl does not know";
  throw new AppError("USAGE", `the address of the store has a parameter${shown} ${what}`, {
    hint: `leave it out; known are ${known.join(", ")}`,
  });
}

function assertValues(words: URLSearchParams): void {
  const port = words.get("port");
  if (port !== null && !(/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535)) {
    throw new AppError("USAGE", "the port in the address of the store is not a number from 1 to 65535", {
      hint: "write postgres://USER@HOST:PORT/DATABASE",
    });
  }
  assertOneOf(words, "sslmode", modes);
  assertOneOf(words, "ssl", ["true", "1", "0"]);
  for (const name of files) assertReadable(name, words.get(name));
}

function assertOneOf(words: URLSearchParams, name: string, values: readonly string[]): void {
  const value = words.get(name);
  if (value === null || values.includes(value)) return;
  throw new AppError("USAGE", `${name} in the address of the store has a value that Pawl does not know`, {
    hint: `it is one of ${values.join(", ")}`,
  });
}

function assertReadable(name: string, file: string | null): void {
  if (file === null) return;
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    throw new AppError("STORE_UNUSABLE", `the file of ${name} in the address of the store: ${errorText(error)}`, {
      hint: "name a file that this user can read, with its whole path",
      cause: error,
    });
  }
}

function isDecodable({ username, password, pathname, hostname }: URL): boolean {
  try {
    return [username, password, pathname, hostname].every((part) => decodeURIComponent(part) !== null);
  } catch {
    return false;
  }
}
