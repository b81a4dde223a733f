// Continues a project: starts the run of its stories or resumes it, and lets it move as far as its level says. Level 1 performs one
// step; without an executor it hands out the prompt, and the hook ends the attempt. Level 2 moves until a person is needed.

import { AppError } from "../../domain/error.ts";
import { storyId } from "../../domain/ids.ts";
import type { WaitsLevel } from "../../domain/run.ts";
import { type AdoptedStory, chosenFirst, isUnbegun } from "../../domain/story.ts";
import type { DispatchResult } from "../../protocols/agentic/adapter.ts";
import { dispatchedText } from "../../protocols/agentic/report-text.ts";
import { reserve, unreserve } from "../../runtime/reservation.ts";
import { transition } from "../../runtime/transition/transition.ts";
import { driversOf } from "../../runtime/worker.ts";
import type { LocatedRun } from "../../store/store.ts";
import type { Application } from "../application.ts";
import { type DriveRequest, resume } from "../driving/drive.ts";
import { claim } from "../driving/pull.ts";
import { answer } from "../gates/gates.ts";
import { prepareStart, startIn } from "../starting/start.ts";
import { letMove } from "../steering/steer.ts";
import { catchUp } from "./catch-up.ts";
import { takeHookFields } from "./hook.ts";
import { keepImported, type ProjectStock, stockOf } from "./imported.ts";
import { commandsText, optionTo } from "./next-commands.ts";
import { type ProjectPlace, projectAt } from "./place.ts";
import { openRun } from "./project-runs.ts";
import { plannedStory, type QueuedStory, readQueue } from "./queue.ts";
import { assertRulesTrusted, projectRules } from "./rules.ts";
import { addToRun } from "./run-stories.ts";
import { linesOf, type ProjectView, viewProject } from "./view.ts";

export interface ContinueRequest extends DriveRequest {
  readonly dir?: string | undefined;
  readonly story?: string | undefined;
  readonly executor?: string | undefined;
  readonly script?: string | undefined;
  /** Another program works on the files. */
  readonly awaits?: boolean | undefined;
  readonly inPlace?: boolean | undefined;
  readonly takeOver?: boolean | undefined;
  /** Lets the run move and returns: the service of this store drives it. */
  readonly isLeft?: boolean | undefined;
}

export interface Continued {
  readonly result: DispatchResult;
  /** In plain words. */
  readonly report: string;
  /** For a person or a program to forward; null: nobody must. */
  readonly prompt: string | null;
}

export async function continueProject(app: Application, request: ContinueRequest): Promise<Continued> {
  const place = await projectAt(app, request.dir);
  assertUsable(place);
  const { isLeft = false } = request;
  if (isLeft) await assertNotHandedOut(app, place);
  await catchUp(app, place, request);
  await takeHookFields(app, place);
  const busy = await busyWith(app, place);
  if (busy !== null) return busy;
  const stock = await stockOf(app, place, request.takeOver ?? false);
  const refused = await nothingToDo(app, place, request, stock);
  if (refused !== null) return refused;
  const { parts } = await app.read();
  const isOpen = (await openRun(parts.store, place)) !== null;
  const run = await ensureRun(app, place, request, stock);
  // This process may be the service, and drive it by now: its claim is not ours to give back.
  if (isLeft && isOpen) return await moveOn(app, place, run, request);
  // A service would take the step that an answer makes ready, also one that is to be handed out.
  await reserve(parts, run.id);
  try {
    return await moveOn(app, place, run, request);
  } finally {
    await unreserve(parts, run.id);
  }
}

async function moveOn(
  app: Application,
  place: ProjectPlace,
  run: LocatedRun,
  request: ContinueRequest,
): Promise<Continued> {
  await takeStory(app, place, run, request.story);
  const before = await viewProject(app, place);
  if (!(await goOn(app, before))) return told(before, resultOf(before));
  const { executor } = before.whole?.header ?? { executor: null };
  const isPulled = place.level === 1 && !namesExecutor(request) && executor === null;
  if (isPulled) return await handOut(app, place, run);
  if (request.isLeft === true) {
    await letMove(app, run.id);
    return leftTo(await viewProject(app, place));
  }
  const driven = await resume(app, run.id, { ...request, executor: executorOf(request) });
  const after = await viewProject(app, place);
  if (driven.end === "interrupted" || driven.end === "left")
    return told(after, { type: "blocked", reason: after.report });
  return told(after, resultOf(after));
}

