// What an executor lacks before it can be used: its program, or a sandbox that works. Every executor asks here.

import type { Missing } from "./executor.ts";
import { chooseOther } from "./not-started.ts";
import { findProgram } from "./program.ts";
import type { Sandbox } from "./sandbox/sandbox.ts";
import { missingSandbox } from "./sandbox/sandbox-missing.ts";

export interface Needs {
  /** The executor's name. */
  readonly name: string;
  readonly program: string;
  /** The program as a sentence names it. */
  readonly shown: string;
  /** What to do where it is not installed. */
  readonly install: string;
  readonly sandbox: Sandbox | null;
  /** What keeps the program at this path from being used; null: nothing. */
  readonly unfit?: (file: string) => Promise<string | null>;
}

export async function missingFrom({ name, program, shown, install, sandbox, unfit }: Needs): Promise<Missing | null> {
  const hint = `${install}, or ${chooseOther}`;
  const file = findProgram(program);
  if (file === null) return { what: `${shown} is not installed or not on PATH`, hint };
  const problem = (await unfit?.(file)) ?? null;
  if (problem !== null) return { what: `${shown} ${problem}`, hint };
  return sandbox === null ? null : await missingSandbox(name, sandbox);
}
