// Judges one check: by the end of its command, by its test results where they are read, and by what it must do. What is not known is
// never a pass.

import type { Check } from "../domain/check.ts";
import { counted } from "../domain/counted.ts";
import type { ResultsRead, TestResults } from "./result.ts";

/** How the command ended. Without a code it was not started, was killed, or ran out of time. */
export interface CommandEnd {
  readonly code: number | null;
  readonly how: string;
}

/** What is known of the step whose tests must fail. */
export interface StepWork {
  /** The step has passed before in this story, so the code may be there already. */
  readonly isLaterVisit: boolean;
  /** Whether a test is the work of this step; null: git cannot say what the step wrote. */
  readonly isNew: ((test: string) => boolean) | null;
  readonly hasChanges: boolean;
}

export interface Judgement {
  readonly isGreen: boolean;
  /** In a few words. */
  readonly why: string;
}

const green = (why: string): Judgement => ({ isGreen: true, why });
const red = (why: string): Judgement => ({ isGreen: false, why });

export function judge(check: Check, end: CommandEnd, reading: ResultsRead | null, work: StepWork): Judgement {
  if (check.must === "fail") return mustFail(check, end, reading, work);
  if (end.code === null) return red(end.how);
  if (reading === null) return end.code === 0 ? green(end.how) : red(end.how);
  if (reading.kind === "unreadable") return red(unread(check, end, reading.why));
  const { pass, fail, skip, broken } = reading;
  if (fail > 0) return red(`${end.how}, ${fail} of ${pass + fail} tests fail`);
  if (broken[0] !== undefined) return red(`${end.how}, and ${broken[0]} failed outside of its tests`);
  if (pass === 0) return red(`${end.how}, and no test ran${skip === 0 ? "" : ` (${skip} skipped)`}`);
  return end.code === 0
    ? green(counted(pass, "test passes", "tests pass"))
    : red(`${end.how}, although no test failed`);
}

function mustFail(check: Check, end: CommandEnd, reading: ResultsRead | null, work: StepWork): Judgement {
  if (end.code === null || isNotRun(end.code)) return red(`${end.how}: the tests did not run to their end`);
  if (reading === null) {
    if (end.code !== 0) return green(`${end.how}, as it must`);
    if (work.isLaterVisit && !work.hasChanges) return green("the step wrote nothing new that could fail");
    return red("the tests pass, and those that this step writes must fail");
  }
  if (reading.kind === "unreadable") return red(unread(check, end, reading.why));
  return newTestsFail(reading, work);
}

function newTestsFail({ failing, passing, broken, fail }: TestResults, work: StepWork): Judgement {
  const isNew = work.isNew ?? (() => false);
  const early = passing.filter(isNew);
  if (early[0] !== undefined)
    return red(`a new test passes before there is code for it: ${early.slice(0, 5).join(", ")}`);
  const late = failing.filter(isNew);
  if (late.length > 0) return green(`${counted(late.length, "new test fails, as it", "new tests fail, as they")} must`);
  if (broken.length > 0 && work.hasChanges) return green(`${broken[0] ?? ""} does not build yet, as it must`);
  if (work.isNew === null && fail > 0)
    return green(`${counted(fail, "test fails, as it", "tests fail, as they")} must`);
  if (work.isLaterVisit && work.isNew !== null && broken.length === 0)
    return green("the step wrote no new test that could fail");
  return red(
    fail > 0 ? "tests fail, but none that this step wrote" : "no test fails, and those that this step writes must",
  );
}

/** A shell answers with these codes for a command that is not there, cannot be run, or was killed. */
function isNotRun(code: number): boolean {
  return code === 126 || code === 127 || code > 128;
}

function unread({ reads, file }: Check, { how }: CommandEnd, why: string): string {
  return `${how}, but its test results (${reads ?? "none"}${file === undefined ? "" : ` in ${file}`}) cannot be read: ${why}`;
}