/** What is under way now, or will be as soon as the service takes it. */
function leftTo(view: ProjectView): Continued {
  const { step, attempt } = view.state;
  const isStill = view.gate !== null || (view.whole?.header.end ?? null) !== null;
  return told(view, isStill ? resultOf(view) : { type: "dispatched", step, attempt });
}

function told(view: ProjectView, result: DispatchResult): Continued {
  return { result, report: view.report, prompt: null };
}

function assertUsable(place: ProjectPlace): void {
  if (place.level === 0) {
    throw new AppError("REFUSED", `${place.name} works at level 0: you forward each prompt yourself`, {
      hint: "`pawl project prompt --step bdd` prints one; `pawl project init --level 1` or 2 lets Pawl keep track",
    });
  }
}

/** A prompt is for the person or program at the project's folder, and an answer to a message does not reach it. */
async function assertNotHandedOut(app: Application, place: ProjectPlace): Promise<void> {
  if (place.level !== 1) return;
  const { store } = (await app.read()).parts;
  const run = await openRun(store, place);
  const header = run === null ? null : (await store.wholeRun(run.id))?.header;
  if ((header?.executor ?? null) !== null) return;
  throw new AppError("REFUSED", `${place.name} hands its steps out where it is; nothing was changed`, {
    hint: `\`pawl project continue${place.flag}\` prints the prompt; with \`--executor NAME\` Pawl performs the steps`,
  });
}

/** Two that continue one project: the second one only says so. */
async function busyWith(app: Application, place: ProjectPlace): Promise<Continued | null> {
  const { parts } = await app.read();
  const run = await openRun(parts.store, place);
  const driver = run === null ? undefined : (await driversOf(parts)).get(run.id);
  if (driver === undefined) return null;
  const view = await viewProject(app, place);
  if (view.state.status === "running") return told(view, { type: "blocked", reason: view.report });
  return told(view, { type: "blocked", reason: `${place.name} is at work: ${driver}` });
}

async function nothingToDo(
  app: Application,
  place: ProjectPlace,
  { story, onNote }: ContinueRequest,
  { queue, notes, done }: ProjectStock,
): Promise<Continued | null> {
  const { store } = (await app.read()).parts;
  if (story !== undefined && !queue.some(({ id }) => id === story)) {
    throw new AppError("NOT_FOUND", `${story} is not a story of this project`, {
      hint: `pawl project add ${story} TITLE`,
    });
  }
  if ((await openRun(store, place)) !== null) return null;
  if (queue.some(({ id }) => !done.includes(id))) return null;
  for (const note of notes) onNote?.(note);
  const view = await viewProject(app, place);
  if (queue.length > 0) return told(view, { type: "done", summary: `All stories are done: ${done.join(", ")}.` });
  return told(view, { type: "needs_human", message: view.report });
}

async function ensureRun(
  app: Application,
  place: ProjectPlace,
  request: ContinueRequest,
  stock: ProjectStock,
): Promise<LocatedRun> {
  const found = await openRun((await app.read()).parts.store, place);
  if (found !== null) {
    await addToRun(app, place);
    await setLevel(app, place, found);
    return found;
  }
  await app.change(place.root, async (session) => {
    await assertRulesTrusted(app, place.root);
    const inPlace = worksInPlace(place, request);
    const { workflow, notes } = projectRules(app, place.root, session.config.project, { teams: !inPlace });
    const { imported, done, shown } = stock;
    for (const note of [...notes, ...stock.notes]) request.onNote?.(note);
    const stories = chosenBefore(stock.queue, request.story ?? shown ?? undefined);
    const finished = stories
      .filter(({ id }) => done.includes(id))
      .map(({ id }): AdoptedStory => ({ id, status: "done", chain: [] }));
    const adopted = [...finished, ...imported];
    const prepared = prepareStart(app, {
      workflow,
      task: `Stories of ${place.name}`,
      repo: place.root,
      inPlace,
      waits: waitsOf(place),
      executor: executorOf(request),
      script: request.script,
      given: { stories: stories.map(plannedStory), adopted, source: null, shared: place.ai },
      mayWait: place.level === 1 && !namesExecutor(request),
      reserves: true,
      onNote: request.onNote,
    });
    const { run } = await startIn(session, prepared);
    await keepImported(place, stock);
    // What a person wrote into the files before is for the first session.
    await session.parts.projections.show(run);
  });
  const run = await openRun((await app.read()).parts.store, place);
  if (run === null) throw new Error("the run that was started is not there");
  return run;
}

/** Other programs, and people, work where the files are. */
function worksInPlace(place: ProjectPlace, request: ContinueRequest): boolean {
  return request.inPlace === true || request.awaits === true || (place.level === 1 && !namesExecutor(request));
}

