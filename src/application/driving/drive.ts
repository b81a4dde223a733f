// Driving. Owns: moving a run in this process until it is over, waits for a person, is paused, or is interrupted.

import type { StatusDocument } from "../../contracts/run-documents.ts";
import { AppError } from "../../domain/error.ts";
import { agentName, type RunId } from "../../domain/ids.ts";
import type { RunStatus } from "../../domain/run.ts";
import { agentsFor } from "../../runtime/config/config.ts";
import { driveRun } from "../../runtime/loop/drive.ts";
import { inWords } from "../../runtime/loop/recover.ts";
import type { Parts } from "../../runtime/parts.ts";
import { reserve, unreserve } from "../../runtime/reservation.ts";
import { transition } from "../../runtime/transition/transition.ts";
import { findWorkBranch } from "../../runtime/trees/work-branch.ts";
import { statusDocument } from "../../runtime/views/status.ts";
import { driversOf, processInWords } from "../../runtime/worker.ts";
import type { ServiceRecord } from "../../system/service-file.ts";
import type { Application, Session } from "../application.ts";
import { knownHere, unfinishedOf } from "../looking/status.ts";
import { findRun, wholeRun } from "../references.ts";
import {
  assertExecutors,
  executorOf,
  prepareStart,
  type Started,
  type StartRequest,
  startIn,
} from "../starting/start.ts";
import { followService, type HandOverRequest, serviceFor } from "./hand-over.ts";

/** `signal` stops the running attempts in order; the run can be resumed. */
export interface DriveRequest extends HandOverRequest {
  /** Called once, when the run is accepted and nothing of it moves yet. */
  readonly onStart?: ((run: AcceptedRun) => void) | undefined;
  /** Told whether another process drives the run, so that the caller only follows it. */
  readonly onFollowing?: ((isFollowing: boolean) => void) | undefined;
  /** Called when this process begins to drive, and can. */
  readonly onDriving?: (() => void) | undefined;
  /** Aborted: nothing new begins, and the drive ends when what runs has ended. */
  readonly draining?: AbortSignal | undefined;
}

export interface AcceptedRun {
  readonly run: RunId;
  readonly number: number;
  /** Of a run that is continued: what happened before is not news. */
  readonly since?: number;
}

export interface Driven {
  /** `left`: another process drives the run, and the caller does not want to follow it any longer. */
  readonly end: RunStatus | "interrupted" | "left";
  readonly number: number;
  readonly document: StatusDocument;
  /** The branch that has the work of a run that is done. */
  readonly branch: string | null;
  /** The folder that has the work of a run that is done, where it worked in a folder of the user's. */
  readonly folder: string | null;
  /** What people should know of its closing, and another process has said to nobody. */
  readonly unsaid: readonly string[];
  /** The files of a run that failed, where its protocol keeps some. */
  readonly files: string | null;
}

/** Starts a run and drives it. */
export async function run(app: Application, request: StartRequest & DriveRequest): Promise<Driven & Started> {
  const prepared = prepareStart(app, request);
  const { started, end } = await app.change(prepared.repo, async (session) => {
    const service = await serviceFor(app, session, { ...prepared.workflow, executor: prepared.executor }, request);
    const accepted = await startIn(session, { ...prepared, reserves: service === null });
    return { started: accepted, end: await driveIn(app, session, accepted, { ...request, service }) };
  });
  return { ...started, ...(await drivenTo(app, started.run, end)) };
}

export interface ResumeRequest extends DriveRequest, Pick<StartRequest, "executor" | "script"> {
  readonly author?: string | undefined;
}

/** Lets a run move again, whatever stopped it, and drives it. A run that is done stays done. */
export async function resume(app: Application, reference: string, request: ResumeRequest): Promise<Driven> {
  const { id, repo, number, status } = await findRun((await app.read()).parts.store, reference);
  const executor = executorOf(app, request);
  const end = await app.change(repo, async (session) => {
    const { parts } = session;
    const at = parts.clock.now();
    const loaded = await parts.store.transaction((tx) => tx.load(id, () => []));
    if (loaded && executor !== null) await assertExecutors(parts.executors, loaded.run.header, executor);
    const performed = loaded === null ? null : { ...loaded.run.header, ...(executor === null ? {} : { executor }) };
    const service = performed === null ? null : await serviceFor(app, session, performed, request);
    if (service === null) await reserve(parts, id);
    const decision = await transition(parts, id, {
      type: "resume_run",
      at,
      author: request.author ?? app.author,
      ...(executor === null ? {} : { executor }),
    });
    // One that another process has taken to its end since it was looked up has an end to show.
    const mayBeOver = status !== "failed" && status !== "cancelled";
    if (!decision.accepted && !(decision.code === "over" && mayBeOver)) {
      await unreserve(parts, id);
      throw new AppError("REFUSED", `run #${number}: ${decision.why}`, {
        hint: `\`pawl status ${number}\` shows where it stands`,
      });
    }
    return await driveIn(app, session, { run: id, number, since: at }, { ...request, service });
  });
  return await drivenTo(app, id, end);
}

