// Tracks what an agent was denied, and whether it found another way. An agent that was refused often reports politely that it is
// done.

import type { AgentEvent } from "../../domain/agent-event.ts";
import { isPawlTool } from "../agent/pawl-tools.ts";

/** Calls beyond this number are not tracked: their denial then counts from when it is reported. */
const mostCalls = 1_000;
const namesShown = 5;
const longestLine = 4_096;

export class Denials {
  readonly #names = new Set<string>();
  /** Names of calls by id: some agents do not say what was denied. */
  readonly #called = new Map<string, string>();
  /** When calls failed, by id: some agents say only at the end which of them were denied. */
  readonly #failedAt = new Map<string, number>();
  #now = 0;
  /** The line of stderr that is not complete yet. */
  #line = "";
  #lastDenied = 0;
  #lastDone = 0;

  saw(event: AgentEvent): void {
    this.#now += 1;
    if (event.type === "tool_call" && this.#called.size < mostCalls) this.#called.set(event.id, event.name);
    if (event.type === "tool_result" && event.ok) {
      // A report is not work: an agent that was refused everything can still report that it is done.
      if (!isPawlTool(this.#called.get(event.id) ?? "")) this.#lastDone = this.#now;
      this.#called.delete(event.id);
    } else if (event.type === "tool_result" && this.#failedAt.size < mostCalls) {
      this.#failedAt.set(event.id, this.#now);
    } else if (event.type === "denied") {
      this.#names.add(event.name || this.#called.get(event.id) || "something");
      this.#lastDenied = Math.max(this.#lastDenied, this.#failedAt.get(event.id) ?? this.#now);
    }
  }

  /** What it prints beside its events: some agents say only there that a patch was rejected. */
  heard(stderr: string): void {
    const lines = `${this.#line}${stderr}`.split("\n");
    this.#line = (lines.pop() ?? "").slice(-longestLine);
    if (!lines.some((line) => /\bpatch rejected: /.test(line))) return;
    this.#now += 1;
    this.#names.add("apply_patch");
    this.#lastDenied = this.#now;
  }

  /** Nothing that it did after the last denial succeeded. */
  get endedThere(): boolean {
    return this.#lastDenied > this.#lastDone;
  }

  /** `Write was denied`, `Write and Bash were denied`; empty for none. */
  get words(): string {
    const names = [...this.#names].slice(0, namesShown);
    if (names.length === 0) return "";
    const rest = this.#names.size > namesShown ? " and others" : "";
    return `${names.join(" and ")}${rest} ${names.length === 1 ? "was" : "were"} denied`;
  }
}
