// Connections to a collector. Owns: how long a request may take, that none outlives the process's end, and saying once that a collector
// cannot be reached.

import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { errorText } from "../../domain/error.ts";
import type { TelemetryPorts } from "../telemetry.ts";

/** With its retries. What is under way when a process ends holds it up for no longer. */
export const requestMs = 2_000;

interface Result {
  readonly code: number;
  readonly error?: Error;
}

interface Sends<Items> {
  export(items: Items, done: (result: Result) => void): void;
}

export interface Connections {
  /** For the exporters of OpenTelemetry. */
  readonly options: {
    readonly timeoutMillis: number;
    readonly httpAgentOptions: (protocol: string) => HttpAgent;
  };
  /** Looks at the outcome of each export. */
  watch<Items>(signal: string, exporter: Sends<Items>): void;
  /** Cuts what is still open. */
  close(): void;
}

export function openConnections({ log, warn }: Pick<TelemetryPorts, "log" | "warn">): Connections {
  const agents: HttpAgent[] = [];
  const failing = new Set<string>();
  let hasWarned = false;
  const failed = (signal: string, why: string) => {
    if (!failing.has(signal)) log("telemetry.not_sent", { signal, why });
    failing.add(signal);
    if (!hasWarned) warn(`telemetry cannot be sent: ${why}. Runs continue without it.`);
    hasWarned = true;
  };
  return {
    options: {
      timeoutMillis: requestMs,
      httpAgentOptions: (protocol) => {
        const agent = protocol === "https:" ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
        agents.push(agent);
        return agent;
      },
    },
    watch(signal, exporter) {
      const send = exporter.export.bind(exporter);
      exporter.export = (items, done) =>
        send(items, (result) => {
          if (result.code === 0) failing.delete(signal);
          else failed(signal, result.error === undefined ? "no reason was given" : errorText(result.error));
          done(result);
        });
    },
    close() {
      for (const agent of agents) agent.destroy();
    },
  };
}
