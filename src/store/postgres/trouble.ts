// Turns errors of the server and of the connection to it into errors that say what to do. None has the password: the driver puts it into
// no error, and the store is named without it.

import { AppError, errorText } from "../../domain/error.ts";
import { BrokenDocument } from "../document.ts";

/** The oldest server that Pawl works with. */
const oldestServer = 14;

/** Another transaction was in the way: a lock that was not free for long, a deadlock, a conflict. */
export function isInTheWay(error: unknown): boolean {
  return ["40001", "40P01", "55P03"].includes(codeOf(error));
}

/** The server starts, or has no connection left for now. */
export function isBusy(error: unknown): boolean {
  return ["57P03", "53300"].includes(codeOf(error)) || messageOf(error) === poolTimeout;
}

/** The connection is gone, or there was none: the server restarts, or the network does. */
export function isLost(error: unknown): boolean {
  const code = codeOf(error);
  // 57P01 and 57P02: the server goes down. 25P03: it gave up on a transaction in which this process was silent for too long.
  if (code.startsWith("08") || ["57P01", "57P02", "25P03"].includes(code)) return true;
  return isUnreachable(error) || lostMessages.some((words) => messageOf(error).startsWith(words));
}

/** Of the driver's pool: all its connections were in use for as long as it waits for one. */
const poolTimeout = "timeout exceeded when trying to connect";

/** The driver gives these no code. */
const lostMessages = [
  "Connection terminated",
  "Client has encountered a connection error",
  "Client was closed",
  // Kysely's, after a rollback that had no connection.
  "Postgres connection has been discarded",
];

const unreachable = ["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH"];

function isUnreachable(error: unknown): boolean {
  // ENOENT: of the socket of a server on this machine.
  return [...unreachable, "ENETUNREACH", "ENOENT"].includes(codeOf(error));
}

export function serverError(error: unknown, store: string): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error;
  if (error instanceof BrokenDocument) {
    return unusable(`the store ${store} has a damaged row: ${error.message}`, {
      hint: "restore a backup, or choose another store with --store; other runs in it can still be used",
      cause: error,
    });
  }
  const cause = { cause: error };
  switch (codeOf(error)) {
    case "28P01":
    case "28000":
      return refusedLogin(error, store);
    case "3D000":
      return unusable(`there is no such database: ${store} (${error.message})`, {
        hint: "create it, for example with `createdb`; Pawl makes its own schema and tables in it",
        ...cause,
      });
    case "42501":
      return unusable(`the user of ${store} lacks a right: ${error.message}`, {
        hint: "let it connect and create schemas (GRANT CONNECT, CREATE ON DATABASE … TO …), or create them for it with CREATE SCHEMA … AUTHORIZATION …; it must own everything in them",
        ...cause,
      });
    case "0A000":
      // A statement that was planned before a newer Pawl added a column.
      return error.message.startsWith("cached plan")
        ? new AppError("STORE_NEWER", `the tables of the store ${store} were changed while this process used them`, {
            hint: "start it again, with the newest Pawl that uses this store",
            ...cause,
          })
        : otherError(error, store);
    case "25006":
      return readOnly(store, error);
    case "53100":
      return new AppError("STORE_FULL", `the server of ${store} has no disk space left: ${error.message}`, {
        hint: "free some disk space there and resume the run; what was committed is safe",
        ...cause,
      });
    case "53300":
      return unusable(`the server of ${store} has no connection left: ${error.message}`, {
        hint: "end other programs that use it, or raise its max_connections; a process of Pawl uses up to 5",
        ...cause,
      });
    case "57014":
      return unusable(`the store ${store} took too long to answer: ${error.message}`, {
        hint: "see what keeps the server busy, then try again; nothing was lost",
        ...cause,
      });
    default:
      return otherError(error, store);
  }
}

const encryptionHint =
  "?sslmode=verify-full at the end of the address encrypts and checks the certificate of the server, against &sslrootcert=FILE if that is given; no-verify does not check it, disable does not encrypt";

