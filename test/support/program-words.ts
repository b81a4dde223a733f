// The words that start a TypeScript program of the tests.

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder with the programs that were bundled for the tests (bundled-programs.ts); without it they run from their sources. */
export const bundlesVariable = "PAWL_TEST_PROGRAMS";

const start = fileURLToPath(new URL("start.js", import.meta.url));

/** `name`: a file of this folder. */
export function programWords(name: string): readonly [string, string, string] {
  return [process.execPath, start, bundleOf(name) ?? fileURLToPath(new URL(name, import.meta.url))];
}

/** The same program, if it was bundled for the tests (bundled-programs.ts). */
function bundleOf(name: string): string | null {
  const dir = process.env[bundlesVariable];
  const bundle = dir === undefined ? null : join(dir, name.replace(/\.ts$/, ".js"));
  return bundle !== null && existsSync(bundle) ? bundle : null;
}

/** The same for a shell, or for an executor that is a command. */
export function programLine(name: string): string {
  return programWords(name)
    .map((word) => `'${word}'`)
    .join(" ");
}

/** Starts a module that is given as text, for a test that kills it: what was compiled of its imports is kept before that. */
export function startModule(text: string, variables: NodeJS.ProcessEnv = {}): ChildProcessWithoutNullStreams {
  const module = `import { flushCompileCache } from "node:module";\nflushCompileCache();\n${text}`;
  const env = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), "node-compile-cache"), ...variables };
  return spawn(process.execPath, ["--input-type=module", "--eval", module], { env });
}
