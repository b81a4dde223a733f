// The scripted executor. Owns: playing a script (script.ts) through the ordinary command executor.

import { existsSync } from "node:fs";
import { packageProgram } from "../../system/package-root.ts";
import { commandExecutor } from "../command/command.ts";
import type { Executor } from "../executor.ts";

const agent = packageProgram({ source: "src/executors/scripted/agent.ts", bundled: "dist/scripted-agent.js" });

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
