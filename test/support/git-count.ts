// Counts the git processes that Pawl starts: a program in front of git writes down each call. The git of agents and of tests is not
// counted, because Pawl's own has a variable that they lack.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { vi } from "vitest";
import { tempDir } from "./repository.ts";
import { shimGit } from "./slots.ts";

/** Until the test calls `vi.unstubAllEnvs`. Returns the commands so far, without the settings that every one of them has. */
export function countGit(): () => readonly string[] {
  const file = join(tempDir("pawl-count-"), "calls");
  vi.stubEnv("PATH", shimGit(`[ -n "$PAWL_GIT_OF" ] && printf '%s\\n' "$*" >> ${file}\nexec $real "$@"`));
  return () => {
    const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
    return lines.filter((line) => line !== "").map((line) => line.replace(/^--no-pager(?: -c \S+)* /, ""));
  };
}