function namesExecutor({ executor, script, awaits = false }: ContinueRequest): boolean {
  return executor !== undefined || script !== undefined || awaits;
}

function executorOf({ executor, awaits = false }: ContinueRequest): string | undefined {
  if (!awaits) return executor;
  if (executor === undefined) return "await";
  throw new AppError("USAGE", "--await and --executor exclude each other", { hint: "give one of them" });
}

function waitsOf({ level }: ProjectPlace): WaitsLevel {
  return level === 1 ? "all" : "none";
}

async function setLevel(app: Application, place: ProjectPlace, run: LocatedRun): Promise<void> {
  const waits = waitsOf(place);
  await app.change(null, async ({ parts }) => {
    const header = (await parts.store.wholeRun(run.id))?.header;
    if (header === undefined || (header.waits ?? "marked") === waits) return;
    await transition(parts, run.id, { type: "change_waits", waits, at: parts.clock.now(), author: app.author });
  });
}

function chosenBefore(queue: readonly QueuedStory[], story: string | undefined): readonly QueuedStory[] {
  const chosen = queue.filter(({ id }) => id === story).map((each) => ({ ...each, priority: 0 }));
  return [...chosen, ...queue.filter(({ id }) => id !== story)];
}

/** A story that has not begun comes next. */
async function takeStory(
  app: Application,
  place: ProjectPlace,
  run: LocatedRun,
  story: string | undefined,
): Promise<void> {
  const wanted = readQueue(place).find(({ id }) => id === story);
  if (wanted === undefined) return;
  await app.change(null, async ({ parts }) => {
    const stories = (await parts.store.wholeRun(run.id))?.header.stories ?? [];
    const entry = stories.find(({ id }) => id === wanted.id);
    const first = entry === undefined || !isUnbegun(entry) ? null : chosenFirst(stories, plannedStory(wanted));
    if (first === null) return;
    const dropped = [storyId(wanted.id)];
    const at = parts.clock.now();
    await transition(parts, run.id, { type: "add_stories", stories: [first], dropped, at, author: app.author });
  });
}

/** Answers a question that only asks whether to go on. false: a person must say more. */
async function goOn(app: Application, { gate, state, whole }: ProjectView): Promise<boolean> {
  if (whole?.header.end?.status === "failed") return false;
  if (gate === null) return true;
  const isAboutStart = gate.cause === "waits" || gate.cause === "stopped" || state.status === "timeout";
  const option = optionTo(gate.options, "again");
  if (!isAboutStart || option === null) return false;
  await answer(app, gate.id, { option });
  return true;
}

/** The attempt is recorded; the program or person that works on it reports by files, and the hook ends it. */
async function handOut(app: Application, place: ProjectPlace, run: LocatedRun): Promise<Continued> {
  const header = (await viewProject(app, place)).whole?.header;
  const [agent = "executor"] = Object.keys(header?.definition.agents ?? {});
  const claimed = await claim(app, `${header?.definition.id ?? ""}/${agent}`, run.id);
  const view = await viewProject(app, place);
  if (!claimed.found) return told(view, resultOf(view));
  const { step, attempt } = view.state;
  const report = linesOf([
    dispatchedText(view.state),
    "Give the prompt above to an executor; its session works in this folder.",
    commandsText(view.commands),
  ]);
  return { result: { type: "dispatched", step, attempt }, report, prompt: claimed.input };
}

/** Of a run in place no branch tells it. */
function workOf({ whole, place }: ProjectView): string {
  return whole?.header.place.kind === "in_place" ? ` The work is in ${place.root}.` : "";
}

function resultOf(view: ProjectView): DispatchResult {
  const { whole, gate, state, report, words, context, commands } = view;
  const status = whole?.header.end?.status;
  if (status === "done")
    return {
      type: "done",
      summary: linesOf([
        words,
        `All stories are done: ${(context.done ?? []).join(", ")}.${workOf(view)}`,
        commandsText(commands),
      ]),
    };
  if (status !== undefined) return { type: "needs_human", message: report };
  const attempts = Object.values(whole?.stories ?? {}).flatMap((story) => story.attempts);
  const last = attempts.toSorted((a, b) => a.startedAt - b.startedAt).at(-1);
  if (gate?.cause === "waits" && last !== undefined)
    return { type: "dispatched", step: last.name, attempt: last.number };
  if (gate !== null) return { type: "needs_human", message: report };
  if (state.status === "running") return { type: "dispatched", step: state.step, attempt: state.attempt };
  return { type: "blocked", reason: report };
}