/** Within a use case that has the run accepted. `service`: what drives it, so that this process only follows. */
export async function driveIn(
  app: Application,
  session: Session,
  accepted: AcceptedRun,
  request: DriveRequest & { readonly service?: ServiceRecord | null },
): Promise<Driven["end"]> {
  const { parts, config } = session;
  const { signal, draining, onNote, onStart, onFollowing, service = null } = request;
  onFollowing?.(service !== null);
  onStart?.(accepted);
  if (service !== null) {
    onNote?.(`the service (process ${service.pid}) drives run #${accepted.number}; Ctrl-C ends this command alone`);
    const followed = await followService(app, parts, accepted, request);
    if (followed !== null) return followed;
    onFollowing?.(false);
  }
  const loaded = await parts.store.transaction((tx) => tx.load(accepted.run, () => []));
  const usual = loaded ? agentsFor(config, loaded.run.header.definition) : 1;
  let isFollowing = false;
  const status = await driveRun(parts, {
    run: accepted.run,
    concurrency: request.concurrency ?? usual,
    signal,
    draining,
    onFollow: ({ worker }) => {
      isFollowing = true;
      onFollowing?.(true);
      onNote?.(`${processInWords(worker)} drives run #${accepted.number}; following it`);
    },
    onDrive: async () => {
      isFollowing = false;
      onFollowing?.(false);
      await assertPerformers(parts, accepted);
      request.onDriving?.();
    },
    // A driver recovers the attempts of all dead workers. Those of other runs are not news of this one.
    onRecovered: (recovered) => {
      if (recovered.lease.run === accepted.run) onNote?.(inWords(recovered));
    },
  });
  if (!signal.aborted) return status;
  return isFollowing ? "left" : "interrupted";
}

/** A run that nothing can perform would wait for ever: its caller hears so at once. */
async function assertPerformers({ store, executors }: Parts, { run, number }: AcceptedRun): Promise<void> {
  const header = (await store.transaction((tx) => tx.load(run, () => [])))?.run.header;
  if (!header || header.end !== null) return;
  const agents = Object.keys(header.definition.agents).map(agentName);
  const agent = agents.find((name) => executors.namesFor(header, name).length === 0);
  if (agent === undefined) return await assertExecutors(executors, header, header.executor);
  const [refused] = executors.refused?.(header, agent) ?? [];
  if (refused !== undefined) {
    const why = `run #${number} names \`${refused}\` itself, and this worker starts only what is configured (--only-configured)`;
    throw new AppError("EXECUTOR_MISSING", why, {
      hint: "configure that program under `executors`, or let another worker take the run",
    });
  }
  throw new AppError("EXECUTOR_MISSING", `no executor is there for the agent "${agent}" of run #${number}`, {
    hint: `give one: \`pawl resume ${number} --executor NAME\` or --executor 'command: PROGRAM'; or let an agent pull: \`pawl step claim ${header.definition.id}/${agent}\``,
  });
}

/** What a caller wants to know at the end. */
export async function drivenTo(app: Application, id: RunId, end: Driven["end"]): Promise<Driven> {
  const reading = await app.read();
  const { store, clock } = reading.parts;
  const [whole, summary] = [await wholeRun(store, { id }), await findRun(store, id)];
  const known = await knownHere(app, reading, { run: whole, number: summary.number });
  const driver = (await driversOf(reading.parts)).get(id) ?? null;
  const branch = await findWorkBranch(whole.header, summary.number);
  const unfinished = await unfinishedOf(store, whole);
  return {
    end,
    number: summary.number,
    document: statusDocument(whole, summary, { now: clock.now(), branch, driver, known, unfinished }),
    unsaid: (whole.header.end?.notes ?? []).filter((note) => !app.hasWarned(note)),
    branch: end === "done" ? branch : null,
    folder: end === "done" && whole.header.place.kind !== "worktree" ? whole.header.place.repo : null,
    files: end === "failed" ? (whole.header.place.shared ?? null) : null,
  };
}
