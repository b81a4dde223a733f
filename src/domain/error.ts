// The one error type that people see, its codes with their exit statuses, and helpers to read anything that was thrown.

/** Exit codes are a contract with scripts; see docs/spec/cli.md. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  held: 3,
  missing: 4,
  notFound: 5,
  refused: 6,
  interrupted: 130,
} as const;

const codes = {
  USAGE: exitCodes.usage,
  INPUT_INVALID: exitCodes.usage,
  INPUT_MISSING: exitCodes.usage,
  WORKFLOW_INVALID: exitCodes.usage,
  CONFIG_INVALID: exitCodes.usage,
  SCRIPT_INVALID: exitCodes.usage,
  REPOSITORY_UNUSABLE: exitCodes.missing,
  REPOSITORY_AWAY: exitCodes.missing,
  REPOSITORY_DIRTY: exitCodes.usage,
  BASE_NOT_FOUND: exitCodes.usage,
  EXECUTOR_MISSING: exitCodes.missing,
  GIT_MISSING: exitCodes.missing,
  GIT_FAILED: exitCodes.failed,
  GIT_KILLED: exitCodes.failed,
  WORKSPACE_BUSY: exitCodes.refused,
  SETUP_FAILED: exitCodes.failed,
  PROTOCOL_FAILED: exitCodes.failed,
  PROTOCOL_MISSING: exitCodes.missing,
  STORE_UNUSABLE: exitCodes.missing,
  STORE_FULL: exitCodes.missing,
  STORE_NEWER: exitCodes.missing,
  STORE_DAMAGED: exitCodes.failed,
  NOT_FOUND: exitCodes.notFound,
  AMBIGUOUS: exitCodes.notFound,
  REFUSED: exitCodes.refused,
  UNTRUSTED: exitCodes.refused,
  NODE_TOO_OLD: exitCodes.missing,
  FILES_GONE: exitCodes.missing,
  OUTPUT_FAILED: exitCodes.failed,
} as const;

export type ErrorCode = keyof typeof codes;

/** An error that a person or a calling program must act on. Expected outcomes of agents are values, not errors. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly hint: string;
  readonly details: readonly string[];

  constructor(code: ErrorCode, message: string, more: { hint: string; details?: readonly string[]; cause?: unknown }) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = "AppError";
    this.code = code;
    this.hint = more.hint;
    this.details = more.details ?? [];
  }

  get exitCode(): number {
    return codes[this.code];
  }
}

/** The message of anything that was thrown. */
export function errorText(error: unknown): string {
  // A connection that tried several addresses fails with several errors and no message of its own.
  if (error instanceof AggregateError) return error.errors.map(errorText).join("; ");
  return error instanceof Error ? error.message : String(error);
}

/** The operating system's code of an error, such as ENOENT; null for other errors. */
export function systemCode(error: unknown): string | null {
  const isSystemError = error instanceof Error && !(error instanceof AppError) && "code" in error;
  return isSystemError && typeof error.code === "string" ? error.code : null;
}
