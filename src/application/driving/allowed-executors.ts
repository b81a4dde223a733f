// The executors as a worker uses them: those that it takes, where its configuration names them, and how many of them work at once.

import { didYouMean } from "../../domain/nearest.ts";
import type { Config } from "../../runtime/config/config.ts";
import type { ConfiguredExecutors } from "../../runtime/config/executors.ts";
import { placesForAgents } from "../../runtime/config/executors.ts";
import type { Executors } from "../../runtime/parts.ts";

/** `allowed` null: all of them. Agents that pull and the shell of command steps are no executors that are named. */
export function onlyThese(executors: Executors, allowed: readonly string[] | null): Executors {
  if (allowed === null) return executors;
  return withNames(executors, (name) => allowed.includes(name));
}

/** Names of `worker.executors` for which this machine takes nothing, with the reason. A repository may configure executors of its own. */
export function idleNames(
  executors: Pick<ConfiguredExecutors, "every" | "isThere">,
  allowed: readonly string[],
): readonly string[] {
  const known = executors.every().map(({ name }) => name);
  return allowed.flatMap((name) => {
    if (executors.isThere(name)) return [];
    const why = known.includes(name)
      ? "its program is not installed here"
      : `no executor of that name is configured here; ${didYouMean(name, known)}known are: ${known.join(", ")}`;
    return [`worker.executors names ${name}: ${why}`];
  });
}

/** A guest leaves to others what it has not got; the host says what is missing. */
export function onlyInstalled(executors: Executors): Executors {
  return withNames(executors, (name) => executors.isThere?.(name) !== false);
}

/** What a run names with `--executor 'command: …'` would be any program. */
export function withoutPrograms(executors: Executors): Executors {
  const isProgram = (name: string) => name.startsWith("command:");
  const refused: Executors["refused"] = (...of) => executors.namesFor(...of).filter(isProgram);
  return changed(
    withNames(executors, (name) => !isProgram(name)),
    { refused },
  );
}

/**
 * A worker's slots say how many agents its machine has room for. What drivers assume of theirs where nothing is configured would be one
 * limit for all machines together.
 */
export function limitedBySlots(executors: Executors, { agents }: Pick<Config, "agents">): Executors {
  if (agents !== null) return executors;
  const permitsFor: Executors["permitsFor"] = (...of) =>
    executors.permitsFor(...of).filter(({ key }) => key !== placesForAgents);
  return changed(executors, { permitsFor });
}

function withNames(executors: Executors, takes: (name: string) => boolean): Executors {
  return changed(executors, { namesFor: (header, agent) => executors.namesFor(header, agent).filter(takes) });
}

function changed(executors: Executors, changes: Partial<Executors>): Executors {
  return new Proxy(executors, {
    get: (target, key) => {
      if (key in changes) return Reflect.get(changes, key);
      const value: unknown = Reflect.get(target, key);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
