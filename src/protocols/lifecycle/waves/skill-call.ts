// The call of a skill, `NAME ARGUMENTS`, and the call of the worker that performs it: `$maestro-ralph-execute "$NAME ARGUMENTS"`.

/** The names that the programs around a lifecycle know their parts by. Skills have theirs in the workflow. */
export const coordinator = "maestro-ralph";
const worker = "maestro-ralph-execute";

export interface SkillCall {
  readonly skill: string;
  readonly args: string;
}

export function splitCall(call: string): SkillCall {
  const [, skill = "", args = ""] = /^\s*\$?(\S*)\s*([\s\S]*)$/.exec(call) ?? [];
  return { skill, args: args.trimEnd() };
}

/** As the shell would: a quote and a backslash of the call are escaped, and nothing else changes. */
export function workerCall(call: string): string {
  const { skill, args } = splitCall(call);
  const inner = args === "" ? `$${skill}` : `$${skill} ${args}`;
  return `$${worker} "${inner.replace(/["\\]/g, "\\$&")}"`;
}

/** The call inside of a worker's; null: it is none. */
export function calledBy(text: string): string | null {
  const [, inner] = /^\s*\$?[A-Za-z0-9._-]+\s+"((?:[^"\\]|\\[\s\S])*)"\s*$/.exec(text) ?? [];
  return inner === undefined ? null : inner.replace(/\\([\s\S])/g, "$1").replace(/^\$/, "");
}
