// The executor that plays a script (script.ts) through the command executor.

import { existsSync, readFileSync } from "node:fs";
import { noUsage, type Usage } from "../../domain/attempt.ts";
import { packageProgram } from "../../system/package-root.ts";
import { commandExecutor } from "../command/command.ts";
import type { Executor, ExecutorCall } from "../executor.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { actFor, readScript } from "../script.ts";

const agent = packageProgram({ source: "src/executors/scripted/agent.ts", bundled: "dist/scripted-agent.js" });

export function scriptedExecutor(script: string, sandbox: Sandbox | null = null): Executor {
  const played = commandExecutor({
    name: "scripted",
    command: [process.execPath, agent, script],
    env: [],
    sandbox,
    wallMs: 10 * 60_000,
    quietMs: null,
    graceMs: 1_000,
  });
  return {
    ...played,
    start(call) {
      const execution = played.start(call);
      return { ...execution, ended: execution.ended.then((end) => ({ ...end, usage: usageIn(script, call) })) };
    },
    async missing() {
      if (existsSync(script)) return await played.missing();
      return { what: `the script ${script} cannot be read`, hint: "give another with --script FILE" };
    },
  };
}

/** The usage that the script gives the act. */
function usageIn(script: string, { env }: ExecutorCall): Usage {
  const cue = {
    step: env["PAWL_STEP"] ?? "",
    type: env["PAWL_STEP_TYPE"] ?? "",
    story: env["PAWL_STORY"] ?? "",
    part: env["PAWL_PART"] ?? "",
    attempt: Number(env["PAWL_ATTEMPT"]),
  };
  try {
    const usage = actFor(readScript(readFileSync(script, "utf8"), script), cue)?.usage;
    if (!usage) return noUsage;
    return { costUsd: usage.usd ?? 0, inputTokens: usage.input ?? 0, outputTokens: usage.output ?? 0 };
  } catch {
    // The agent itself has reported what is wrong with the script.
    return noUsage;
  }
}
