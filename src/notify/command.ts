// Commands. Owns: a message to any program: JSON on stdin, exit code 0 means that it was taken.

import { callProgram, type ProgramPlace } from "./program.ts";
import type { CommandConfig, Delivery, DeliveryCall, Notice } from "./target.ts";

export async function tellCommand(
  { command, env }: Pick<CommandConfig, "command" | "env">,
  around: ProgramPlace,
  notice: Notice,
  { signal }: DeliveryCall,
): Promise<Delivery> {
  const problem = await callProgram({ command, env, input: `${JSON.stringify(notice)}\n`, signal }, around);
  return problem === null ? { outcome: "delivered" } : { outcome: "failed", why: problem };
}
