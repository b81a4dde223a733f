// Finds lines of src/ that name an agent outside its own folder. Lines that show a command to a person may.

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { agents } from "../layers.config.ts";

/** Prices are per model, and makers name their models after their agents. */
const mayName = [/^src\/executors\/(?:agents|prices)\.ts$/, /\.(?:test|contract)\.ts$/];
const names = agents.join("|");
const name = new RegExp(`\\b(?:${names})\\b`, "i");
const ownFolder = new RegExp(`^src/executors/(?:${names})/`);

export function namedAgents(root: string): string[] {
  const files = globSync("src/**/*.{ts,tsx}", { cwd: root });
  return files.flatMap((file) => {
    if ([ownFolder, ...mayName].some((pattern) => pattern.test(file))) return [];
    const lines = readFileSync(join(root, file), "utf8").split("\n");
    const found = lines.findIndex((line) => name.test(line) && !/\bpawl \w/.test(line));
    return found === -1 ? [] : [`no-named-agents: ${file}:${found + 1} names an agent outside of its own folder`];
  });
}
