// Projections of runs: one for each run in this process, opened when something first needs it and closed with the app.

import { errorText } from "../../domain/error.ts";
import type { RunId } from "../../domain/ids.ts";
import { type Looked, lookOnly, Projection, type ProjectionSource } from "../../protocols/files/projection.ts";
import type { RunFacts } from "../../protocols/protocol.ts";
import type { Protocols } from "../../protocols/registry.ts";
import type { Store } from "../../store/store.ts";

type Log = (event: string, fields: Readonly<Record<string, string>>) => void;

export type TakeChanges = NonNullable<ProjectionSource["takeChanges"]>;

export class Projections {
  readonly #store: Store;
  readonly #protocols: Protocols;
  readonly #log: Log;
  readonly #warn: (text: string) => void;
  /** Null: the run's protocol shows nothing. */
  readonly #open = new Map<RunId, Projection | null>();

  readonly #takeChanges: TakeChanges | undefined;

  constructor(store: Store, protocols: Protocols, log: Log, warn: (text: string) => void, take?: TakeChanges) {
    this.#takeChanges = take;
    this.#store = store;
    this.#protocols = protocols;
    this.#log = log;
    this.#warn = warn;
  }

  of(run: RunFacts): Projection | null {
    const known = this.#open.get(run.id);
    if (known !== undefined) return known;
    const projection = this.#make(run);
    this.#open.set(run.id, projection);
    return projection;
  }

  /** Brings the files of a run up to date, for a process that changed it and does not drive it. */
  async show(id: RunId): Promise<void> {
    const loaded = await this.#store.transaction((tx) => tx.load(id, () => []));
    if (loaded) await this.of(loaded.run.header)?.close();
  }

  /** What others changed in the files of a run. Nothing is recorded or written. */
  async look(id: RunId): Promise<Looked> {
    const loaded = await this.#store.transaction((tx) => tx.load(id, () => []));
    const files =
      loaded === null
        ? null
        : this.#protocols.of(loaded.run.header.definition).project(loaded.run.header, () => undefined);
    return files === null ? { changes: [], known: [] } : await lookOnly(id, files, sourceFrom(this.#store, undefined));
  }

  /** Everything that was begun is written. */
  async close(): Promise<void> {
    for (const projection of this.#open.values()) await projection?.close();
    this.#open.clear();
  }

  #make(run: RunFacts): Projection | null {
    const { name, project } = this.#protocols.of(run.definition);
    let warned = false;
    const trouble = (where: string) => (error: unknown) => {
      const why = errorText(error);
      this.#log("projection.failed", { run: run.id, protocol: name, why });
      if (!warned) this.#warn(`protocol ${name}: ${where} could not be written: ${why}`);
      warned = true;
    };
    try {
      const files = project(run, this.#warn);
      if (files === null) return null;
      return new Projection(
        run.id,
        files,
        sourceFrom(this.#store, this.#takeChanges),
        trouble(`the files in ${files.dir}`),
      );
    } catch (error) {
      trouble("its files")(error);
      return null;
    }
  }
}

function sourceFrom(store: Store, takeChanges: TakeChanges | undefined): ProjectionSource {
  return {
    events: (run, after, limit) => store.events(run, after, limit),
    wholeRun: (run) => store.wholeRun(run),
    partOf: async (run, stories) => (await store.transaction((tx) => tx.load(run, () => stories)))?.run ?? null,
    storySpecs: (run) => store.storySpecs(run),
    ...(takeChanges === undefined ? {} : { takeChanges }),
  };
}
