// Turns errors of the disk, the directory or the SQLite file into errors that say what to do.

import { AppError } from "../../domain/error.ts";
import { BrokenDocument } from "../document.ts";

export function isLocked(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === 5 || code === 6;
}

/** The file has something in it that SQLite cannot read. */
export function isDamaged(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === 11 || code === 26;
}

/** The primary result code; node:sqlite returns the extended one. */
function sqliteCode(error: unknown): number | null {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return null;
  return error.errcode & 0xff;
}

export function storeError(error: unknown, file: string): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error;
  if (error instanceof BrokenDocument) return brokenRow(file, error);
  const cause = { cause: error };
  switch (sqliteCode(error)) {
    case 5:
    case 6:
      return new AppError("STORE_UNUSABLE", `the store ${file} has been locked by another process for too long`, {
        hint: "find and stop the process that holds it, then try again; nothing was lost",
        ...cause,
      });
    case 8:
      return new AppError("STORE_UNUSABLE", `the store ${file} cannot be written`, {
        hint: "make the file and its directory writable, or choose another store with --store or PAWL_HOME",
        ...cause,
      });
    case 10:
    case 13:
      return new AppError("STORE_FULL", `the store ${file} could not be written: ${error.message}`, {
        hint: "free some disk space and resume the run; what was committed is safe",
        ...cause,
      });
    case 11:
    case 26:
      return notAStore(file, error.message, error);
    case 14:
      return new AppError("STORE_UNUSABLE", `the store ${file} cannot be opened`, {
        hint: "check that its directory exists and is yours, or choose another with --store or PAWL_HOME",
        ...cause,
      });
    case null:
    default: {
      const code = "code" in error ? error.code : null;
      // Of `mkdir` and `open`, whatever the file system answers: /proc, for example, knows no such file.
      if (typeof code === "string" && /^E[A-Z0-9]+$/.test(code) && code !== "ENOSPC" && "syscall" in error) {
        return new AppError("STORE_UNUSABLE", `the store directory for ${file} cannot be used: ${error.message}`, {
          hint: "make it writable, or choose another with --store or PAWL_HOME",
          ...cause,
        });
      }
      if (code === "ENOSPC") {
        return new AppError("STORE_FULL", `no space left for the store ${file}`, {
          hint: "free some disk space",
          ...cause,
        });
      }
      return error;
    }
  }
}

/** Rows are read one by one, so the runs that have no such row are as usable as before. */
function brokenRow(file: string, error: BrokenDocument): AppError {
  return new AppError("STORE_UNUSABLE", `the store ${file} has a damaged row: ${error.message}`, {
    hint: "restore a backup, or choose another store with --store or PAWL_HOME; other runs in it can still be used",
    cause: error,
  });
}

export function notAStore(file: string, why: string, cause?: Error): AppError {
  return new AppError("STORE_UNUSABLE", `${file} is damaged or not a Pawl store: ${why}`, {
    hint: "move the file away, restore a backup, or choose another store with --store",
    cause,
  });
}

export function noSuchFile(file: string): AppError {
  return new AppError("STORE_UNUSABLE", `there is no store ${file}`, {
    hint: "check the path; sqlite:PATH is relative to this directory, and the store of a home is its pawl.db",
  });
}
