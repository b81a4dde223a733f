// Watching all runs. Owns: which runs need a person, which work and what their agents do, and which ended lately.

import type { WatchDocument, WatchedAgent, WatchedRun } from "../../contracts/watch-document.ts";
import { AppError } from "../../domain/error.ts";
import type { RunId } from "../../domain/ids.ts";
import { isoTime } from "../../runtime/views/status.ts";
import { driversOf } from "../../runtime/worker.ts";
import type { RunSummary } from "../../store/store.ts";
import type { ServiceRecord } from "../../system/service-file.ts";
import type { Application } from "../application.ts";
import { serviceHere } from "../driving/hand-over.ts";
import { type AskedRun, gatesDocument, openGates } from "../gates/gates.ts";
import { type LiveAgent, LiveRun, type LiveView } from "./live-run.ts";

/** Of runs that are over, and of those whose agents are looked at. */
const [mostRecent, mostLive, mostRuns] = [20, 50, 1_000];
/** A failure that is older is history. */
const failedForMs = 24 * 3_600_000;

type Need = WatchedRun["need"];

export class Watched {
  readonly #app: Application;
  readonly #live = new Map<RunId, LiveRun>();
  #runs: readonly RunSummary[] = [];
  #asked: readonly AskedRun[] = [];
  #drivers: ReadonlyMap<RunId, string> = new Map();
  #service: ServiceRecord | null = null;

  constructor(app: Application) {
    this.#app = app;
  }

  /** Reads the store. */
  async refresh(): Promise<void> {
    const { parts } = await this.#app.read();
    const open = await parts.store.listRuns({ statuses: ["running", "held", "paused"], limit: mostRuns });
    const over = await parts.store.listRuns({ statuses: ["done", "failed", "cancelled"], limit: mostRecent });
    this.#runs = [...open, ...over];
    this.#asked = await openGates(this.#app);
    this.#drivers = await driversOf(parts);
    this.#service = serviceHere(this.#app);
    const working = new Set(open.slice(0, mostLive).map(({ id }) => id));
    for (const id of this.#live.keys()) if (!working.has(id)) this.#live.delete(id);
    for (const id of working) {
      const live = this.#live.get(id) ?? new LiveRun(this.#app, id);
      this.#live.set(id, live);
      // A run with a damaged row is shown without its agents, and keeps no other from being shown.
      await live.refresh().catch((error: unknown) => {
        if (!(error instanceof AppError)) throw error;
      });
    }
  }

  /** What `refresh` found, with what agents have printed since. */
  look(now: number): WatchDocument {
    const needsYou: WatchedRun[] = [];
    const working: WatchedRun[] = [];
    const recent: WatchedRun[] = [];
    for (const run of this.#runs) {
      const live = this.#live.get(run.id)?.look() ?? null;
      const asked = this.#asked.filter((each) => each.run.id === run.id).map(questionOf);
      const needs = asked.length > 0 ? asked : [this.#troubleOf(run, now)].filter((need) => need !== null);
      for (const need of needs) needsYou.push(this.#document(run, live, need));
      if (needs.length > 0) continue;
      (run.endedAt === null ? working : recent).push(this.#document(run, live, null));
    }
    const order = { gate: 0, failed: 1, no_driver: 2 };
    needsYou.sort((one, other) => order[one.need?.kind ?? "gate"] - order[other.need?.kind ?? "gate"]);
    return { at: isoTime(now), needsYou, working, recent };
  }

  #troubleOf({ id, number, status, endedAt }: RunSummary, now: number): Need {
    const nothing = { gate: null, options: [], about: "" };
    if (status === "failed" && endedAt !== null && now - endedAt < failedForMs)
      return {
        ...nothing,
        kind: "failed",
        text: `failed: \`pawl why ${number}\` says why, \`pawl retry ${number}\` tries again`,
      };
    if (status !== "running" || this.#drivers.has(id)) return null;
    const trouble = this.#service?.troubles[id];
    if (trouble !== undefined)
      return { ...nothing, kind: "no_driver", text: `the service cannot drive it: ${trouble.why}; ${trouble.hint}` };
    // The service takes it within a second: nobody is needed.
    if (this.#service !== null) return null;
    return { ...nothing, kind: "no_driver", text: `nothing drives it: \`pawl resume ${number}\`` };
  }

  #document(run: RunSummary, live: LiveView | null, need: Need): WatchedRun {
    const { id, number, workflow, task, status, repo, startedAt, endedAt, totals } = run;
    return {
      id,
      number,
      workflow,
      task,
      status,
      repo,
      startedAt: isoTime(startedAt),
      endedAt: endedAt === null ? null : isoTime(endedAt),
      driver: this.#drivers.get(id) ?? null,
      stories: live?.stories ?? { done: 0, of: 0 },
      costUsd: rounded(live?.costUsd ?? totals.costUsd),
      estimatedUsd: rounded(live?.estimatedUsd ?? totals.estimatedUsd ?? 0),
      capUsd: live?.capUsd ?? null,
      need,
      agents: (live?.agents ?? []).map(agentDocument),
    };
  }
}

function questionOf(asked: AskedRun): NonNullable<Need> {
  const [gate] = gatesDocument([asked]).gates;
  const where = [gate?.story, gate?.step].filter((each) => (each ?? "") !== "").join(" ");
  return {
    kind: "gate",
    text: `${where}: ${gate?.question ?? ""}`,
    gate: gate?.id ?? null,
    options: gate?.options ?? [],
    about: gate?.feedback ?? "",
  };
}

function agentDocument({
  attempt,
  story,
  step,
  number,
  executor,
  startedAt,
  activity,
  isPartial,
}: LiveAgent): WatchedAgent {
  const { doing, turns, usage } = activity;
  return {
    attempt,
    story,
    step,
    number,
    executor,
    isPartial,
    doing,
    turns,
    startedAt: isoTime(startedAt),
    tokens: usage && usage.inputTokens + usage.cacheReadTokens + usage.outputTokens,
    costUsd: usage?.costUsd ?? null,
  };
}

function rounded(usd: number): number {
  return Number(usd.toFixed(6));
}
