// Continues a session: gives the word to go on, evaluates the decision that it stands before, and moves it to the next stop.

import { AppError } from "../../domain/error.ts";
import { gatesOpenIn } from "../../protocols/lifecycle/session/session-document.ts";
import type { Application } from "../application.ts";
import type { DriveRequest } from "../driving/drive.ts";
import { retry, setWaits } from "../steering/steer.ts";
import { type ForeignSessions, foreignSessions, takenWords } from "./foreign.ts";
import { answerGoOn, moveSession } from "./move.ts";
import { type LifecycleProject, lifecycleProject } from "./project.ts";
import { messagesFor, newsOf, placeWords } from "./session-text.ts";
import { allSessions, assertFree, openSessions } from "./sessions.ts";
import { type LifecycleEnd, type LifecycleRequest, noIntent, nothingLeft, startLifecycle } from "./start.ts";
import { eventsOf, type SessionView, viewSession } from "./view.ts";

export interface ExecuteRequest
  extends DriveRequest,
    Pick<LifecycleRequest, "dir" | "executor" | "script" | "confirm" | "inPlace" | "workflow" | "locale" | "auto"> {}

export async function executeLifecycle(app: Application, request: ExecuteRequest): Promise<LifecycleEnd> {
  const project = lifecycleProject(app, request.dir);
  const { store } = (await app.read()).parts;
  const [session, ...others] = await openSessions(store, project);
  if (session === undefined) return await importSession(app, project, request);
  if (others.length > 0)
    request.onNote?.(`W003: ${others.length + 1} sessions are open; ${session.id} is the newest and continues`);
  await assertFree(app, project, session);
  const messages = messagesFor(app, request.locale);
  const known = (await eventsOf(store, session)).length;
  if (session.summary.status === "failed") await retry(app, session.summary.id);
  if (request.auto === true && session.run.header.waits !== "none") await setWaits(app, session.summary.id, "none");
  const gates = gatesOpenIn((await store.wholeRun(session.summary.id)) ?? session.run);
  let goesOn = gates.length === 0;
  // One skill of a wave may ask while another only failed.
  for (const gate of gates) goesOn = (await answerGoOn(app, gate)) || goesOn;
  if (!goesOn) return { kind: "moved", project, driven: null, view: await viewSession(app, session), news: [] };
  const hasEvaluated = gates.some(({ cause }) => cause === "waits");
  const driven = await moveSession(app, session.summary.id, request, hasEvaluated);
  const view = await viewSession(app, session);
  return { kind: "moved", project, driven, view, news: newsOf(view, known, messages) };
}

/** The newest session, also one that is over. Changes nothing. `wanted`: what a person without a session asked for. */
export async function lifecycleStatus(
  app: Application,
  dir: string | undefined,
  wanted: "status" | "anything" = "status",
): Promise<{ readonly project: LifecycleProject; readonly view: SessionView }> {
  const project = lifecycleProject(app, dir);
  const { store } = (await app.read()).parts;
  const session = (await openSessions(store, project))[0] ?? (await allSessions(store, project))[0];
  if (session === undefined) {
    const foreign = foreignSessions(project, []);
    throw wanted === "status" || foreign.next !== null ? noSession(project, "status", foreign) : noIntent(project);
  }
  return { project, view: await viewSession(app, session) };
}

/** A session that another program left says what a person wanted. It starts as any other one does: with the plan and the question. */
async function importSession(
  app: Application,
  project: LifecycleProject,
  request: ExecuteRequest,
): Promise<LifecycleEnd> {
  const own = await allSessions((await app.read()).parts.store, project);
  const [last] = own;
  const left = nothingLeft(app, project, request, last?.run.header.task ?? "");
  if (left !== null) return left;
  const foreign = foreignSessions(project, own);
  if (foreign.next === null) {
    const isDone = last?.run.header.end?.status === "done";
    throw noSession(project, "execute", foreign, isDone ? placeWords(await viewSession(app, last)) : []);
  }
  for (const note of takenWords(foreign.next)) request.onNote?.(note);
  const { session, phase } = foreign.next;
  return await startLifecycle(app, { ...request, intent: session.intent, ...(phase === null ? {} : { phase }) });
}

/** `done`: where the work of the last session is, which the project may not have yet. */
function noSession(
  { root, flag }: LifecycleProject,
  command: string,
  { next, words }: ForeignSessions,
  done: readonly string[] = [],
): AppError {
  const start = `start one with what you want: pawl lifecycle "Build a shop"${flag}`;
  const takeOver = `\`pawl lifecycle execute${flag}\` shows what continuing it means, and asks; or `;
  const merge = done.map((text) => `the last session is complete. ${text}. Then `).join("");
  return new AppError("NOT_FOUND", `E006: ${root} has no session for \`${command}\``, {
    details: words,
    hint: `${next === null ? merge : takeOver}${start}`,
  });
}
