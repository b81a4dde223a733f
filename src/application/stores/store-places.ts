// The stores that a command names beside the one of its home. Owns: what an address means here, without ever opening one for its chores.

import { realpathSync } from "node:fs";
import { AppError } from "../../domain/error.ts";
import { isPostgres, shownStore, withoutPassword } from "../../system/store-address.ts";
import type { Application } from "../application.ts";

export type { StoreProgress } from "../../store/store.ts";

export interface StorePlace {
  /** To open it; it may have a password in it. */
  readonly address: string;
  /** For people and comparisons. */
  readonly label: string;
  /** null: it is on a server. */
  readonly file: string | null;
}

/** A server whose address `PAWL_STORE` has with its password is the same store. */
export function storePlace(app: Application, given: string): StorePlace {
  if (isPostgres(given)) {
    const label = labelOf(given);
    const known = app.env["PAWL_STORE"];
    return { address: known !== undefined && labelOf(known) === label ? known : given, label, file: null };
  }
  const path = /^sqlite:(.+)$/.exec(given)?.[1];
  if (path === undefined) {
    throw new AppError("USAGE", `"${shownStore(given)}" is not the address of a store`, {
      hint: "write sqlite:PATH or postgres://USER@HOST/DATABASE",
    });
  }
  const file = realPath(app.path(path));
  return { address: `sqlite:${file}`, label: `sqlite:${file}`, file };
}

/** The store that the commands of this home use. */
export function usedPlace(app: Application): StorePlace {
  return storePlace(app, app.storeName ?? `sqlite:${app.home.storeFile}`);
}

/** `postgresql:` is another spelling. */
function labelOf(address: string): string {
  return withoutPassword(address).replace(/^postgresql:/i, "postgres:");
}

/** A link and the file that it names are the same store. */
function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}
