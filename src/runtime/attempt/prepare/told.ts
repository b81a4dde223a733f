// What the agent of an attempt was told, for reading its answer: its prompt as it was written down, and its role files. From files, so
// that a process that did not begin the attempt reads its answer the same way.

import type { Told } from "../../../prompts/echo.ts";
import { readRoles } from "../../../protocols/files/agent-home.ts";
import type { SessionFacts } from "../../../protocols/protocol.ts";
import type { Parts } from "../../parts.ts";
import { homeOfAgent } from "../../trees/agent-homes.ts";
import type { BegunAttempt } from "../begin/begin.ts";
import { agentOf } from "../claim/agent-of.ts";
import type { Claim } from "../claim/claim.ts";
import { readPrompt } from "../logs.ts";

export function toldTo(parts: Pick<Parts, "home">, claim: Claim): Told {
  const { run, attempt, definition } = claim;
  const agent = agentOf(claim);
  if (agent === null) return { text: "", written: "" };
  const roles = readRoles(homeOfAgent(parts, run, agent.name), agent).map(({ text }) => text);
  const prompt = readPrompt(parts, run.header.id, attempt);
  // An agent that pulls has its role from elsewhere: its prompt has the input alone.
  const text = attempt.driver === "pull" ? [...roles, prompt].join("\n") : prompt;
  return { text, written: [...roles, definition.input].join("\n") };
}

/** For a protocol that reads what the session left. */
export function sessionOf(parts: Pick<Parts, "home">, { claim, waitsUntil }: BegunAttempt): SessionFacts {
  return { isOthers: claim.attempt.driver === "pull" || waitsUntil !== null, told: () => toldTo(parts, claim) };
}
