// Another orchestrator that works by the files of `.ai/`. `describedReader` is what the protocol demands of a STATE.json, in our words;
// a program itself is read from the module that PAWL_OTHER_ORCHESTRATOR names, and skipped where it does not.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { tempDir } from "./repository.ts";

export type StateFields = Readonly<Record<string, unknown>>;

/** What it would do next with a project. */
export interface Outlook {
  readonly type: string;
  readonly step?: string;
  readonly attempt?: number;
  readonly message?: string;
}

/** The functions of a program of this kind that the tests use. All but the first work on the folder of a project. */
export interface OtherOrchestrator {
  createInitialState(project: string): StateFields;
  readState(root: string): StateFields;
  peek(root: string): Outlook;
  checkPrerequisites(root: string): { readonly ok: boolean };
  queryProjectStatus(root: string): StateFields;
  startStory(root: string, story: string): Outlook;
  startCustom(root: string, instruction: string, options: { readonly label: string }): Outlook;
  dispatch(root: string): Outlook;
  applyHandoff(root: string): Outlook;
  approveReview(root: string, note?: string): Outlook;
  rejectReview(root: string, reason: string, note?: string): Outlook;
  rollback(root: string, step: string): Outlook;
  reopen(root: string, step: string, options: { readonly humanNote: string }): Outlook;
}

const named = process.env["PAWL_OTHER_ORCHESTRATOR"];

export const absentOrchestrator = "PAWL_OTHER_ORCHESTRATOR names no module of another orchestrator";

/** null: none is given. */
export function otherOrchestrator(): OtherOrchestrator | null {
  return named === undefined ? null : (createRequire(import.meta.url)(named) as OtherOrchestrator);
}

const steps = "bdd sdd-delta contract review scaffold impl verify update-memory done".split(" ");
const statuses = "pending running pass failing needs_human timeout".split(" ");
const reasons = "constitution_violation needs_clarification nfr_missing scope_warning test_timeout".split(" ");

/** What is wrong with a STATE.json by the words of the protocol; empty: every program of this kind can read it. */
export function faultsIn(text: string): readonly string[] {
  const state = JSON.parse(text) as StateFields;
  const faults: string[] = [];
  const demand = (key: string, isRight: boolean) =>
    void (isRight || faults.push(`${key}: ${JSON.stringify(state[key])}`));
  const is = (value: unknown, of: readonly string[]) => typeof value === "string" && of.includes(value);
  const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0;
  const isTime = (value: unknown) => value === null || (typeof value === "string" && !Number.isNaN(Date.parse(value)));
  const isTexts = (value: unknown) => Array.isArray(value) && value.every((each) => typeof each === "string");
  const { status, tests } = state;
  demand("project", typeof state["project"] === "string" && state["project"] !== "");
  demand("story", state["story"] === null || typeof state["story"] === "string");
  demand("step", is(state["step"], steps));
  demand("status", is(status, statuses));
  // Only a failure has a reason; a program that finds one elsewhere corrects the file.
  demand("reason", state["reason"] === null || (status === "failing" && is(state["reason"], reasons)));
  demand("attempt", isCount(state["attempt"]) && Number(state["attempt"]) >= 1);
  demand("max_attempts", Number(state["max_attempts"]) >= Number(state["attempt"]));
  demand("timeout_min", isCount(state["timeout_min"]));
  demand("dispatched_at", isTime(state["dispatched_at"]) && (status !== "running" || state["dispatched_at"] !== null));
  demand("completed_at", isTime(state["completed_at"]) && (status !== "running" || state["completed_at"] === null));
  const counts =
    tests === null
      ? []
      : [(tests as StateFields)["pass"], (tests as StateFields)["fail"], (tests as StateFields)["skip"]];
  demand("tests", counts.every(isCount));
  for (const key of ["failing_tests", "files_changed", "blocked_by"]) demand(key, isTexts(state[key]));
  demand("lint_pass", state["lint_pass"] === null || typeof state["lint_pass"] === "boolean");
  demand("human_note", state["human_note"] === null || typeof state["human_note"] === "string");
  return faults;
}

/** What a program itself makes of a STATE.json. It works on a copy, which must stay as it is. */
export function readBy(program: OtherOrchestrator, text: string): Outlook {
  const root = tempDir("pawl-other-");
  const file = join(root, ".ai/STATE.json");
  mkdirSync(join(root, ".ai"));
  writeFileSync(file, text);
  const state = program.readState(root);
  if (JSON.stringify(state) !== JSON.stringify(JSON.parse(text)))
    throw new Error(`read as ${JSON.stringify(state)}: ${text}`);
  program.checkPrerequisites(root);
  program.queryProjectStatus(root);
  const outlook = program.peek(root);
  if (readFileSync(file, "utf8") !== text) throw new Error(`corrected: ${text}`);
  if (existsSync(join(root, ".ai/hook.log"))) throw new Error(readFileSync(join(root, ".ai/hook.log"), "utf8"));
  return outlook;
}
