// The executors that a worker takes, where its configuration names them.

import type { Executors } from "../../runtime/parts.ts";

/** `allowed` null: all of them. Agents that pull and the shell of command steps are no executors that are named. */
export function onlyThese(executors: Executors, allowed: readonly string[] | null): Executors {
  if (allowed === null) return executors;
  return withNames(executors, (name) => allowed.includes(name));
}

/** A guest leaves to others what it has not got; the host says what is missing. */
export function onlyInstalled(executors: Executors): Executors {
  return withNames(executors, (name) => executors.isThere?.(name) !== false);
}

/** What a run names with `--executor 'command: …'` would be any program. */
export function withoutPrograms(executors: Executors): Executors {
  return withNames(executors, (name) => !name.startsWith("command:"));
}

function withNames(executors: Executors, takes: (name: string) => boolean): Executors {
  const namesFor: Executors["namesFor"] = (header, agent) => executors.namesFor(header, agent).filter(takes);
  return new Proxy(executors, {
    get: (target, key) => {
      if (key === "namesFor") return namesFor;
      const value: unknown = Reflect.get(target, key);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
