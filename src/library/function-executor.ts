// Executors that are functions of the program that embeds Pawl. The function runs in this process: it cannot be killed, so one that
// does not stop is left behind, its attempt ends, and what it returns later is ignored.

import { noUsage, type Usage } from "../domain/attempt.ts";
import { counted } from "../domain/counted.ts";
import { AppError, errorText } from "../domain/error.ts";
import { withSystem } from "../executors/agent/system-text.ts";
import {
  attemptMarker,
  type Execution,
  type ExecutionEnd,
  type Executor,
  type ExecutorCall,
} from "../executors/executor.ts";
import type { Executors } from "../runtime/parts.ts";
import { killStrays } from "../system/process/strays.ts";
import type { AgentAnswer, ExecutorFunction, ExecutorObject } from "./api.ts";

const defaultTimeoutMs = 60 * 60_000;
/** How long a function has to stop after its signal aborts. */
const graceMs = 5_000;

const countedKeys = ["costUsd", "inputTokens", "outputTokens", "cacheReadTokens"] as const;

export type GivenExecutors = Readonly<Record<string, ExecutorFunction | ExecutorObject>>;

/** The configured executors, with those of the program in front of them. */
export function withOwnExecutors(given: GivenExecutors): (configured: Executors) => Executors {
  const own = new Map(Object.entries(given).map(([name, each]) => [name, functionExecutor(name, each)]));
  return (configured) => ({
    ...configured,
    accountOf: (name) => (own.has(name) ? null : configured.accountOf(name)),
    get: async (name) => own.get(name) ?? (await configured.get(name)),
  });
}

function functionExecutor(name: string, given: ExecutorFunction | ExecutorObject): Executor {
  assertName(name);
  const own: ExecutorObject = typeof given === "function" ? { perform: given } : given;
  if (typeof own?.perform !== "function") {
    throw new AppError("USAGE", `the executor "${name}" is neither a function nor an object with \`perform\``, {
      hint: "give a function that gets a call and returns the answer as text",
    });
  }
  return {
    name,
    async missing() {
      const what = (await own.missing?.()) ?? null;
      return what === null ? null : { what, hint: `the executor "${name}" says so; it is part of this program` };
    },
    start: (call) => new FunctionExecution(name, own, call),
  };
}

/** Names are separated by commas, and `KIND: …` is a program. */
function assertName(name: string): void {
  if (/^[A-Za-z][A-Za-z0-9_-]*$/.test(name) && name !== "pull" && name !== "shell") return;
  throw new AppError("USAGE", `an executor cannot be called "${name}"`, {
    hint: "use letters, digits, _ and -; `pull` and `shell` have a meaning of their own",
  });
}

interface Halt {
  readonly outcome: "timed_out" | "cancelled";
  readonly why: string;
}

class FunctionExecution implements Execution {
  readonly started = Promise.resolve();
  readonly ended: Promise<ExecutionEnd>;
  readonly #name: string;
  readonly #call: ExecutorCall;
  readonly #controller = new AbortController();
  readonly #abandoned = Promise.withResolvers<"abandoned">();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #notes: string[] = [];
  #quiet: NodeJS.Timeout | null = null;
  #halt: Halt | null = null;
  #written: Promise<void> = Promise.resolve();
  #isOver = false;

  constructor(name: string, own: ExecutorObject, call: ExecutorCall) {
    this.#name = name;
    this.#call = call;
    const wallMs = call.wallMs ?? own.timeoutMs ?? defaultTimeoutMs;
    this.#after(wallMs, () => this.#stop({ outcome: "timed_out", why: `it ran longer than ${wallMs / 1000} s` }));
    this.heard();
    this.ended = this.#perform(own);
  }

  stop(reason: string): void {
    this.#stop({ outcome: "cancelled", why: reason });
  }

