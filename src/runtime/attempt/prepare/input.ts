// Gathers the input of an attempt: the values of its template, its role files, notes and feedback.

import type { RunValues } from "../../../domain/context.ts";
import type { Run } from "../../../domain/run.ts";
import { scopeOf } from "../../../domain/run.ts";
import { buildPrompt, buildSystem } from "../../../prompts/prompt.ts";
import { renderTemplate, templateKeys } from "../../../prompts/template.ts";
import { storyVariables } from "../../../prompts/variables.ts";
import { type AgentHome, readProgress, readRoles } from "../../../protocols/files/agent-home.ts";
import { hasFrontendChanges } from "../../../workspaces/trees/changes.ts";
import type { Parts } from "../../parts.ts";
import { homeOfAgent, progressHome, progressPlaces } from "../../trees/agent-homes.ts";
import { workspacePath } from "../../trees/places.ts";
import { agentOf, type Claim } from "../claim/claim.ts";

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

export type InputPorts = Pick<Parts, "store" | "home" | "protocols" | "secrets">;

export async function gatherInput(parts: InputPorts, claim: Claim, hasTools: boolean): Promise<Input> {
  const { run, attempt, definition } = claim;
  const { header } = run;
  const { knownKeys, dialect } = header.definition;
  const step = scopeOf(run, attempt.story)?.chain.find((candidate) => candidate.id === attempt.step);
  const feedback = step?.feedback ?? "";
  const spec = attempt.story === null ? null : await parts.store.storySpec(header.id, attempt.story);
  const home = progressHome(parts, run);
  const path = workspacePath(parts, run, attempt.story);
  const values = {
    ...header.context,
    ...(attempt.story === null ? {} : run.stories[attempt.story]?.context),
    ...(await builtIn(parts, run, { home, path }, feedback, definition.input)),
    ...(spec
      ? storyVariables({ spec, entries: header.stories, feedback, progress: progressOf(parts, run, home) })
      : {}),
    ...parts.protocols.of(header.definition).values(claim),
  };
  const { text, missing } = renderTemplate(definition.input, values, knownKeys, {
    keepsForeign: dialect !== "pawl",
  });
  const agent = agentOf(claim);
  const roles = agent ? readRoles(homeOfAgent(parts, run, agent.name), agent) : [];
  const prompt = buildPrompt({ task: header.task, input: text, notes: notesFor(run, claim), feedback });
  const redacted = parts.secrets.redactAll({ input: text, prompt, system: buildSystem(roles, hasTools) });
  return { ...redacted, missing, progressFile: home?.progressFile ?? "" };
}

function progressOf(parts: Pick<Parts, "home">, run: Run, home: AgentHome | null): string {
  return readProgress(home === null ? [] : progressPlaces(parts, run, home));
}

async function builtIn(
  parts: Pick<Parts, "home">,
  run: Run,
  { home, path }: { readonly home: AgentHome | null; readonly path: string },
  feedback: string,
  template: string,
): Promise<RunValues> {
  const { header } = run;
  const named = new Set(templateKeys(template).map((key) => key.toLowerCase()));
  const frontend =
    named.has("has_frontend_changes") &&
    header.place.base !== null &&
    (await hasFrontendChanges(path, header.place.base));
  return {
    task: header.task,
    run_id: header.id,
    repo: path,
    base: header.place.baseName ?? "",
    feedback,
    verify_feedback: feedback,
    progress: named.has("progress") ? progressOf(parts, run, home) : "",
    progress_file: home?.progressFile ?? "",
    has_frontend_changes: String(frontend),
  };
}

/** What people said at gates of this step; its feedback has the newest already. */
function notesFor(run: Run, { attempt }: Claim): readonly string[] {
  const gates = scopeOf(run, attempt.story)?.gates ?? [];
  return gates.flatMap(({ step, state }) =>
    step === attempt.step && state.status === "answered" && state.note !== "" ? [state.note] : [],
  );
}
