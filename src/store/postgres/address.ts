// Reads the address of a PostgreSQL store into what the driver needs and what people see.

import { AppError } from "../../domain/error.ts";
import { withoutPassword } from "../../system/store-address.ts";

export interface Address {
  /** For the driver; it may have a password. */
  readonly url: string;
  /** For people. */
  readonly label: string;
  /** All tables are in it, so that those of other programs in the same database are left alone. */
  readonly schema: string;
}

/** No error names what was given: it may have a password in it. */
export function addressOf(given: string): Address {
  const url = URL.parse(given);
  if (url === null || !isDecodable(url)) {
    throw new AppError("USAGE", "the address of the store cannot be read", {
      hint: "write postgres://USER@HOST:PORT/DATABASE; characters such as / and @ in a password are written as %2F and %40",
    });
  }
  const schema = url.searchParams.get("schema") ?? "pawl";
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema) || schema.startsWith("pg_")) {
    throw new AppError("USAGE", `"${schema}" cannot be the schema of a store`, {
      hint: "a schema has small letters, digits and _, and does not begin with pg_",
    });
  }
  url.searchParams.delete("schema");
  return { url: url.href, label: withoutPassword(given), schema };
}

function isDecodable({ username, password, pathname, hostname }: URL): boolean {
  try {
    return [username, password, pathname, hostname].every((part) => decodeURIComponent(part) !== null);
  } catch {
    return false;
  }
}
