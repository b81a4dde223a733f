// Stories that are given. Owns: a run of stories that the files of a protocol name: a new one, or the one that uses the same folder.

import { AppError } from "../../domain/error.ts";
import type { StorySpec } from "../../domain/story.ts";
import type { ContinueOpening } from "../../protocols/protocol.ts";
import { reserve } from "../../runtime/reservation.ts";
import type { GivenStories } from "../../runtime/run-request.ts";
import { openProject } from "../../runtime/runs/open-project.ts";
import { PlaceTaken } from "../../runtime/transition/place-owner.ts";
import { transition } from "../../runtime/transition/transition.ts";
import { chooseFolder } from "../../runtime/trees/protocol-folder.ts";
import { realPath } from "../../system/files/paths.ts";
import { inspectRepository } from "../../workspaces/git/repository.ts";
import type { Application, Session } from "../application.ts";
import { type AcceptedRun, type Driven, type DriveRequest, driveIn, drivenTo } from "../driving/drive.ts";
import { serviceFor } from "../driving/hand-over.ts";
import { readText } from "../files.ts";
import { executorOf, prepareStart, type Started, type StartRequest, startIn } from "./start.ts";

/** Without a signal the run is only recorded. */
export interface StoriesRequest
  extends Omit<StartRequest, "task" | "given" | "inPlace" | "mayWait">,
    Pick<DriveRequest, "onStart" | "onFollowing" | "mayHandOver"> {
  readonly workflow: string;
  /** The name of the workflow's protocol. */
  readonly protocol: string;
  readonly signal?: AbortSignal | undefined;
}

export interface ProjectRequest extends StoriesRequest {
  /** The folder for the protocol's files. Default: one in the repository. */
  readonly shared?: string | undefined;
}

export type StoriesResult =
  | { readonly kind: "nothing"; readonly stories: number }
  | ({ readonly kind: "recorded" } & Started)
  | ({ readonly kind: "continued" } & AcceptedRun)
  | ({ readonly kind: "driven" } & Driven);

/** Works through the stories that a file names, or only through those of `only`. */
export async function runProject(
  app: Application,
  file: string,
  request: ProjectRequest & { readonly only?: readonly string[] | undefined },
): Promise<StoriesResult> {
  // Two names of one file are one project.
  const path = realPath(app.path(file));
  const read = () => readText(file, path);
  read();
  const folder = await folderFor(app, request);
  const repo = (await inspectRepository(app.path(request.repo))).root;
  const project = { file, path, only: request.only ?? [], folder, repo };
  return await performStories(app, request, async (session) => {
    const open = async (): Promise<Unended> => {
      const plan = await openProject(session.parts, request.protocol, project, read);
      if (plan.kind === "continue") return await continueRun(app, session, plan, request);
      for (const note of plan.notes) request.onNote?.(note);
      const isDone = ({ id }: StorySpec) => plan.adopted.some((story) => story.id === id && story.status === "done");
      if (plan.stories.every(isDone)) return { kind: "nothing", stories: plan.stories.length };
      const given = { stories: plan.stories, adopted: plan.adopted, source: path, shared: folder };
      return await startStories(app, session, { task: plan.task, given }, request);
    };
    return await open().catch(async (error: unknown) => {
      // Another process started the same file meanwhile: that run continues.
      if (error instanceof PlaceTaken) return await open();
      throw error;
    });
  });
}

/** Works on one request as on a story of a project. */
export async function runRequest(app: Application, task: string, request: StoriesRequest): Promise<StoriesResult> {
  const alone = { ...request, agents: 1 };
  return await performStories(app, alone, async (session) => await startStories(app, session, { task }, alone));
}

/** The folder that the request names, or the protocol's own in the repository. */
export async function folderFor(app: Application, { protocol, repo, shared }: ProjectRequest): Promise<string> {
  return await chooseFolder(protocol, app.path(repo), shared ?? null);
}

export type Unended =
  | Exclude<StoriesResult, { kind: "driven" }>
  | { readonly kind: "driven"; readonly run: Started["run"]; readonly end: Driven["end"] };

