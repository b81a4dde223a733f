// The scripted executor. Owns: playing a script (script.ts) through the ordinary command executor.

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { commandExecutor } from "../command/command.ts";
import type { Executor } from "../executor.ts";

/** Beside this file: `agent.ts` in a clone, `agent.js` in the published package. */
const agent =
  ["./agent.ts", "./agent.js"].map((name) => fileURLToPath(new URL(name, import.meta.url))).find(existsSync) ?? "";

export function scriptedExecutor(script: string): Executor {
  const played = commandExecutor({
    name: "scripted",
    command: [process.execPath, agent, script],
    env: [],
    wallMs: 10 * 60_000,
    quietMs: null,
    graceMs: 1_000,
  });
  return {
    ...played,
    async missing() {
      if (existsSync(script)) return await played.missing();
      return { what: `the script ${script} cannot be read`, hint: "give another with --script FILE" };
    },
  };
}
