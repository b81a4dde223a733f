// Starting a run for a caller who may only choose among what the user has set up: installed workflows, configured executors, known
// repositories. Nothing in such a request is a command or a path to one. A request under a key starts one run, however often it comes.

import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { RepositoryList, StartedDocument } from "../../contracts/http-documents.ts";
import { AppError } from "../../domain/error.ts";
import type { RunId } from "../../domain/ids.ts";
import { trustedRepositories } from "../../runtime/config/trust.ts";
import type { StartKey } from "../../store/store.ts";
import { realPath } from "../../system/files/paths.ts";
import { newRunId } from "../../system/ids.ts";
import { sha256Of } from "../../system/sha256.ts";
import type { Application } from "../application.ts";
import { assertConfigured } from "../setup/executors.ts";
import { assertListed } from "../workflows/workflows.ts";
import { type StartRequest, start } from "./start.ts";

interface KnownStart extends Pick<StartRequest, "task" | "context" | "executor" | "caps" | "base" | "waits"> {
  /** The id of a bundled or installed workflow. */
  readonly workflow: string;
  /** A repository that this store has a run of, or whose commands the user has agreed to. */
  readonly repo: string;
}

export interface KeyedStart {
  readonly request: KnownStart;
  readonly author: string;
  /** The same key again returns the same run. Absent: each request starts one. */
  readonly key?: string | undefined;
}

const keyPattern = /^[\x21-\x7e]{1,200}$/;

export async function startKnown(app: Application, { request, author, key }: KeyedStart): Promise<StartedDocument> {
  assertListed(app, request.workflow);
  await assertKnownRepository(app, request.repo);
  if (request.executor !== undefined) await assertConfigured(app, request.repo, request.executor);
  if (key === undefined) return await begin(app, request, author, newRunId());
  if (!keyPattern.test(key))
    throw new AppError("INPUT_INVALID", "the key of a request has at most 200 characters of ASCII, without spaces", {
      hint: "use a UUID",
    });
  const { store, clock } = (await app.read()).parts;
  const given = { author, key, request: digestOf(request), run: newRunId(), createdAt: clock.now() };
  const kept = await store.keepStartKey(given);
  if (kept.request !== given.request)
    throw new AppError("REFUSED", "this key was used for another request; nothing was started", {
      hint: "use a new key for each run, and the same one only to repeat a request",
    });
  return await once(app, request, kept);
}

const underWay = new Map<RunId, Promise<StartedDocument>>();

/** The id of the run is kept before the run is, so that a request which is repeated after a crash continues it. */
async function once(app: Application, request: KnownStart, kept: StartKey): Promise<StartedDocument> {
  const { store } = (await app.read()).parts;
  const known = await store.runById(kept.run);
  if (known !== null) return { run: { id: known.id, number: known.number, workflow: known.workflow }, notes: [] };
  const running = underWay.get(kept.run);
  if (running !== undefined) return await running;
  const started = begin(app, request, kept.author, kept.run);
  underWay.set(kept.run, started);
  try {
    return await started;
  } catch (error) {
    // What could not be started may be corrected and sent again.
    await store.forgetStartKey(kept);
    throw error;
  } finally {
    underWay.delete(kept.run);
  }
}

async function begin(app: Application, request: KnownStart, author: string, id: RunId): Promise<StartedDocument> {
  const { run, number, workflow, notes } = await start(app, { ...request, author, id });
  return { run: { id: run, number, workflow }, notes };
}

/** Where a run may be started: the repositories of runs, the newest run's first, then those whose commands the user agreed to. */
export async function knownRepositories(app: Application): Promise<RepositoryList> {
  const paths = [...(await knownPaths(app))];
  return { repositories: paths.map((path) => ({ path, isThere: existsSync(path) })) };
}

async function knownPaths(app: Application): Promise<ReadonlySet<string>> {
  const { store } = (await app.read()).parts;
  return new Set([...(await store.places()).repos, ...trustedRepositories(app.home.configFile)].map(realPath));
}

async function assertKnownRepository(app: Application, repo: string): Promise<void> {
  const known = await knownPaths(app);
  if (isAbsolute(repo) && known.has(realPath(repo))) return;
  throw new AppError("NOT_FOUND", `${repo} is not a repository that this service knows`, {
    hint: "start the first run there with `pawl run`, or agree to its commands with `pawl trust`; then it is known",
  });
}

/** The order of keys means nothing in JSON, in a nested object either. */
function digestOf(request: KnownStart): string {
  const sorted = (_: string, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : value;
  return sha256Of(JSON.stringify(request, sorted));
}
