// Starts a session: where the project stands, the plan, the question, the run, and then to its first stop. Nothing exists before a
// person has agreed.

import { AppError } from "../../domain/error.ts";
import type { RunId } from "../../domain/ids.ts";
import { type PlannedSession, plannedSession } from "../../protocols/lifecycle/session/planned-session.ts";
import { makeSessionFolder } from "../../protocols/lifecycle/session/session-folder.ts";
import { phaseOf } from "../../protocols/lifecycle/standing/phase-story.ts";
import { milestoneOf, type Standing, standingOf } from "../../protocols/lifecycle/standing/position.ts";
import { choiceKeys, storiesOf } from "../../protocols/lifecycle/standing/position-readers.ts";
import { type ProjectFolder, projectFolder } from "../../protocols/lifecycle/standing/project-folder.ts";
import { phaseId } from "../../protocols/lifecycle/standing/project-state.ts";
import { stateOf } from "../../protocols/lifecycle/standing/state-file.ts";
import { openWorkflow } from "../../runtime/runs/workflow-library.ts";
import type { Application } from "../application.ts";
import type { Driven, DriveRequest } from "../driving/drive.ts";
import { prepareStart, type StartRequest, startIn } from "../starting/start.ts";
import { moveSession } from "./move.ts";
import { positionUnclear } from "./position.ts";
import { type LifecycleProject, lifecycleProject, workPlace } from "./project.ts";
import { messagesFor, newsOf, planWords } from "./session-text.ts";
import { allSessions, assertFree, openSessions, removeSessionFolder } from "./sessions.ts";
import { unmergedWork } from "./unmerged.ts";
import { type SessionView, viewSession } from "./view.ts";

export interface LifecycleRequest extends DriveRequest {
  readonly intent: string;
  readonly dir?: string | undefined;
  readonly phase?: string | undefined;
  readonly allPhases?: boolean | undefined;
  /** No stop at decisions, and no question at the start. */
  readonly auto?: boolean | undefined;
  readonly inPlace?: boolean | undefined;
  /** A workflow with the protocol `lifecycle`. Default: the bundled one. */
  readonly workflow?: string | undefined;
  readonly executor?: string | undefined;
  readonly script?: string | undefined;
  /** The language of what it says: en or zh. Default: that of the environment. */
  readonly locale?: string | undefined;
  /** Shows the plan; false: nothing is started. */
  readonly confirm: (plan: string) => Promise<boolean>;
}

export type LifecycleEnd = MovedSession | UnstartedSession;

export interface MovedSession {
  readonly kind: "moved";
  readonly project: LifecycleProject;
  readonly view: SessionView;
  /** Null: it did not move, because a person has to say more than "go on". */
  readonly driven: Driven | null;
  /** What happened, in words. */
  readonly news: readonly string[];
}

export interface UnstartedSession {
  /** Every milestone is complete, or a person declined. */
  readonly kind: "complete" | "declined";
  readonly project: LifecycleProject;
  readonly intent: string;
  readonly plan: PlannedSession;
}

export async function startLifecycle(app: Application, request: LifecycleRequest): Promise<LifecycleEnd> {
  const project = lifecycleProject(app, request.dir);
  const intent = request.intent.trim();
  if (intent === "") throw noIntent(project);
  const folder = projectFolder(project.root);
  const wanted = wantedPhase(folder, request, intent);
  const standing = standingOf(folder, wanted === null ? {} : { phase: wanted });
  if (standing.kind === "unclear") throw positionUnclear(folder, standing);
  const workflow = stagesOf(app, request);
  const plan = plannedSession(workflow.definition, intent, standing, laterPhases(folder, standing, request));
  if (standing.position === "complete") return { kind: "complete", project, intent, plan };
  const { note, ...here } = await workPlace(project, request.inPlace ?? false);
  if (here.inPlace || here.plainFolder) await assertFree(app, project, null);
  const messages = messagesFor(app, request.locale);
  if (note !== null) request.onNote?.(note);
  await warnAboutOthers(app, project, request);
  if (!(await request.confirm(planWords(plan, messages, request.auto ?? false))))
    return { kind: "declined", project, intent, plan };
  const { dir: _dir, confirm: _confirm, ...rest } = request;
  const run = await begin(app, project, {
    ...rest,
    workflow,
    task: intent,
    repo: project.root,
    ...here,
    reserves: true,
    waits: request.auto === true ? "none" : "marked",
    context: {
      ...(wanted === null ? {} : { [choiceKeys.phase]: wanted }),
      ...(request.allPhases === true ? { [choiceKeys.all]: "true" } : {}),
    },
  });
  const { store } = (await app.read()).parts;
  const session = (await allSessions(store, project)).find(({ summary }) => summary.id === run);
  if (session === undefined) throw new Error("the session that was started is not there");
  const driven = await moveSession(app, run, request, false);
  const view = await viewSession(app, session);
  return { kind: "moved", project, driven, view, news: newsOf(view, 0, messages) };
}