/** One use case of stories that are given. */
export async function performStories(
  app: Application,
  { repo }: StoriesRequest,
  work: (session: Session) => Promise<Unended>,
): Promise<StoriesResult> {
  const result = await app.change(app.path(repo), work);
  return result.kind === "driven" ? { kind: "driven", ...(await drivenTo(app, result.run, result.end)) } : result;
}

/** Without `given` the protocol makes the stories of the task. */
export async function startStories(
  app: Application,
  session: Session,
  work: { readonly task: string; readonly given?: GivenStories },
  request: StoriesRequest,
): Promise<Unended> {
  const { signal, protocol } = request;
  const prepared = prepareStart(app, { ...request, ...work, mayWait: signal === undefined });
  const { definition } = prepared.workflow;
  if (definition.protocol !== protocol) {
    throw new AppError("USAGE", `the workflow ${definition.id} does not work on stories that are given to it`, {
      hint: `use one with \`protocol: ${protocol}\`; others plan their stories: pawl run ${definition.id} "…"`,
    });
  }
  if (signal === undefined) return { kind: "recorded", ...(await startIn(session, prepared)) };
  const driving = { ...request, signal };
  const service = await serviceFor(app, session, { definition, executor: prepared.executor }, driving);
  const started = await startIn(session, { ...prepared, reserves: service === null });
  return { kind: "driven", run: started.run, end: await driveIn(app, session, started, { ...driving, service }) };
}

/** The run that uses the folder continues, with the stories that are new in the file. */
async function continueRun(
  app: Application,
  session: Session,
  plan: ContinueOpening,
  request: ProjectRequest,
): Promise<Unended> {
  const { added, dropped = [], done = [], notes = [] } = plan;
  const summary = { id: plan.run.header.id, number: plan.run.number };
  const { parts } = session;
  const author = request.author ?? app.author;
  const since = parts.clock.now();
  const { signal } = request;
  const service = signal === undefined ? null : await serviceFor(app, session, plan.run.header, request);
  if (signal !== undefined && service === null) await reserve(parts, summary.id);
  if (added.length + dropped.length + done.length > 0) {
    const command = { type: "add_stories", stories: added, dropped, done, at: parts.clock.now(), author } as const;
    const decision = await transition(parts, summary.id, command);
    if (!decision.accepted) throw refused(summary.number, decision.why);
    const fresh = added.filter(({ id }) => !dropped.includes(id)).map(({ id }) => id);
    if (fresh.length > 0) request.onNote?.(`new in the PRD: ${fresh.join(", ")}`);
  }
  for (const note of notes) request.onNote?.(note);
  const resumed = await transition(parts, summary.id, { type: "resume_run", at: parts.clock.now(), author });
  if (!resumed.accepted) throw refused(summary.number, resumed.why);
  const accepted = { run: summary.id, number: summary.number, since };
  const onStart = () => {
    request.onStart?.(accepted);
    for (const note of withoutEffect(app, plan, request)) request.onNote?.(note);
  };
  if (signal !== undefined) {
    const end = await driveIn(app, session, accepted, { ...request, signal, onStart, service });
    return { kind: "driven", run: summary.id, end };
  }
  onStart();
  return { kind: "continued", ...accepted };
}

/** A run continues as it was started; a caller that asks for something else should know. */
function withoutEffect(app: Application, { run }: ContinueOpening, request: ProjectRequest): readonly string[] {
  const { executor, definition } = run.header;
  const agents = definition.steps.find((step) => step.kind === "stories")?.concurrency ?? null;
  const asked = executorOf(app, request);
  const { agents: wanted = null } = request;
  return [
    ...(asked !== null && asked !== executor
      ? [`run #${run.number} continues with the executor that it was started with: ${executor ?? "the configured one"}`]
      : []),
    ...(wanted !== null && wanted !== agents
      ? [`run #${run.number} continues with ${agents === 1 ? "one story" : `${agents} stories`} at once`]
      : []),
  ];
}

function refused(number: number, why: string): AppError {
  return new AppError("REFUSED", `run #${number} cannot continue: ${why}`, {
    hint: `\`pawl status ${number}\` shows it; \`pawl retry ${number}\` puts what failed back, then run this again`,
  });
}
