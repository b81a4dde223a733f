// The contract of errors: what `--json` prints instead of a document when a command fails.

import { z } from "zod";
import { object, text, texts } from "./shape.ts";

export const errorCode = z.enum([
  "USAGE",
  "INPUT_INVALID",
  "INPUT_MISSING",
  "WORKFLOW_INVALID",
  "CONFIG_INVALID",
  "SCRIPT_INVALID",
  "REPOSITORY_UNUSABLE",
  "REPOSITORY_AWAY",
  "REPOSITORY_DIRTY",
  "BASE_NOT_FOUND",
  "EXECUTOR_MISSING",
  "GIT_MISSING",
  "GIT_FAILED",
  "GIT_KILLED",
  "WORKSPACE_BUSY",
  "PROTOCOL_FAILED",
  "PROTOCOL_MISSING",
  "SETUP_FAILED",
  "STORE_UNUSABLE",
  "STORE_FULL",
  "STORE_NEWER",
  "STORE_DAMAGED",
  "NOT_FOUND",
  "AMBIGUOUS",
  "REFUSED",
  "UNTRUSTED",
  "NODE_TOO_OLD",
  "FILES_GONE",
  "OUTPUT_FAILED",
]);

export const errorContract = object({
  error: object({ code: errorCode, message: text, hint: text, details: texts }),
}).meta({ id: "ErrorDocument" });

export type ErrorDocument = z.infer<typeof errorContract>;
