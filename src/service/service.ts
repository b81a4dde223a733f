// The service: drives every open run of a home in one process, with the API beside it, until it is stopped. Owns: its start, its record
// in the home, its end in order.

import type { Application } from "../application/application.ts";
import { AppError, errorText } from "../domain/error.ts";
import type { Log } from "../runtime/parts.ts";
import { isDiskFull } from "../system/files/disk-full.ts";
import { hostName } from "../system/home.ts";
import { packageFile, packageVersion } from "../system/package-root.ts";
import { makePrivateHome } from "../system/private-home.ts";
import { ownIdentity } from "../system/process/identity.ts";
import { checksumsOf, claimHome, leaveHome, type ServiceRecord, updateRecord } from "../system/service-file.ts";
import { type Companion, companions, type StartCompanion } from "./companions.ts";
import { type LookTimes, OpenRuns } from "./open-runs.ts";

export interface ServiceOptions {
  readonly app: Application;
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
  readonly log: Log;
  /** What starts it again when it ends. */
  readonly supervisor?: string | null | undefined;
  readonly companions?: readonly StartCompanion[] | undefined;
  readonly times?: Partial<LookTimes> | undefined;
}

/** `restart`: a newer one should take its place. */
export type ServiceEnd = "stopped" | "restart";

/** How often it looks whether its record is still there. */
const recordEveryMs = 30_000;

export class Service {
  readonly url: string;
  /** Resolves when it has ended, and nothing of it is left. */
  readonly ended: Promise<ServiceEnd>;
  readonly #options: ServiceOptions;
  readonly #runs: OpenRuns;
  readonly #companions: readonly Companion[];
  readonly #checking: NodeJS.Timeout;
  #record: ServiceRecord;
  #writing: Promise<void> = Promise.resolve();
  #end: ServiceEnd = "stopped";
  #isEnding = false;
  #isStopped = false;
  #hasEnded: (end: ServiceEnd) => void = () => undefined;

  /** Throws where a service runs already, or where it cannot listen. */
  static async start(options: ServiceOptions): Promise<Service> {
    const { app, supervisor = null } = options;
    makePrivateHome(app.home.dir);
    const record: ServiceRecord = {
      ...ownIdentity(),
      host: hostName(),
      version: packageVersion(),
      url: null,
      store: app.storeLabel,
      program: packageFile("bin", "pawl"),
      supervisor,
      variables: checksumsOf(app.env),
      troubles: {},
    };
    const other = await claim(app, record);
    if (other !== null) throw runsAlready(app, other);
    const started: Companion[] = [];
    let service: Service | null = null;
    const drives = () => service?.drives ?? false;
    try {
      for (const start of options.companions ?? companions) started.push(await start({ ...options, drives }));
      const url = started.map((companion) => companion.url).find((each) => each !== undefined) ?? "";
      service = new Service(options, started, { ...record, url });
      await service.#runs.start();
      await service.#write();
      return service;
    } catch (error) {
      for (const companion of started.toReversed()) await companion.close();
      leaveHome(app.home.serviceFile, record);
      throw error;
    }
  }

  private constructor(options: ServiceOptions, started: readonly Companion[], record: ServiceRecord) {
    const { app, log, times = {} } = options;
    this.#options = options;
    this.#companions = started;
    this.#record = record;
    this.url = record.url ?? "";
    this.#runs = new OpenRuns(app, {
      log,
      times,
      onTroubles: (troubles) => {
        this.#record = { ...this.#record, troubles };
        void this.#write();
      },
    });
    this.#checking = setInterval(() => void this.#write(), recordEveryMs);
    this.ended = new Promise((resolve) => {
      this.#hasEnded = resolve;
    });
  }

  /** It has looked for open runs, and begins what it finds. */
  get drives(): boolean {
    return this.#runs.drives;
  }

  /** Stops the running attempts in order. Runs can be resumed. */
  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#end = "stopped";
    const stopped = this.#runs.stop();
    if (!this.#isEnding) void this.#leave(stopped);
  }

  /** Ends when the running attempts have ended; nothing new begins until then. */
  restart(): void {
    if (this.#isEnding || this.#isStopped) return;
    this.#end = "restart";
    void this.#leave(this.#runs.drain());
  }

  async #leave(runs: Promise<void>): Promise<void> {
    this.#isEnding = true;
    const { app, log } = this.#options;
    const logged = async (what: string, work: Promise<void>) =>
      await work.catch((error: unknown) => log("service.not_ended", { what, why: errorText(error) }));
    await logged("runs", runs);
    await logged("runs", this.#runs.stop());
    clearInterval(this.#checking);
    for (const companion of this.#companions.toReversed()) await logged("companion", companion.close());
    await this.#writing;
    leaveHome(app.home.serviceFile, this.#record);
    this.#hasEnded(this.#end);
  }

  /** One at a time, the newest last. A full disk keeps the record as it was. */
  async #write(): Promise<void> {
    this.#writing = this.#writing.then(async () => {
      try {
        if (await updateRecord(this.#options.app.home.serviceFile, this.#record)) return;
        this.#options.log("service.displaced", { pid: process.pid });
        this.stop();
      } catch (error) {
        this.#options.log("service.not_recorded", { why: errorText(error) });
      }
    });
    await this.#writing;
  }
}

async function claim(app: Application, record: ServiceRecord): Promise<ServiceRecord | null> {
  try {
    return await claimHome(app.home.serviceFile, record);
  } catch (error) {
    if (error instanceof AppError) throw error;
    const isFull = isDiskFull(error);
    throw new AppError(isFull ? "STORE_FULL" : "STORE_UNUSABLE", `the service cannot start: ${errorText(error)}`, {
      hint: isFull ? "free some disk space" : `look at ${app.home.dir}: only you should be able to read and write it`,
      cause: error,
    });
  }
}

function runsAlready({ home }: Application, { pid, url, host }: ServiceRecord): AppError {
  const where = url === null ? "and is starting" : `at ${url}`;
  const isHere = host === hostName();
  return new AppError("REFUSED", `a service runs already ${where} (process ${pid}${isHere ? "" : ` on ${host}`})`, {
    hint: isHere
      ? "`pawl down` stops it; another home (PAWL_HOME) can have a service of its own"
      : `stop it there; if it is gone, remove ${home.serviceFile}`,
  });
}
