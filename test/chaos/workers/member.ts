// A process of Pawl in a campaign: a worker, the service or a guest, with its own line to the server and its own time of day. What a
// supervisor does is done here: one that could not start, or that was killed, is started again.

import { type ChildProcess, spawn } from "node:child_process";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { onHost } from "../../support/other-host.ts";
import { pawl } from "../scene.ts";
import type { Line } from "./lines.ts";

const jumpingClock = new URL("../jumping-clock.ts", import.meta.url).href;
/** A server that is away refuses those who come; they come again after this pause. */
const againMs = 300;
/** A connection that was cut in silence is found dead by the operating system, after as long again. */
const endMs = 120_000;

export interface MemberOptions {
  readonly name: string;
  /** A guest is a worker of another machine. */
  readonly kind: "worker" | "service" | "guest";
  readonly dir: string;
  readonly home: string;
  /** Where it is started. */
  readonly cwd: string;
  readonly line: Line;
  /** The store, as its line reaches it. */
  readonly store: string;
}

export class Member {
  readonly name: string;
  readonly kind: MemberOptions["kind"];
  readonly home: string;
  readonly line: Line;
  /** Something that lasts is being done to it. */
  isAfflicted = false;
  readonly violations: string[] = [];
  readonly #options: MemberOptions;
  readonly #clock: string;
  #child: ChildProcess | null = null;
  #ended: Promise<number | null> = Promise.resolve(null);
  #isReady = false;
  #isWanted = true;
  #dayMs = 0;
  starts = 0;

  constructor(options: MemberOptions) {
    this.name = options.name;
    this.kind = options.kind;
    this.home = options.home;
    this.line = options.line;
    this.#options = options;
    this.#clock = join(options.dir, `${options.name}.clock`);
    writeFileSync(this.#clock, "0 0".padEnd(64));
    process.once("exit", () => this.#child?.kill("SIGKILL"));
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  start(): void {
    const { line, home, cwd, store, dir, name, kind } = this.#options;
    const words = kind === "service" ? ["up", "--port", "0", "--json"] : ["worker", "--slots", "2", "--json"];
    const host = kind === "guest" ? onHost(name) : [];
    const [program = "", ...args] = [...line.prefix, ...host, process.execPath, pawl, ...words];
    const child = spawn(program, args, {
      cwd,
      env: {
        ...environmentOf(home, store),
        NODE_OPTIONS: `--import=${jumpingClock}`,
        PAWL_CHAOS_CLOCK: this.#clock,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    this.#isReady = false;
    this.starts += 1;
    let told = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      // An error is a line, too.
      this.#isReady = /"(slots|url)":/.test((told = (told + text).slice(-2_000)));
    });
    let said = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-2_000);
      appendFileSync(join(dir, `${name}.log`), text);
    });
    this.#ended = new Promise((resolve) => {
      child.once("close", (code) => {
        resolve(code);
        if (this.#child === child) void this.#follow(child, code, said);
      });
    });
  }

  /** Starts it again where it ended by itself, which only one that has not been ready may do. */
  async #follow(child: ChildProcess, code: number | null, said: string): Promise<void> {
    if (!this.#isWanted) return;
    if (this.#isReady) this.violations.push(`${this.name} ended by itself with ${code}: ${said}`);
    await sleep(againMs);
    // It may have been killed, and so started, meanwhile.
    if (this.#isWanted && this.#child === child) this.start();
  }

  async kill(): Promise<void> {
    const [child, ended] = [this.#child, this.#ended];
    this.#child = null;
    child?.kill("SIGKILL");
    await ended;
    this.start();
  }

  /** It stands still; the agents that it has started do not. */
  freeze(): void {
    this.#child?.kill("SIGSTOP");
  }

  thaw(): void {
    this.#child?.kill("SIGCONT");
  }

  /** Somebody sets the clock of the machine that it is on. */
  setClock(minutes: number): void {
    this.#dayMs = minutes * 60_000;
    // One write of a few bytes: the process does not read half of it.
    writeFileSync(this.#clock, `${this.#dayMs} 0`.padEnd(64), { flag: "r+" });
  }

  /** In order: its attempts end first. */
  async end(): Promise<void> {
    this.#isWanted = false;
    this.#child?.kill(this.kind === "service" ? "SIGTERM" : "SIGUSR2");
    const code = await Promise.race([this.#ended, sleep(endMs, "late" as const, { ref: false })]);
    if (code === "late") this.#child?.kill("SIGKILL");
    if (code !== 0) this.violations.push(`${this.name} did not end in order: ${code}`);
  }
}

/** Nothing from this machine: no git settings, no settings of Pawl, no user's home. */
export function environmentOf(home: string, store: string): NodeJS.ProcessEnv {
  const { PATH, TMPDIR } = process.env;
  return {
    PATH,
    ...(TMPDIR ? { TMPDIR } : {}),
    LANG: "C.UTF-8",
    HOME: home,
    PAWL_HOME: home,
    PAWL_STORE: store,
    PAWL_LOG: "json",
    GIT_CONFIG_NOSYSTEM: "1",
  };
}
