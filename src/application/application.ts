// The application. Owns: what a use case works with (home, configuration, store, executors), opened once and closed once, and the
// chores that follow every use case that changed something. It reads the process's directory and environment only as they are
// given here, so one process can serve many callers at once.

import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, join, resolve } from "node:path";
import {
  agents,
  configuredExecutors,
  configuredTargets,
  openApp,
  protocolsWith,
  subscriptionsIn,
  targetSecrets,
} from "../app.ts";
import { AppError, errorText } from "../domain/error.ts";
import type { RunId } from "../domain/ids.ts";
import type { Protocol } from "../protocols/protocol.ts";
import type { Protocols } from "../protocols/registry.ts";
import { type Config, readConfig } from "../runtime/config/config.ts";
import type { ConfiguredExecutors } from "../runtime/config/executors.ts";
import { isTrusted, untrusted } from "../runtime/config/trust.ts";
import type { Executors, Log, Parts } from "../runtime/parts.ts";
import { findHome, type Home, movesIn } from "../system/home.ts";
import { withoutPassword } from "../system/store-address.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ApplicationOptions {
  /** Relative paths start here. */
  readonly cwd: string;
  readonly env: Environment;
  /** `sqlite:PATH` or `postgres://…`. Default: `PAWL_STORE` of the environment, else the store in Pawl's home. */
  readonly store?: string | undefined;
  /** Recorded with each command that names no author. Default: the user of this process. */
  readonly author?: string | undefined;
  readonly log?: Log | undefined;
  /** Receives what a person should know at once. */
  readonly warn?: ((text: string) => void) | undefined;
  /** Beside those that come with Pawl. */
  readonly protocols?: readonly Protocol[] | undefined;
  /** Runs the commands of any repository's own configuration without asking. Default: only those that the user agreed to. */
  readonly trust?: boolean | undefined;
  /** A worker, or a command about workers, which may use a store that belongs to another home. */
  readonly joins?: boolean | undefined;
  /** Labels of this machine, beside those of the configuration. */
  readonly labels?: readonly string[] | undefined;
  /** Adds executors to the configured ones. */
  readonly executors?: ((configured: Executors) => Executors) | undefined;
}

/** What a use case that changes something works with. */
export interface Session {
  readonly parts: Parts;
  readonly config: Config;
}

/** What a use case that only reads works with: without `commits`, nothing can be committed. */
export interface ReadSession {
  readonly parts: Omit<Parts, "commits">;
  readonly config: Config;
}

export class Application {
  readonly home: Home;
  readonly cwd: string;
  readonly env: Environment;
  readonly author: string;
  readonly protocols: Protocols;
  readonly #options: ApplicationOptions;
  #shared: Promise<Parts> | null = null;
  /** The user's own, as it was when it could last be read. */
  #lastConfig: Config | null = null;
  #hasDoneChores = false;
  readonly #warned = new Set<string>();

  /** Opens nothing yet: a use case without a store (workflows, init) never opens one. */
  constructor(options: ApplicationOptions) {
    const { cwd, env } = options;
    const dir = env["PAWL_HOME"];
    this.home = findHome(dir ? { ...env, PAWL_HOME: resolve(cwd, dir) } : env);
    this.cwd = cwd;
    this.env = env;
    this.author = options.author ?? userName();
    this.protocols = protocolsWith(options.protocols);
    this.#options = options;
  }

  /** A path as this application means it. */
  path(given: string): string {
    return resolve(this.cwd, given);
  }

  /** The store, as a process that this application starts must name it; null: the one in Pawl's home. It may have a password in it. */
  get storeName(): string | null {
    const name = this.#options.store ?? this.env["PAWL_STORE"] ?? null;
    const file = name === null ? undefined : /^sqlite:(.+)$/.exec(name)?.[1];
    return file === undefined ? name : `sqlite:${this.path(file)}`;
  }

  /** The same for people and files. */
  get storeLabel(): string | null {
    const name = this.storeName;
    return name === null ? null : withoutPassword(name);
  }

  /** The executors of a configuration, with what a person asks about them. */
  executorsOf(config: Config): ConfiguredExecutors {
    return configuredExecutors(config, { home: this.home.dir, store: this.storeName });
  }

