// Reads antfarm's `loop` and reports what is wrong with it. The chain is built elsewhere.

import type { Path } from "../document/problem.ts";
import { type Finding, type Reading, refuse, warn } from "../document/reading.ts";
import type { AntfarmStep } from "./antfarm-schema.ts";

export interface Loop {
  /** The step that verifies each story; null for none. */
  readonly verifyStep: string | null;
  /** How often one story may be tried. antfarm has 2, whatever the file says. */
  readonly storyTries: number;
}

export function loopOf(step: AntfarmStep): Loop {
  const { loop } = step;
  return {
    verifyStep: step.type === "loop" && loop?.verify_each ? (loop.verify_step ?? null) : null,
    storyTries: loop?.max_retries ?? step.story_max_retries ?? 2,
  };
}

export function checkLoop(reading: Reading, steps: readonly AntfarmStep[], index: number): void {
  const step = steps[index];
  if (!step) return;
  const path = ["steps", index];
  if (step.type !== "loop") {
    if (step.loop)
      refuse(
        reading,
        [...path, "loop"],
        wrong(step, "has loop but its type is not loop", "`type: loop` beside `loop`"),
      );
    return;
  }
  const { loop } = step;
  if (!loop) {
    refuse(reading, path, wrong(step, "has type loop but no loop", "`loop: { over: stories }`"));
    return;
  }
  if (loop.over !== "stories") {
    refuse(
      reading,
      [...path, "loop", "over"],
      wrong(step, `loop.over must be "stories"${given(loop.over)}`, "`over: stories`"),
    );
  }
  if ((loop.completion ?? "all_done") !== "all_done") {
    refuse(
      reading,
      [...path, "loop", "completion"],
      wrong(step, `loop.completion must be "all_done"${given(loop.completion)}`, "`completion: all_done`"),
    );
  }
  if (loop.fresh_session === false) {
    warn(
      reading,
      [...path, "loop", "fresh_session"],
      wrong(step, "cannot share a session between stories; each has a fresh one", "`fresh_session: true`"),
    );
  }
  for (const field of ["decision_key", "on_decision"] as const) {
    if (step[field] === undefined) continue;
    refuse(reading, [...path, field], wrong(step, `is a loop and cannot have ${field}`, `${field} on a single step`));
  }
  checkVerify(reading, steps, index, path);
}

function checkVerify(reading: Reading, steps: readonly AntfarmStep[], index: number, path: Path): void {
  const step = steps[index];
  const loop = step?.loop;
  if (!step || !loop) return;
  const at = [...path, "loop", "verify_step"];
  if (!loop.verify_each) {
    if (loop.verify_step === undefined) return;
    warn(
      reading,
      at,
      wrong(step, "has verify_step without verify_each, so stories are not verified", "`verify_each: true`"),
    );
    return;
  }
  const id = loop.verify_step;
  if (id === undefined) {
    refuse(
      reading,
      [...path, "loop", "verify_each"],
      wrong(step, "has loop.verify_each but no loop.verify_step", "`verify_step: ID`"),
    );
    return;
  }
  const target = steps.findIndex((each) => each.id === id);
  const verify = steps[target];
  if (!verify) {
    refuse(
      reading,
      at,
      wrong(step, `loop.verify_step '${id}' not found`, `one of: ${steps.map((each) => each.id).join(", ")}`),
    );
  } else if (verify.id === step.id) {
    refuse(reading, at, wrong(step, "loop.verify_step cannot be the loop itself", "another step, after the loop"));
  } else if (target < index) {
    refuse(reading, at, wrong(step, `loop.verify_step '${id}' must come after the loop`, "a step after the loop"));
  } else if (verify.type === "loop") {
    refuse(reading, at, wrong(step, `loop.verify_step '${id}' is a loop itself`, "a single step"));
  } else if (verify.decision_key !== undefined) {
    const message = `verifies each story of '${step.id}' and cannot have decision_key`;
    refuse(reading, ["steps", target, "decision_key"], wrong(verify, message, "STATUS: done or STATUS: retry"));
  }
  const back = typeof verify?.on_fail === "object" ? verify.on_fail.retry_step : undefined;
  if (verify && back !== undefined && back !== step.id) {
    warn(
      reading,
      ["steps", target, "on_fail", "retry_step"],
      wrong(verify, `sends a story back to '${step.id}', not to '${back}'`, `\`retry_step: ${step.id}\``),
    );
  }
}

function wrong(step: AntfarmStep, what: string, expected: string): Finding {
  return { message: `Step '${step.id}' ${what}`, expected, hint: `write ${expected}` };
}

function given(value: string | undefined): string {
  return value === undefined ? "" : `, not "${value}"`;
}
