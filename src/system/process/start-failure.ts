// A program that did not start. Owns: explaining why, so that a person knows what to do.

import { statSync } from "node:fs";
import { systemCode } from "../../domain/error.ts";
import type { ProcessCall, ProcessEnding } from "./call.ts";

type NotStarted = Extract<ProcessEnding, { kind: "not_started" }>;

export function explainStartFailure(error: Error, call: ProcessCall): NotStarted {
  const code = systemCode(error) ?? "UNKNOWN";
  const [program] = call.command;
  const because = (why: string, shown = code): NotStarted => ({
    kind: "not_started",
    code: shown,
    message: `cannot start ${program}: ${why}`,
  });

  // The system reports ENOENT for a missing directory as well as for a missing program.
  if (kindOf(call.cwd) === "missing") return because(`the directory ${call.cwd} does not exist`, "NO_DIRECTORY");
  if (kindOf(call.cwd) === "file") return because(`${call.cwd} is not a directory`, "NO_DIRECTORY");
  if (code === "ENOENT" && program.includes("/") && kindOf(program) === "file")
    return because("the interpreter named in its first line does not exist");
  if (code === "ENOENT") return because(program.includes("/") ? "there is no such file" : "it is not on PATH");
  if (code === "EACCES") return because("it may not be executed (permission denied)");
  if (code === "E2BIG") return because("its arguments and environment are too long; give long text as input");
  return because(error.message);
}

function kindOf(path: string): "missing" | "file" | "directory" | "unknown" {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return "missing";
    return found.isDirectory() ? "directory" : "file";
  } catch {
    return "unknown";
  }
}
