// Parts of a step: performed at the same time, each with its own agent, attempts and end. The step ends when all of them have ended.

import type { AgentName, AttemptId, GateId, PartName } from "./ids.ts";
import { isSafeId, partName } from "./ids.ts";
import { linesIn, listIn } from "./list.ts";
import type { ReadyState } from "./ready.ts";
import type { Spend } from "./route.ts";

export type PartState =
  | ReadyState
  | { readonly status: "running"; readonly attempt: AttemptId }
  /** Waits for a person; the other parts continue. */
  | { readonly status: "held"; readonly gate: GateId }
  | PartEnd;

/** How a part ended. `stopped`: it was not needed any more, or a person left it out. */
export type PartEnd =
  | { readonly status: "passed" }
  | { readonly status: "rejected"; readonly reason: string | null; readonly feedback: string }
  | { readonly status: "failed"; readonly reason: string }
  | { readonly status: "stopped"; readonly reason: string };

export type PartStatus = PartState["status"];

export interface Part {
  readonly name: PartName;
  readonly state: PartState;
  /** For its next attempt: why the step was sent back, or what was wrong with its last answer. */
  readonly feedback: string;
  /** What it said under the keys that later steps name; absent: nothing. */
  readonly said?: Readonly<Record<string, string>>;
  /** It is none of the file: the runtime itself joins the work of the others in it. */
  readonly joins?: true;
}

/** The part that joins what parts changed in trees of their own. No part of the file has its name beside parts that write. */
export const joinPart = partName("join");

/** The parts of a step as its workflow describes them. */
export interface PartsDefinition {
  readonly of: PartsSource;
  /** Asked when the chain reaches the step: where it does not hold, the step is performed as a whole. Absent: always as parts. */
  readonly if?: PartsCondition;
  /** How many parts must pass. */
  readonly need: "all" | number;
  /** `stop`: the others are stopped as soon as the verdict of the step is known. */
  readonly others: "finish" | "stop";
  /**
   * `alone`: a part that says no takes the rule of its step for itself, as one that failed does; absent: a no is its last word, and
   * the step takes the rule once.
   */
  readonly rejected?: "alone";
}

/** A key of the context has one of these values, which are folded. */
interface PartsCondition {
  readonly key: string;
  readonly values: readonly string[];
}

/** A list of the file, or a key of the context that has one name a line when the chain reaches the step. */
type PartsSource = { readonly list: readonly PartDefinition[] } | { readonly each: string };

/** A part of the list: what is absent is as its step says. */
export interface PartDefinition {
  readonly name: PartName;
  readonly agent?: AgentName;
  readonly input?: string;
  readonly reads?: readonly string[];
  readonly writes?: readonly string[];
  readonly access?: "read";
  readonly wallMs?: number;
  /** What its attempts may use together; then it fails. */
  readonly spend?: Spend;
}

export const mostParts = 100;

/** It runs, or can start. */
export function isMoving({ state }: Part): boolean {
  return state.status === "ready" || state.status === "running";
}

export function isEnded(part: Part): part is Part & { readonly state: PartEnd } {
  const { status } = part.state;
  return status !== "ready" && status !== "running" && status !== "held";
}

/** The parts of the file or of its list. */
export function givenParts(parts: readonly Part[]): readonly Part[] {
  return parts.filter(({ joins }) => joins !== true);
}

/** Why these names cannot be those of the parts of one step; null: they can. */
export function refusedNames(names: readonly string[], { write = false }: { write?: boolean } = {}): string | null {
  if (names.length === 0) return "the list is empty";
  if (names.length > mostParts) return `the list has ${names.length} names, and a step has at most ${mostParts} parts`;
  const bad = names.find((name) => !isSafeId(name));
  if (bad !== undefined) return `${JSON.stringify(shortened(bad))} cannot be the name of a part`;
  // Names become names of files, and some file systems do not tell case apart.
  const folded = names.map((name) => name.toLowerCase());
  const twice = names.find((_, index) => folded.indexOf(folded[index] ?? "") !== index);
  if (twice !== undefined) return `two parts have the name "${twice}"`;
  const isTaken = write && folded.includes(joinPart);
  return isTaken ? `"${joinPart}" is the part that joins what the others changed` : null;
}

/** The names in a value of the context: a JSON list, or one a line. */
export function namesIn(text: string): readonly string[] {
  return listIn(text) ?? linesIn(text);
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
