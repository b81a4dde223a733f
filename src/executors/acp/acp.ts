// The executor of any agent that speaks the Agent Client Protocol: a preset, or a command line of the configuration.

import type { AgentRunOptions } from "../agent/agent-options.ts";
import { runAgent } from "../agent/agent-run.ts";
import type { Executor } from "../executor.ts";
import { missingFrom } from "../missing.ts";
import { acpAgent } from "./launch.ts";
import type { PermissionPolicy } from "./permissions.ts";
import { type ServerOptions, serverOf } from "./server.ts";

export interface AcpOptions extends AgentRunOptions, ServerOptions {
  /** The answer when it asks for permission. */
  readonly permissions: PermissionPolicy;
}

export function acpExecutor(options: AcpOptions): Executor {
  const { name, sandbox = null } = options;
  const server = serverOf(options);
  const { title, install } = server;
  const [program] = server.command;
  const shown = title === program ? `\`${program}\`` : `${title} (\`${program}\`)`;
  return {
    name,
    callsTools: true,
    missing: async () => await missingFrom({ name, program, shown, install, sandbox }),
    start(call) {
      const { ended, ...run } = runAgent(acpAgent({ server, options, call }), options, call);
      return { ...run, ended: ended.then(({ end }) => end) };
    },
  };
}
