// Prompts for a person to forward. They need no STATE.json and no run: the effective rules, the story, and the files that are there.

import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { ProjectPrompt, ProjectRulesDocument } from "../../contracts/project-documents.ts";
import { hasEnded } from "../../domain/attempt.ts";
import type { AgentStep, StepDefinition } from "../../domain/definition.ts";
import { AppError } from "../../domain/error.ts";
import { isSafeId } from "../../domain/ids.ts";
import type { PartDefinition } from "../../domain/part.ts";
import { isOver } from "../../domain/step.ts";
import { renderTemplate } from "../../prompts/template.ts";
import { formatStory } from "../../prompts/variables.ts";
import { cameBack } from "../../protocols/agentic/previous-attempt.ts";
import { promptValues } from "../../protocols/agentic/prompt.ts";
import { attemptsMade, repetitionsLeft } from "../../protocols/agentic/state-document.ts";
import { postChecksOf } from "../../protocols/agentic/values.ts";
import { packageFile } from "../../system/package-root.ts";
import { type ProjectCommands, resolveCommands } from "../../workflows/format/project.ts";
import { promptOfRole, rolesOf } from "../../workflows/rules/team.ts";
import { leadRole } from "../../workflows/rules/team-roles.ts";
import type { Application } from "../application.ts";
import { sayFound } from "./found.ts";
import { projectPlace } from "./place.ts";
import { plannedStory, readQueue } from "./queue.ts";
import { type ProjectRules, projectRules } from "./rules.ts";
import { type ProjectView, viewProject } from "./view.ts";

export interface PromptRequest {
  readonly dir?: string | undefined;
  readonly step?: string | undefined;
  readonly story?: string | undefined;
  /** A role of the step's team, or its lead. */
  readonly role?: string | undefined;
}

/** Beside the steps: what a person asks for now and then. */
const supplements = packageFile("workflows", "agentic-coding", "prompts");

export async function projectPrompt(app: Application, request: PromptRequest): Promise<ProjectPrompt> {
  const place = await projectPlace(app, request.dir);
  await sayFound(app, place);
  const view = await viewProject(app, place);
  const rules = await rulesOf(app, place.root);
  const steps = agentSteps(rules);
  const story = request.story ?? view.state.story ?? readQueue(place)[0]?.id ?? "US-001";
  if (!isSafeId(story))
    throw new AppError("USAGE", `"${story}" cannot be the id of a story`, { hint: "use letters, digits and dashes" });
  const name = request.step ?? nextStep(view, rules);
  const text = supplementOf(name);
  if (text !== null) return { story, step: name, attempt: 1, prompt: text.replaceAll("{{story}}", story) };
  const step = steps.find((each) => each.name === name);
  if (step === undefined) {
    const known = [...steps.map((each) => each.name), ...supplementNames()];
    throw new AppError("NOT_FOUND", `"${name}" is not a step that a session performs`, {
      hint: `there are: ${known.join(", ")}`,
    });
  }
  const asked = request.role === undefined ? {} : promptFor(rules, name, request.role);
  const scope = view.whole?.stories[story as keyof typeof view.whole.stories];
  const running = scope?.attempts.find((each) => each.name === name && !hasEnded(each));
  const attempt = running?.number ?? attemptsMade(scope, name) + 1;
  const next = scope?.chain.find((each) => !isOver(each));
  const title = view.queue.find(({ id }) => id === story);
  const values = promptValues({
    project: place.name,
    story,
    attempt,
    maxAttempts: attempt + repetitionsLeft(scope, step),
    reads: asked.reads ?? step.reads ?? [],
    exists: (path) => existsSync(join(place.root, path)),
    notes: view.state.human_note === null ? [] : [view.state.human_note],
    cameBack: next?.name === name ? cameBack(scope, view.gate?.feedback || next.feedback) : "",
    checks: postChecksOf(resolveCommands(rules.workflow.definition, rules.project).definition.steps, name),
  });
  const words = title === undefined ? story : formatStory(plannedStory(title));
  const context = { current_story_id: story, current_story: words, feedback: "", ...values };
  const known = rules.workflow.definition.knownKeys;
  return { story, step: name, attempt, prompt: renderTemplate(asked.input ?? step.input, context, known).text };
}

export async function effectiveTable(app: Application, dir: string | undefined): Promise<ProjectRulesDocument> {
  const place = await projectPlace(app, dir);
  await sayFound(app, place);
  const { root } = place;
  const { table, file, notes } = await rulesOf(app, root);
  return { file, notes, steps: table.steps as ProjectRulesDocument["steps"] };
}

interface RulesHere extends ProjectRules {
  readonly project: ProjectCommands;
}

async function rulesOf(app: Application, root: string): Promise<RulesHere> {
  const { project } = await app.configuration(root);
  return { ...projectRules(app, root, project), project };
}

function promptFor({ table }: ProjectRules, step: string, role: string): Pick<PartDefinition, "input" | "reads"> {
  const rules = table.steps[step];
  const found = rules === undefined ? null : promptOfRole(step, rules, role);
  if (found !== null) return found;
  const roles = rules === undefined ? [] : rolesOf(rules).map(({ name }) => name);
  throw new AppError("NOT_FOUND", `"${role}" is not a role of the step ${step}`, {
    hint: roles.length === 0 ? "the step has no `team_roles`" : `there are: ${[leadRole, ...roles].join(", ")}`,
  });
}

function bodyOf({ workflow }: ProjectRules): readonly StepDefinition[] {
  return workflow.definition.steps.find((step) => step.kind === "stories")?.body ?? [];
}

function agentSteps(rules: ProjectRules): readonly AgentStep[] {
  return bodyOf(rules).filter((step): step is AgentStep => step.kind === "agent");
}

/** A step that waits for a person has no prompt; what comes after it has. */
function nextStep({ state, entry, whole }: ProjectView, rules: ProjectRules): string {
  const body = bodyOf(rules);
  const open = entry === null ? undefined : whole?.stories[entry.id]?.chain.find((each) => !isOver(each));
  const from = body.findIndex(({ name }) => name === (open?.name ?? state.step));
  const next = body.slice(Math.max(0, from)).find(({ kind }) => kind === "agent") ?? body[0];
  return next?.name ?? "";
}

function supplementNames(): readonly string[] {
  return globSync("*.md", { cwd: supplements })
    .map((file) => basename(file, ".md"))
    .toSorted();
}

function supplementOf(name: string): string | null {
  return supplementNames().includes(name) ? readFileSync(join(supplements, `${name}.md`), "utf8").trim() : null;
}
