// Another host name for a process, or a container of its own, where this machine can give it one.

import { spawnSync } from "node:child_process";

/** What gives a process a host name of its own; empty: nothing does here. */
const renamed = apartBy("--uts");
/** And a process table of its own, as a container has it. */
const contained = apartBy("--uts", "--pid", "--fork", "--kill-child", "--mount-proc");

export const canRenameHosts = renamed.length > 0;
export const canContain = contained.length > 0;

function apartBy(...words: readonly string[]): readonly string[] {
  const prefixes = [["unshare"], ["unshare", "--user", "--map-root-user"]].map((prefix) => [...prefix, ...words]);
  return prefixes.find(([name = "", ...rest]) => spawnSync(name, [...rest, "hostname", "another"]).status === 0) ?? [];
}

/** What to put before the words of a process that is to be on a host of that name. It keeps its number. */
export function onHost(name: string): readonly string[] {
  return named(renamed, name);
}

/** The same for one in a container. */
export function inContainer(name: string): readonly string[] {
  return named(contained, name);
}

function named(place: readonly string[], host: string): readonly string[] {
  return place.length === 0 ? [] : [...place, "sh", "-c", 'hostname "$0" && exec "$@"', host];
}
