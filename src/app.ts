// The composition root: the only file that picks implementations.

import { resolve } from "node:path";
import type { Dispatch } from "./dispatch/dispatch.ts";
import { EmbeddedDispatch } from "./dispatch/embedded/embedded.ts";
import { AppError } from "./domain/error.ts";
import type { RunId } from "./domain/ids.ts";
import type { BrowserSubscription } from "./domain/push-subscription.ts";
import { AgentRegistry } from "./executors/agent/registry.ts";
import { knownAgents } from "./executors/agents.ts";
import { secretVariables, type Target } from "./notify/target.ts";
import { openTargets } from "./notify/targets.ts";
import { browsers, type Subscriptions } from "./notify/web-push/browsers.ts";
import { problemOfEndpoint } from "./notify/web-push/endpoint.ts";
import { areBrowserKeys } from "./notify/web-push/keys.ts";
import { agentic } from "./protocols/agentic/agentic.ts";
import { antfarm } from "./protocols/antfarm/antfarm.ts";
import { lifecycle } from "./protocols/lifecycle/lifecycle.ts";
import type { Protocol } from "./protocols/protocol.ts";
import { ralph } from "./protocols/ralph/ralph.ts";
import { Protocols } from "./protocols/registry.ts";
import type { ToolServer } from "./runtime/attempt/execute/desk.ts";
import { type Config, plainWorkspace, readConfig } from "./runtime/config/config.ts";
import { type ConfiguredExecutors, executorsOf } from "./runtime/config/executors.ts";
import { isTrusted, untrusted } from "./runtime/config/trust.ts";
import { Projections, type TakeChanges } from "./runtime/effects/projections.ts";
import { gateLink, linkLifeMs } from "./runtime/gate-link.ts";
import { Commits, type Executors, type Log, type Parts, type TreeSettings } from "./runtime/parts.ts";
import { Trees } from "./runtime/trees/trees.ts";
import { openSqliteStore } from "./store/sqlite/open.ts";
import type { Machines, Store } from "./store/store.ts";
import { type Clock, systemClock } from "./system/clock.ts";
import { findHome, type Home, hostName } from "./system/home.ts";
import { homeId } from "./system/home-id.ts";
import { linkKey } from "./system/link-key.ts";
import { guide, packageVersion } from "./system/package-root.ts";
import { makePrivateHome } from "./system/private-home.ts";
import { pushKey } from "./system/push-key.ts";
import { environmentSecrets } from "./system/secrets/secrets.ts";
import { isPostgres, shownStore } from "./system/store-address.ts";
import { isAgreed } from "./telemetry/agreement.ts";
import type { Telemetry, TelemetryPorts } from "./telemetry/telemetry.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface AppOptions {
  readonly home: Home;
  /** The secrets are in it; the environment of this process unless given. */
  readonly env?: Environment;
  /** `sqlite:PATH` or `postgres://…`; null: the one in Pawl's home. */
  readonly store: string | null;
  readonly executors: Executors;
  /** Those of the caller, beside Pawl's own. */
  readonly protocols?: readonly Protocol[];
  /** Nobody is told anything unless given. */
  readonly targets?: readonly Target[];
  /** Variables that are secret whatever they are called. */
  readonly secretNames?: readonly string[];
  /** What trees of stories get; nothing beyond the defaults unless given. */
  readonly settings?: TreeSettings;
  /** Runs commands of a repository that nobody agreed to. */
  readonly trust?: boolean;
  /** What this machine is; its operating system unless given. */
  readonly labels?: readonly string[];
  /** A worker, which may perform attempts of a store that belongs to another home. */
  readonly joins?: boolean;
  /** What the user's configuration says of telemetry; off unless given. */
  readonly telemetry?: boolean;
  readonly log: Log;
  readonly warn: (text: string) => void;
  readonly clock?: Clock;
}

const ownProtocols: readonly Protocol[] = [agentic, antfarm, lifecycle, ralph];

/** The protocols that come with Pawl. */
export const knownProtocols = new Protocols(ownProtocols);

/** With those of the caller. */
export function protocolsWith(given: readonly Protocol[] | undefined): Protocols {
  return given === undefined ? knownProtocols : new Protocols([...ownProtocols, ...given]);
}

