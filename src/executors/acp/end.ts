// The end of an ACP agent. Owns: why we ended it where only a conversation gives a reason; everything else is as for all agents.

import { type AgentFacts, endOf } from "../agent/agent-end.ts";
import type { OwnHalt } from "../agent/agent-watch.ts";
import type { ExecutionEnd } from "../executor.ts";
import { lastWords } from "../process-end.ts";

export type AcpHalt =
  | OwnHalt
  | { readonly kind: "unanswered"; readonly method: string; readonly waitedMs: number }
  /** What it asks for is for a person to allow. */
  | { readonly kind: "permission"; readonly wish: string }
  /** It cannot do what it is needed for. */
  | { readonly kind: "unfit"; readonly message: string };

export type AcpFacts = Omit<AgentFacts, "halt"> & { readonly halt: AcpHalt | null; readonly command: string };

export function acpEndOf({ halt, command, ...facts }: AcpFacts): ExecutionEnd {
  if (halt === null || !isOnlyOurs(halt)) return endOf({ ...facts, halt });
  const { text, usage, session, model, version, notes } = endOf({ ...facts, halt: null });
  const common = { text, usage, session, ...(model === undefined ? {} : { model }), version: version ?? null, notes };
  const { name, end } = facts;
  switch (halt.kind) {
    case "permission":
      return {
        ...common,
        outcome: "blocked",
        kind: "permission",
        why: `it asks for permission: ${halt.wish} (allow what it asks with executors.${name}.permissions, or allow this in the agent's own settings)`,
      };
    case "unanswered": {
      const plain = end.stdout.split("\n").filter((line) => !line.trimStart().startsWith("{"));
      const said = lastWords(end.stderr, plain.join("\n"));
      const why = `it did not answer \`${halt.method}\` within ${halt.waitedMs / 1000} s${said}`;
      const hint = `does \`${command}\` speak ACP? Try \`pawl executor test ${name}\``;
      return { ...common, outcome: "failed", kind: "no_result", why: `${why} (${hint})` };
    }
    case "unfit":
      return { ...common, outcome: "failed", kind: "other", why: halt.message };
  }
}

function isOnlyOurs(halt: AcpHalt): halt is Exclude<AcpHalt, OwnHalt> {
  return halt.kind === "unanswered" || halt.kind === "permission" || halt.kind === "unfit";
}