function refusedLogin(error: Error, store: string): AppError {
  const message = `the server refused the login to ${store}: ${error.message}`;
  if (!error.message.startsWith("no pg_hba.conf entry")) {
    if (error.message.startsWith("no PostgreSQL user name"))
      return unusable(message, { hint: "name the user in the address: postgres://USER@HOST/DATABASE", cause: error });
    return unusable(message, {
      hint: "check the user and the password: in PAWL_STORE, or in the file that PGPASSFILE names (else ~/.pgpass)",
      cause: error,
    });
  }
  const isPlain = error.message.endsWith("no encryption");
  return unusable(message, {
    hint: `allow this user, database and address in pg_hba.conf of the server${isPlain ? `, or encrypt the connection: ${encryptionHint}` : ""}`,
    cause: error,
  });
}

/** The server did not take what the address says beside the login, such as `options`. */
export function refusedStart(error: unknown, store: string): unknown {
  if (!(error instanceof Error) || !/^(?:0A|22|42|55|XX)...$/.test(codeOf(error)) || codeOf(error) === "42501")
    return error;
  return unusable(`the server of ${store} did not accept the connection: ${error.message}`, {
    hint: "check the parameters in the address, such as options, and the log of the server",
    cause: error,
  });
}

/** In a schema that was there: a table that Pawl would make, or one of the same name with other columns. */
export function foreignTables(error: unknown, store: string, schema: string): unknown {
  if (!(error instanceof Error) || !["42P07", "42703"].includes(codeOf(error))) return error;
  return unusable(`the schema ${schema} of ${store} has tables of another program: ${error.message}`, {
    hint: "give Pawl a schema of its own with ?schema=NAME at the end of the address; nothing was changed",
    cause: error,
  });
}

function otherError(error: Error, store: string): unknown {
  const cause = { cause: error };
  if (isInTheWay(error)) {
    return unusable(`the store ${store} has been locked by another process for too long`, {
      hint: "see pg_stat_activity for the process that holds the lock, then try again; nothing was lost",
      ...cause,
    });
  }
  if (error.message === poolTimeout) {
    return unusable(`all connections of this process to ${store} have been busy for too long`, {
      hint: "see what keeps the server busy, then try again; nothing was lost",
      ...cause,
    });
  }
  if (isLost(error) || codeOf(error) === "57P03") {
    return unusable(`the store ${store} cannot be reached: ${errorText(error)}`, {
      hint: "check the host and the port, and that the server runs",
      ...cause,
    });
  }
  // Of the encryption of the connection.
  if (/\bSSL\b|certificate/i.test(error.message)) {
    return unusable(`the connection to ${store} could not be encrypted: ${error.message}`, {
      hint: encryptionHint,
      ...cause,
    });
  }
  return error;
}

export function passwordMissing(store: string, { lacks, hint }: { lacks: string; hint: string }): AppError {
  return unusable(`the server of ${store} wants a password, and there is none: ${lacks}`, { hint });
}

export function readOnly(store: string, cause?: Error): AppError {
  return unusable(`the store ${store} is read-only: a replica, or a database in which nothing may be written`, {
    hint: "use the address of the primary server",
    cause,
  });
}

export function pooledTransactions(store: string): AppError {
  return unusable(`the pool before the server of ${store} does not keep sessions`, {
    hint: "let it keep them (PgBouncer: pool_mode = session), or use the address of the server itself",
  });
}

export function noSuchSchema(store: string, schema: string): AppError {
  return unusable(`there is no store ${store}: the database has no schema ${schema} with tables of Pawl`, {
    hint: "check the database, and ?schema=NAME at the end of the address",
  });
}

/** `version` as the server counts: 150018 is 15.18. */
export function assertNewEnough(version: number, store: string): void {
  if (version >= oldestServer * 10_000) return;
  throw unusable(`the server of ${store} is PostgreSQL ${Math.floor(version / 10_000)}, which is too old`, {
    hint: `Pawl needs PostgreSQL ${oldestServer} or newer`,
  });
}

function unusable(message: string, more: { readonly hint: string; readonly cause?: Error | undefined }): AppError {
  return new AppError("STORE_UNUSABLE", message, more);
}

/** The SQLSTATE of the server, or the code of the operating system; "": none. */
function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "";
}