export async function openApp(options: AppOptions): Promise<Parts> {
  const narrowed = makePrivateHome(options.home.dir);
  const secrets = environmentSecrets(options.env ?? process.env, options.secretNames);
  const log: Log = (event, fields) => options.log(event, secrets.redactAll(fields));
  const warn = (text: string) => options.warn(secrets.redact(text));
  if (narrowed !== null) warn(narrowed);
  const protocols = protocolsWith(options.protocols);
  const { store, dispatch, machines, clock } = await openParts(options, log);
  const commits = new Commits();
  const telemetry = await openTelemetry(options, { store, dispatch, clock, secrets, log, warn });
  if (telemetry !== null) commits.listen(({ run, events }) => telemetry.committed(run, events));
  const takeChanges: TakeChanges = async (run, changes) => {
    const { recordFileChanges } = await import("./runtime/runs/changes-in-files.ts");
    await recordFileChanges({ store, dispatch, secrets, commits }, run, changes, clock.now());
  };
  return {
    store,
    dispatch,
    machines,
    clock,
    home: options.home,
    executors: options.executors,
    protocols,
    projections: new Projections(store, protocols, log, warn, takeChanges),
    tools: lazyTools(),
    telemetry,
    targets: options.targets ?? [],
    settings: options.settings ?? { workspace: plainWorkspace },
    settingsOf: async (repo) => {
      const { configFile } = options.home;
      const config = await readConfig(configFile, repo, agents);
      const isAgreed =
        repo === null || options.trust === true || isTrusted(configFile, repo, config.repositoryCommands);
      if (isAgreed) return config;
      throw untrusted(repo, config.repositoryCommands);
    },
    trees: new Trees(),
    labels: options.labels ?? [process.platform],
    site: null,
    secrets,
    log,
    warn,
    commits,
  };
}

/** Loaded for the first agent that calls tools. */
function lazyTools(): ToolServer {
  let server: Promise<ToolServer> | null = null;
  const load = async () => (await import("./mcp/attempts.ts")).openToolServer();
  return {
    async open(desk) {
      server ??= load();
      return await (await server).open(desk);
    },
    async close() {
      await (await server)?.close();
    },
  };
}

/** Where it is off, nothing of it is loaded. Its packages are loaded with the first span. */
async function openTelemetry(
  { env = process.env, telemetry = false }: AppOptions,
  parts: Pick<Parts, "store" | "dispatch" | "clock" | "secrets" | "log" | "warn">,
): Promise<Telemetry | null> {
  if (!isAgreed(env, telemetry)) return null;
  const { telemetryState } = await import("./telemetry/settings.ts");
  const state = telemetryState(env, telemetry);
  if (!state.on) return null;
  const { settings } = state;
  const { store, secrets, log, warn } = parts;
  const { Recorder } = await import("./telemetry/recorder.ts");
  const ports: TelemetryPorts = {
    number: async (run) => (await store.runById(run))?.number ?? null,
    events: async (run, after, limit) => await store.events(run, after, limit),
    gauges: async () => await (await import("./runtime/views/gauges.ts")).readGauges(parts),
    redact: (text) => secrets.redact(text),
    log,
    warn,
  };
  return new Recorder(ports, {
    sendsTraces: settings.traces !== null,
    load: async () => {
      const { openOtel } = await import("./telemetry/otel/open.ts");
      return await openOtel({ settings, version: packageVersion(), log, warn });
    },
  });
}

/** Telemetry as the doctor sees it. */
export interface TelemetryFinding {
  readonly ok: boolean;
  readonly detail: string;
  readonly hint: string;
}

/** What would become of the telemetry of a run that began now. */
export async function examineTelemetry(env: Environment, configured: boolean): Promise<TelemetryFinding> {
  const { telemetryState } = await import("./telemetry/settings.ts");
  const state = telemetryState(env, configured);
  if (!state.on && !state.isAgreed) return { ok: true, detail: "off", hint: "" };
  if (!state.on) return { ok: false, detail: `off: ${state.why}`, hint: guide("telemetry") };
  const detail = state.settings.places.join(", ");
  const [problem] = state.settings.problems;
  if (problem !== undefined) return { ok: false, detail: `${detail}; ${problem}`, hint: guide("telemetry") };
  const { installCommand, loadPackages } = await import("./telemetry/otel/packages.ts");
  try {
    await loadPackages();
    return { ok: true, detail, hint: "" };
  } catch {
    return { ok: false, detail: "packages of OpenTelemetry are missing", hint: `\`${installCommand}\`` };
  }
}

interface Opened {
  readonly store: Store;
  readonly dispatch: Dispatch;
  readonly machines: Machines | null;
  readonly clock: Clock;
}

async function openParts({ store: given, home, joins = false, clock }: AppOptions, log: Log): Promise<Opened> {
  if (given !== null && isPostgres(given)) return await openServer(given, visitorFrom(home, joins), clock, log);
  const own = clock ?? systemClock;
  const store = await openStore(given, home, own);
  return { store, dispatch: new EmbeddedDispatch(store), machines: null, clock: own };
}

