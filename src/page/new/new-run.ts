// The form of a new run as a value. Owns: what is sent for it, what is wrong with it before it is sent, and which field a refusal of the
// service is about.

import { money } from "../../transcript/money.ts";
import type { CallProblem } from "../api/calls.ts";
import { spanText } from "../parts/time-text.ts";
import { newRunTexts as texts } from "../texts/new-run.ts";

export interface NewRun {
  readonly workflow: string;
  readonly task: string;
  readonly repo: string;
  /** Empty: as configured. */
  readonly executor: string;
  /** Empty: what is checked out. */
  readonly base: string;
  /** Empty: the workflow's. */
  readonly costUsd: string;
  readonly attempts: string;
  readonly wallMs: string;
  readonly waits: "all" | "marked" | "none";
  /** Values of the workflow's inputs. */
  readonly context: Readonly<Record<string, string>>;
}

export type FieldName = keyof NewRun;

/** What a workflow says that the form depends on. */
export interface NeededByWorkflow {
  readonly inputs: readonly string[];
  readonly caps: { readonly costUsd: number; readonly attempts: number; readonly wallMs: number };
}

export type FieldProblems = Readonly<Partial<Record<FieldName, string>>>;

interface RunRequestBody {
  readonly workflow: string;
  readonly task: string;
  readonly repo: string;
  readonly executor?: string;
  readonly base?: string;
  readonly context?: Readonly<Record<string, string>>;
  readonly caps?: Readonly<Record<string, number>>;
  readonly waits?: NewRun["waits"];
}

interface CheckedForm {
  /** Null: there are problems. */
  readonly body: RunRequestBody | null;
  readonly problems: FieldProblems;
}

/** Only what was chosen is sent; the rest is as the workflow and the configuration say. */
export function requestOf(form: NewRun, { inputs, caps }: NeededByWorkflow): CheckedForm {
  const problems: Partial<Record<FieldName, string>> = {};
  for (const name of ["workflow", "task", "repo"] as const)
    if (form[name].trim() === "") problems[name] = texts.problems.empty;
  const context = Object.fromEntries(inputs.map((key) => [key, form.context[key]?.trim() ?? ""]));
  if (Object.values(context).includes("")) problems.context = texts.problems.empty;
  const asked: Record<string, number> = {};
  for (const cap of ["costUsd", "attempts", "wallMs"] as const) {
    const read = form[cap].trim() === "" ? null : capIn(cap, form[cap], caps[cap]);
    if (typeof read === "string") problems[cap] = read;
    else if (read !== null) asked[cap] = read;
  }
  if (Object.keys(problems).length > 0) return { body: null, problems };
  const body = {
    workflow: form.workflow,
    task: form.task,
    repo: form.repo,
    ...(form.executor === "" ? {} : { executor: form.executor }),
    ...(form.base.trim() === "" ? {} : { base: form.base.trim() }),
    ...(inputs.length === 0 ? {} : { context }),
    ...(Object.keys(asked).length === 0 ? {} : { caps: asked }),
    ...(form.waits === "marked" ? {} : { waits: form.waits }),
  };
  return { body, problems };
}

/** Empty: an agent can be chosen. */
export function executorHint(executors: readonly { readonly installed: boolean }[]): string {
  return executors.some(({ installed }) => installed) ? "" : texts.noExecutors;
}

type CapField = "costUsd" | "attempts" | "wallMs";

/** A text: what is wrong with it. */
function capIn(cap: CapField, text: string, limit: number): number | string {
  const value = cap === "wallMs" ? timeIn(text) : Number(text.trim().replace(/^\$/, "").replace(",", "."));
  if (value === null) return texts.problems.time;
  if (!Number.isFinite(value) || value <= 0) return cap === "attempts" ? texts.problems.whole : texts.problems.number;
  if (cap === "attempts" && !Number.isInteger(value)) return texts.problems.whole;
  return value > limit ? texts.problems.above(capText(cap, limit)) : value;
}

export function capText(cap: CapField, limit: number): string {
  if (cap === "costUsd") return money({ costUsd: limit, estimatedUsd: 0 });
  return cap === "attempts" ? limit.toLocaleString("en-US") : spanText(limit);
}

const units: Readonly<Record<string, number>> = { min: 60_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `45 min`, `1.5 h`, `2d`; a bare number is minutes. Null: it is none of them. */
export function timeIn(text: string): number | null {
  const [, number = "", unit = "min"] = /^(\d+(?:[.,]\d+)?)\s*(min|m|h|d)?$/i.exec(text.trim()) ?? [];
  const ms = Number(number.replace(",", ".")) * (units[unit.toLowerCase()] ?? Number.NaN);
  return number === "" || !(ms > 0) ? null : Math.round(ms);
}

const aboutField: readonly (readonly [RegExp, FieldName])[] = [
  [/repositor/i, "repo"],
  [/executor/i, "executor"],
  [/ needs |context/i, "context"],
  [/there is no workflow/i, "workflow"],
  [/\b(branch|commit|base|revision)\b/i, "base"],
];

/** Null: it is about no field, or about the whole. */
export function fieldOf({
  code,
  message,
  details,
}: Pick<CallProblem, "code" | "message" | "details">): FieldName | null {
  const [named] = details.map((detail) => /^(?:caps\.)?(\w+)/.exec(detail)?.[1]);
  if (named !== undefined && Object.hasOwn(texts.fields, named)) return named as FieldName;
  if (code === "FORBIDDEN" || code === "UNKNOWN") return null;
  if (code === "EXECUTOR_MISSING") return "executor";
  return aboutField.find(([words]) => words.test(message))?.[1] ?? null;
}

/** Made when the form is opened. Sent twice, a request under it starts one run. */
export function newKey(): string {
  // `randomUUID` is not there where the page is served without TLS to another machine.
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