  /**
   * For a use case that reads. `repo`: the repository whose `.pawl/config.yml` counts; null: none. A user's configuration that was broken
   * while a service runs keeps nobody from looking: what it said before counts.
   */
  async read(repo: string | null = null): Promise<ReadSession> {
    try {
      return await this.#session(repo);
    } catch (error) {
      const isBroken = error instanceof AppError && error.code === "CONFIG_INVALID";
      if (!isBroken || repo !== null || this.#lastConfig === null) throw error;
      return await this.#sessionWith(this.#lastConfig);
    }
  }

  /**
   * For a use case that changes something. The chores are done when it has worked. `commit`: of the repository, has the configuration that
   * counts; null: its folder has it.
   */
  async change<T>(
    repo: string | null,
    work: (session: Session) => Promise<T>,
    commit: string | null = null,
  ): Promise<T> {
    const { parts, config } = await this.#session(repo, commit);
    if (repo !== null) this.assertTrusted(repo, config);
    const changed = new Set<RunId>();
    const commits: Parts["commits"] = {
      tell(committed) {
        changed.add(committed.run);
        parts.commits.tell(committed);
      },
      listen: (listener) => parts.commits.listen(listener),
    };
    const own: Parts = { ...parts, commits };
    const result = await work({ parts: own, config });
    this.#hasDoneChores = true;
    // They are for the machine that has the repositories.
    if (parts.machines?.isGuest === true) return result;
    // Loaded late: a use case that only reads starts faster.
    const { doChores } = await import("./chores.ts");
    await doChores(own, changed);
    return result;
  }

  /** For a process that changes runs in its own time, and does the chores itself. */
  async open(): Promise<Session> {
    return await this.#session(null);
  }

  /** The same one, for a caller of its own: what it changes is recorded under this name. Only the original is closed. */
  async as(author: string): Promise<Application> {
    const other = new Application({ ...this.#options, author });
    other.#shared = Promise.resolve(await this.#open());
    other.#lastConfig = this.#lastConfig;
    return other;
  }

  get log(): Log {
    return this.#options.log ?? (() => undefined);
  }

  /** What a person should know at once. */
  warn(text: string): void {
    this.#warned.add(text);
    this.#options.warn?.(text);
  }

  hasWarned(text: string): boolean {
    return this.#warned.has(text);
  }

  /** Whether it runs commands that nobody agreed to: a driver that it starts must know it. */
  get trusts(): boolean {
    return this.#options.trust ?? false;
  }

  /** Throws where the repository's own configuration has commands that its user has not agreed to. */
  assertTrusted(repo: string, { repositoryCommands }: Config): void {
    const top = topOf(this.path(repo));
    if (this.trusts || isTrusted(this.home.configFile, top, repositoryCommands)) return;
    throw untrusted(top, repositoryCommands);
  }

  /** Calls `listener` after each commit, of this process or another. */
  async onChange(listener: () => void): Promise<{ close(): void }> {
    const { commits, store } = await this.#open();
    const listening = [commits.listen(listener), store.watch(listener)];
    return { close: () => listening.forEach((each) => each.close()) };
  }

  /** Nothing may be under way any more. */
  async close(): Promise<void> {
    const shared = await this.#shared?.catch(() => null);
    const isGuest = shared?.machines?.isGuest === true;
    if (shared && !isGuest && !this.#hasDoneChores) await this.#finishEndedRuns(shared);
    this.#shared = null;
    await shared?.tools?.close();
    await shared?.trees.settled();
    await shared?.projections.close();
    await shared?.telemetry?.close();
    await shared?.dispatch.close();
    await shared?.store.close();
  }

  /** What an ended run or a dead process left to do is done by the next process that opens its home, even by one that only looks. */
  async #finishEndedRuns({ store, clock, log }: Parts): Promise<void> {
    try {
      const now = clock.now();
      const isDue = (await store.hasDueEffects(now)) || (await store.effectHolders(now)).length > 0;
      if (!isDue && movesIn(this.home).length === 0) return;
      const { finishEndedRuns } = await import("./chores.ts");
      await finishEndedRuns((await this.#session(null)).parts);
    } catch (error) {
      // The use case itself has worked.
      log("chores.failed", { why: errorText(error) });
    }
  }

  /** As it is now, of the user and of the repository that contains the directory. It opens no store. */
  async configuration(dir: string): Promise<Config> {
    return await readConfig(this.home.configFile, topOf(this.path(dir)), agents);
  }

  /** The shared parts with the configuration as it is now, of the user and of one repository. */
  async #session(repo: string | null, commit: string | null = null): Promise<Session> {
    const top = repo === null ? null : topOf(this.path(repo));
    const config = await readConfig(this.home.configFile, top, agents, commit);
    const session = await this.#sessionWith(config);
    if (repo === null) this.#lastConfig = config;
    return session;
  }

  async #sessionWith(config: Config): Promise<Session> {
    const shared = await this.#open(config);
    const configured = this.executorsOf(config);
    const parts = {
      ...shared,
      executors: this.#options.executors?.(configured) ?? configured,
      targets: configuredTargets(config, this.home, this.env, subscriptionsIn(shared)),
      settings: { workspace: config.workspace },
      labels: [process.platform, ...config.worker.labels, ...(this.#options.labels ?? [])],
    };
    return { parts, config };
  }

  async #open(known?: Config): Promise<Parts> {
    this.#shared ??= this.#openParts(known).catch((error: unknown) => {
      // The next use case tries again.
      this.#shared = null;
      throw error;
    });
    return await this.#shared;
  }

  async #openParts(known: Config | undefined): Promise<Parts> {
    const config = known ?? (await readConfig(this.home.configFile, null, agents));
    const { log = () => undefined, protocols } = this.#options;
    return await openApp({
      home: this.home,
      env: this.env,
      store: this.storeName,
      executors: this.executorsOf(config),
      ...(protocols === undefined ? {} : { protocols }),
      trust: this.trusts,
      // A worker that names no repositories of another machine works for its own home.
      joins: this.#options.joins === true && Object.keys(config.worker.repositories).length > 0,
      secretNames: targetSecrets(config),
      telemetry: config.telemetry,
      log,
      warn: (text) => this.warn(text),
    });
  }
}

/** The repository that contains the directory: its configuration counts in each of its folders. */
function topOf(dir: string): string {
  for (let at = dir; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (dirname(at) === at) return dir;
  }
}

function userName(): string {
  try {
    return `user:${userInfo().username}`;
  } catch {
    return "user";
  }
}
