// Gathers the input of an attempt: its rendered template, its role files, notes and feedback.

import { notesWith } from "../../../domain/note.ts";
import { buildPrompt, buildSystem, readOnlyRules, withNotes } from "../../../prompts/prompt.ts";
import { replyHelp } from "../../../prompts/reply.ts";
import { renderTemplate, templateKeys } from "../../../prompts/template.ts";
import { readRoles } from "../../../protocols/files/agent-home.ts";
import { lastPlanner } from "../../../workflows/planner.ts";
import type { Parts } from "../../parts.ts";
import { homeOfAgent, progressHome } from "../../trees/agent-homes.ts";
import { agentOf } from "../claim/agent-of.ts";
import type { Claim } from "../claim/claim.ts";
import { commandsFor, mayOnlyRead } from "../claim/read-access.ts";
import { feedbackFor, templateValues, type ValuePorts } from "./values.ts";

export interface Input {
  /** The rendered template with the notes of people: what an agent that pulls gets. */
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
  const { run, attempt, definition } = claim;
  const { header } = run;
  const { knownKeys, dialect } = header.definition;
  const values = await templateValues(parts, claim, definition.input);
  const { text, missing } = renderTemplate(definition.input, values, knownKeys, {
    keepsForeign: dialect !== "pawl",
  });
  const agent = agentOf(claim);
  const roles = agent ? readRoles(homeOfAgent(parts, run, agent.name), agent) : [];
  const { notesKey, feedbackKey } = parts.protocols.of(header.definition);
  const keys = templateKeys(definition.input);
  const feedback = keys.includes(feedbackKey) ? "" : feedbackFor(claim);
  const notes = keys.includes(notesKey) ? [] : notesWith(header.notes, attempt.id).map((note) => note.text);
  const rules = mayOnlyRead(claim) ? readOnlyRules(commandsFor(claim)) : "";
  const input = rules === "" ? text : `${text.trimEnd()}\n\n${rules}\n`;
  const told = [definition.input, ...roles.map((role) => role.text)].join("\n");
  const reply = replyHelp(definition, { told, mustPlan: mustPlan(claim) });
  const prompt = buildPrompt({ task: header.task, input, notes, feedback, reply });
  const redacted = parts.secrets.redactAll({
    input: withNotes(input, notes),
    prompt,
    system: buildSystem(roles, hasTools),
  });
  return { ...redacted, missing, progressFile: progressHome(parts, run)?.progressFile ?? "" };
}

/** Without a plan the run would fail at the stories that stand behind the step. */
function mustPlan({ run, attempt, definition }: Claim): boolean {
  const { definition: workflow, stories } = run.header;
  return attempt.story === null && stories.length === 0 && lastPlanner(workflow) === definition.name;
}