/** What is said of a project whose milestones are all complete; null: it is none. */
export function nothingLeft(
  app: Application,
  project: LifecycleProject,
  request: Pick<LifecycleRequest, "workflow">,
  intent: string,
): UnstartedSession | null {
  const standing = standingOf(projectFolder(project.root));
  if (standing.kind === "unclear" || standing.position !== "complete") return null;
  const plan = plannedSession(stagesOf(app, request).definition, intent, standing);
  return { kind: "complete", project, intent, plan };
}

function stagesOf(
  { home, protocols, cwd }: Application,
  { workflow = "lifecycle" }: Pick<LifecycleRequest, "workflow">,
) {
  const opened = openWorkflow(home, workflow, protocols, cwd, { plans: true });
  assertLifecycle(opened.definition.protocol, workflow);
  return opened;
}

/** The run is recorded, and its files are there. */
async function begin(app: Application, project: LifecycleProject, request: StartRequest): Promise<RunId> {
  const prepared = prepareStart(app, request);
  return await app.change(project.root, async (session) => {
    const { dir: shared } = makeSessionFolder(project.root, new Date(session.parts.clock.now()));
    try {
      const given = { stories: [], adopted: [], source: null, shared };
      const { run } = await startIn(session, { ...prepared, given });
      await session.parts.projections.show(run);
      return run;
    } catch (error) {
      removeSessionFolder(shared);
      throw error;
    }
  });
}

export function noIntent({ flag }: LifecycleProject): AppError {
  return new AppError("USAGE", "E001: there is no intent and no session", {
    hint: `say what you want: pawl lifecycle "Build a shop"${flag}`,
  });
}

function assertLifecycle(protocol: string | null, workflow: string): void {
  if (protocol === "lifecycle") return;
  throw new AppError("WORKFLOW_INVALID", `${workflow} is not a lifecycle: its protocol is ${protocol ?? "none"}`, {
    hint: "a workflow for `pawl lifecycle` says `protocol: lifecycle`",
  });
}

const namedPhases = [
  /\bphases?[\s#-]*(\d+(?:(?:\s*(?:[,&/-]|\b(?:and|or|but|not|to)\b)\s*)+#?\d+)*)\b/gi,
  /\bP(\d+)\b/g,
  /阶段\s*#?(\d+)/g,
  /第\s*(\d+)\s*(?:个\s*)?阶段/g,
];

/** "phase 2", "Phase-2", "P2", "阶段 2", "phases 2 and 3": each phase once. */
function phasesIn(intent: string): readonly string[] {
  const named = namedPhases.flatMap((pattern) => [...intent.matchAll(pattern)].map(([, digits = ""]) => digits));
  return [...new Set(named.flatMap((digits) => digits.match(/\d+/g) ?? []).map(phaseId))];
}

/** The phase that a person names: by an option, or in the intent where the milestone has such a phase. */
function wantedPhase(folder: ProjectFolder, { phase, onNote }: LifecycleRequest, intent: string): string | null {
  if (phase !== undefined) return phaseId(phase);
  const [named, ...others] = phasesIn(intent);
  const state = stateOf(folder);
  const milestone = state === null ? null : milestoneOf(state);
  if (milestone === null || named === undefined) return null;
  if (others.length > 0)
    throw new AppError("USAGE", `the intent names several phases: ${[named, ...others].join(", ")}`, {
      hint: `say which one with --phase; milestone ${milestone.id} has ${milestone.phases.join(", ")}`,
    });
  if (milestone.phases.includes(named)) return named;
  onNote?.(
    `the intent names phase ${named}, which milestone ${milestone.id} does not have (it has ${milestone.phases.join(", ")}): the first open one is taken; --phase chooses another`,
  );
  return null;
}

function laterPhases(folder: ProjectFolder, standing: Standing, { allPhases }: LifecycleRequest): readonly string[] {
  if (allPhases !== true || standing.phase === null) return [];
  return storiesOf(folder, standing, true)
    .slice(1)
    .flatMap(({ id }) => phaseOf(id)?.phase ?? []);
}

async function warnAboutOthers(app: Application, project: LifecycleProject, request: LifecycleRequest): Promise<void> {
  const { store } = (await app.read()).parts;
  for (const text of await unmergedWork(store, project)) request.onNote?.(text);
  const others = await openSessions(store, project);
  if (others.length === 0) return;
  const names = others.map(({ id }) => id).join(", ");
  request.onNote?.(`W003: the project has open sessions already (${names}); \`execute\` continues the newest`);
}
