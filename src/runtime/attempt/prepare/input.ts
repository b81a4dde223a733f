// Gathers the input of an attempt: its rendered template, its role files, notes and feedback.

import type { Run } from "../../../domain/run.ts";
import { scopeOf } from "../../../domain/run.ts";
import { buildPrompt, buildSystem } from "../../../prompts/prompt.ts";
import { renderTemplate } from "../../../prompts/template.ts";
import { readRoles } from "../../../protocols/files/agent-home.ts";
import type { Parts } from "../../parts.ts";
import { homeOfAgent, progressHome } from "../../trees/agent-homes.ts";
import { agentOf, type Claim } from "../claim/claim.ts";
import { feedbackFor, templateValues, type ValuePorts } from "./values.ts";

export interface Input {
  /** The rendered template: what an agent that pulls gets. */
  readonly input: string;
  /** With the user's words: what an agent that Pawl starts gets. */
  readonly prompt: string;
  /** Its role files. */
  readonly system: string;
  /** Keys that the template names and that have no value. */
  readonly missing: readonly string[];
  readonly progressFile: string;
}

export type InputPorts = ValuePorts & Pick<Parts, "secrets">;

export async function gatherInput(parts: InputPorts, claim: Claim, hasTools: boolean): Promise<Input> {
  const { run, definition } = claim;
  const { header } = run;
  const { knownKeys, dialect } = header.definition;
  const values = await templateValues(parts, claim, definition.input);
  const { text, missing } = renderTemplate(definition.input, values, knownKeys, {
    keepsForeign: dialect !== "pawl",
  });
  const agent = agentOf(claim);
  const roles = agent ? readRoles(homeOfAgent(parts, run, agent.name), agent) : [];
  const feedback = feedbackFor(claim);
  const prompt = buildPrompt({ task: header.task, input: text, notes: notesFor(run, claim), feedback });
  const redacted = parts.secrets.redactAll({ input: text, prompt, system: buildSystem(roles, hasTools) });
  return { ...redacted, missing, progressFile: progressHome(parts, run)?.progressFile ?? "" };
}

/** What people said at gates of this step; its feedback has the newest already. */
function notesFor(run: Run, { attempt }: Claim): readonly string[] {
  const gates = scopeOf(run, attempt.story)?.gates ?? [];
  return gates.flatMap(({ step, state }) =>
    step === attempt.step && state.status === "answered" && state.note !== "" ? [state.note] : [],
  );
}