/** Loaded late: most homes have their store in a file. */
async function openServer(given: string, visitor: Visitor, clock: Clock | undefined, log: Log): Promise<Opened> {
  const { openPostgres } = await import("./store/postgres/open.ts");
  const { store, server, machines, owner, clock: there } = await openPostgres(given, clock ?? systemClock, visitor);
  try {
    const { PgBossDispatch } = await import("./dispatch/pg-boss/pg-boss.ts");
    const onTrouble = (why: string) => log("queue.failed", { why });
    const dispatch = await PgBossDispatch.open(store, server, { home: owner.id, onTrouble });
    return { store, machines, dispatch, clock: clock ?? there };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Without its dispatch. `given` null: the one in Pawl's home. `mustExist`: throws where there is none yet. */
export async function openStore(given: string | null, home: Home, clock: Clock, mustExist = false): Promise<Store> {
  if (given !== null && isPostgres(given)) {
    const { openPostgresStore } = await import("./store/postgres/open.ts");
    return await openPostgresStore(given, clock, visitorFrom(home, false), mustExist);
  }
  const file = given === null ? home.storeFile : sqliteFile(given);
  if (file !== null) return await openSqliteStore(file, clock, mustExist);
  if (given === "")
    throw new AppError("USAGE", "the address of the store is empty", {
      hint: "unset PAWL_STORE for the store in Pawl's home, or write sqlite:PATH or postgres://USER@HOST/DATABASE",
    });
  throw new AppError("USAGE", `"${shownStore(given ?? "")}" is not a store this version knows`, {
    hint: "use sqlite:PATH or postgres://USER@HOST/DATABASE",
  });
}

/** Open runs with trees that are on other machines: where the store is in a file, there are none. */
export async function runsAway(given: string | null, home: Home, clock: Clock): Promise<readonly RunId[]> {
  if (given === null || !isPostgres(given)) return [];
  const { openPostgres } = await import("./store/postgres/open.ts");
  const { store, machines } = await openPostgres(given, clock, visitorFrom(home, false), true);
  try {
    return await machines.runsAway();
  } finally {
    await store.close();
  }
}

type Visitor = ReturnType<typeof visitorFrom>;

function visitorFrom({ dir }: Home, joins: boolean) {
  return { id: homeId(dir), host: hostName(), dir, version: packageVersion(), joins };
}

function sqliteFile(store: string | null): string | null {
  const file = /^sqlite:(.+)$/.exec(store ?? "")?.[1];
  return file === undefined ? null : resolve(file);
}

/** The agents that Pawl knows. */
export const agents = new AgentRegistry(knownAgents);

/** Executors as the configuration and the command line name them. */
export function configuredExecutors(
  config: Config,
  { home = findHome(process.env).dir, store = null }: { readonly home?: string; readonly store?: string | null } = {},
): ConfiguredExecutors {
  return executorsOf(config, agents, { home: () => home, store: () => sqliteFile(store) });
}

/** Whom the configuration wants to be told; their commands run in Pawl's home. */
export function configuredTargets(
  config: Config,
  home: Home,
  env: Environment = process.env,
  subscriptions: Subscriptions | null = null,
): readonly Target[] {
  const { publicUrl } = config.service;
  // Push services want to know whom to ask.
  const contact = publicUrl?.startsWith("https:") ? publicUrl : "mailto:pawl@example.com";
  const sender = () => ({ key: pushKey(home.dir), contact, allowPrivate: false });
  // The same for every try and every target: it expires after the question was asked, not after it was sent.
  const configured = openTargets(config.notify, env, home.dir, (gate, asked) =>
    publicUrl === null ? null : `${publicUrl}/g/${gateLink(linkKey(home.dir), gate, Date.parse(asked) + linkLifeMs)}`,
  );
  return subscriptions === null ? configured : [...configured, browsers(subscriptions, sender)];
}

/** The variables that have secrets of targets. */
export function targetSecrets({ notify }: Pick<Config, "notify">): readonly string[] {
  return notify.flatMap(secretVariables);
}

/** What is wrong with a subscription; null: nothing. */
export function subscriptionProblem(given: Pick<BrowserSubscription, "endpoint" | "p256dh" | "auth">): string | null {
  const problem = problemOfEndpoint(given.endpoint);
  if (problem !== null) return `endpoint: ${problem}`;
  const [p256dh, auth] = [given.p256dh, given.auth].map((key) => Buffer.from(key, "base64url"));
  return p256dh && auth && areBrowserKeys({ p256dh, auth }) ? null : "keys: they are not keys of a browser";
}

/** Browsers whose token was revoked or has expired get nothing. */
export function subscriptionsIn({ store, clock }: Pick<Parts, "store" | "clock">): Subscriptions {
  return {
    async list() {
      const found = await store.subscriptions();
      if (found.length === 0) return found;
      const now = clock.now();
      const valid = (await store.tokens()).filter(({ expiresAt }) => expiresAt === null || expiresAt > now);
      return found.filter(({ token, createdAt }) =>
        // A name can be given again: the subscription is of the token that was there before it.
        valid.some((each) => each.name === token && each.createdAt <= createdAt),
      );
    },
    async remove(id) {
      await store.removeSubscription(id);
    },
  };
}
