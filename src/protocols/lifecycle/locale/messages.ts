// What a session says, as a language has it.

import type { LifecycleCode } from "../session/codes.ts";

export interface Messages {
  readonly position: string;
  readonly target: string;
  readonly steps: string;
  readonly session: string;
  readonly phase: string;
  readonly milestone: string;
  readonly waves: string;
  readonly executed: string;
  readonly resume: string;
  readonly decisionPoints: (count: number) => string;
  /** Where a session stops: before this decision. */
  readonly stop: (decision: string, execute: string) => string;
  readonly decided: (decision: string, outcome: string) => string;
  /** A decision that inserted a fix loop: which of its retries that is, of how many. */
  readonly inserted: (decision: string, found: string, retry: number, most: number) => string;
  readonly escalated: (decision: string) => string;
  /** A limit is used up; `execute`: what to type when it is handled. */
  readonly paused: (execute: string) => readonly string[];
  readonly advanced: (decision: string, done: string, next: string, phase: string) => string;
  readonly allComplete: (decision: string) => string;
  /** Short words for what a reader found, by reader and value; others are shown as they are. */
  readonly outcomes: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly codes: Readonly<Record<LifecycleCode, string>>;
  /** For the agent of one row of a wave. */
  readonly instruction: string;
}
