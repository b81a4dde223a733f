// Opening the application for one command. Owns: the directory, the environment and the user of this process, and where its log and
// its warnings go.

import { Application, type ApplicationOptions } from "../application/application.ts";
import { AppError } from "../domain/error.ts";
import { hasPassword } from "../system/store-address.ts";

export interface StoreOption {
  readonly store?: string;
  /** `--trust`: runs commands of the repository that nobody agreed to. */
  readonly trust?: boolean;
}

/** Opens, works, and closes again, also after an error. */
export async function withApplication<T>(
  { store, trust }: StoreOption,
  work: (app: Application) => Promise<T>,
  more: Pick<ApplicationOptions, "joins"> = {},
): Promise<T> {
  const app = applicationHere(store, trust, more);
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}

export function applicationHere(
  store?: string,
  trust?: boolean,
  more: Pick<ApplicationOptions, "executors" | "labels" | "joins"> = {},
): Application {
  if (store !== undefined) assertNoPassword("--store", store);
  const { env } = process;
  const warn = (text: string) => process.stderr.write(`note: ${text}\n`);
  const log = env["PAWL_LOG"] === "json" ? logLine : undefined;
  return new Application({ cwd: process.cwd(), env, store, trust, log, warn, ...more });
}

/** `what`: where the address stands on the command line. */
export function assertNoPassword(what: string, store: string): void {
  if (!hasPassword(store)) return;
  throw new AppError("USAGE", `${what} has a password in it, which every user of this machine can see`, {
    hint: "put the whole address into PAWL_STORE, or the password into the file that PGPASSFILE names (else ~/.pgpass)",
  });
}

function logLine(event: string, fields: Readonly<Record<string, string | number | null>>): void {
  process.stderr.write(`${JSON.stringify({ ts: new Date().toISOString(), event, ...fields })}\n`);
}
