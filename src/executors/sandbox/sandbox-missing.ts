// Tries once whether sandboxes work here: some systems have bubblewrap and do not let it work.

import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { allowedEnvironment } from "../../system/process/environment.ts";
import { supervise } from "../../system/process/supervise.ts";
import type { Missing } from "../executor.ts";
import { lastWords } from "../process-end.ts";
import { findProgram } from "../program.ts";
import { type Sandbox, sandboxProgram, unshared } from "./sandbox.ts";

const answerMs = 10_000;
const tried = new Map<string, Promise<string | null>>();

/** Why the sandbox of this executor does not work; null: it does. */
export async function missingSandbox(name: string, { network }: Sandbox): Promise<Missing | null> {
  const without = `or say \`sandbox: none\` in executors.${name} of your own configuration`;
  const bwrap = findProgram(sandboxProgram);
  if (bwrap === null)
    return {
      what: `the sandbox of ${name} needs bubblewrap (\`${sandboxProgram}\`), which is not installed`,
      hint: `install bubblewrap (Linux only), ${without}`,
    };
  const key = `${bwrap} ${network}`;
  const trial = tried.get(key) ?? trySandbox(bwrap, network);
  tried.set(key, trial);
  const why = await trial;
  if (why === null) return null;
  return {
    what: `the sandbox of ${name} does not work here${why}`,
    hint: `let users make namespaces (https://github.com/containers/bubblewrap), ${without}`,
  };
}

/** Starts bubblewrap in itself, because no other program is known to be installed. */
async function trySandbox(bwrap: string, network: boolean): Promise<string | null> {
  const end = await supervise({
    command: [bwrap, ...unshared(network), "--", bwrap, "--version"],
    cwd: tmpdir(),
    env: allowedEnvironment(process.env, []),
    marker: { name: "PAWL_SANDBOX_TRIAL", value: randomUUID() },
    input: "",
    limits: { wallMs: answerMs, quietMs: null, graceMs: 500, captureBytes: 16 * 1024 },
  }).ended;
  if (end.kind === "exited" && end.code === 0) return null;
  return lastWords(end.stderr, end.stdout) || ": it did not start a program";
}
