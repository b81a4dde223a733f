// The overview. Owns: what `pawl --help` prints.

import type { CommandEntry } from "../catalogue.ts";

export function overview(entries: readonly CommandEntry[]): string {
  const width = Math.max(...entries.map((entry) => Math.min(entry.usage.length, 28)));
  const lines: string[] = [
    "Pawl runs coding agents through small verified steps.",
    "",
    "Usage: pawl COMMAND [ARGUMENTS]",
  ];
  for (const group of new Set(entries.map((entry) => entry.group))) {
    lines.push("", `${group}:`);
    for (const entry of entries.filter((candidate) => candidate.group === group)) {
      const usage = entry.usage.length > 28 ? entry.name : entry.usage;
      lines.push(`  ${usage.padEnd(width)}  ${entry.summary}`);
    }
  }
  return [
    ...lines,
    "",
    "`pawl COMMAND --help` shows arguments and an example. `--json` prints one JSON document, `--store` uses another store.",
    "Begin with `pawl demo`, then `pawl init` in a repository of yours.",
  ].join("\n");
}