  heard(): void {
    const { quietMs } = this.#call;
    if (quietMs === null || this.#isOver) return;
    if (this.#quiet !== null) clearTimeout(this.#quiet);
    const why = `it said nothing for ${quietMs / 1000} s`;
    this.#quiet = this.#after(quietMs, () => this.#stop({ outcome: "timed_out", why }));
  }

  async #perform(own: ExecutorObject): Promise<ExecutionEnd> {
    const end = await this.#answerOf(own);
    this.#isOver = true;
    for (const timer of this.#timers) clearTimeout(timer);
    if (end.outcome === "ran" && end.text !== "") this.#print(end.text);
    await this.#written;
    const { killed } = await killStrays({ marker: { name: attemptMarker, value: this.#call.attempt } });
    if (killed > 0)
      this.#notes.push(
        `${counted(killed, "process", "processes")} outlived the executor and ${killed === 1 ? "was" : "were"} killed`,
      );
    return { ...end, notes: this.#notes };
  }

  async #answerOf(own: ExecutorObject): Promise<ExecutionEnd> {
    const nothing = { text: "", usage: noUsage, session: null, notes: [] };
    try {
      // Not in the constructor's turn: a function that throws at once is an end like any other.
      await Promise.resolve();
      const answer = await Promise.race([own.perform(this.#agentCall()), this.#abandoned.promise]);
      if (this.#halt === null) return this.#ran(answer);
      if (answer === "abandoned") this.#notes.push(`it did not stop within ${graceMs / 1000} s and was left behind`);
      return { ...nothing, ...this.#halt };
    } catch (error) {
      if (this.#halt !== null) return { ...nothing, ...this.#halt };
      return { ...nothing, outcome: "failed", why: `${this.#name}: ${errorText(error)}` };
    }
  }

  #ran(answer: unknown): ExecutionEnd {
    const given = typeof answer === "string" ? { text: answer } : (answer as AgentAnswer | null | undefined);
    if (typeof given?.text !== "string") throw new Error("it returned neither a text nor an object with `text`");
    return {
      outcome: "ran",
      text: given.text.toWellFormed().replaceAll("\0", ""),
      usage: this.#usageIn(given.usage),
      session: null,
      model: this.#wordIn("model", given.model),
      version: this.#wordIn("version", given.version),
      notes: [],
    };
  }

  /** A program may be plain JavaScript: a number that cannot be counted must not cost the work, nor the account of the run. */
  #usageIn(given: unknown): Usage {
    const usage: Record<string, number> = { ...noUsage };
    for (const key of countedKeys) {
      const value = (given as Readonly<Record<string, unknown>> | null | undefined)?.[key];
      if (value === undefined || value === null) continue;
      if (typeof value === "number" && value >= 0 && value < Number.MAX_SAFE_INTEGER)
        usage[key] = key === "costUsd" ? value : Math.round(value);
      else this.#notes.push(`its \`usage.${key}\` is not counted: it is not a number of 0 or more`);
    }
    return { ...noUsage, ...usage };
  }

  #wordIn(key: string, value: unknown): string | null {
    if (value === undefined || value === null || typeof value === "string") return value ?? null;
    this.#notes.push(`its \`${key}\` is left out: it is not a text`);
    return null;
  }

  #agentCall() {
    const { prompt, system, cwd, env, attempt, access = "write", model = null } = this.#call;
    return {
      prompt: withSystem(system, prompt),
      cwd,
      env: { ...env, [attemptMarker]: attempt },
      step: env["PAWL_STEP"] ?? "",
      story: env["PAWL_STORY"] || null,
      attempt: Number(env["PAWL_ATTEMPT"]),
      access,
      model,
      signal: this.#controller.signal,
      print: (text: string) => {
        if (this.#isOver) return;
        this.heard();
        this.#print(text);
      },
    };
  }

  #print(text: string): void {
    const chunk = new TextEncoder().encode(text.endsWith("\n") ? text : `${text}\n`);
    this.#written = this.#written
      .then(() => this.#call.onOutput("stdout", chunk))
      .catch((error: unknown) => void this.#notes.push(`the log is not complete: ${errorText(error)}`));
  }

  #stop(halt: Halt): void {
    if (this.#isOver || this.#halt !== null) return;
    this.#halt = halt;
    this.#after(graceMs, () => this.#abandoned.resolve("abandoned"));
    this.#controller.abort(new Error(halt.why));
  }

  #after(ms: number, act: () => void): NodeJS.Timeout {
    // Longer than a timer can count: about 24 days.
    const timer = setTimeout(act, Math.min(ms, 2 ** 31 - 1));
    this.#timers.add(timer);
    return timer;
  }
}
