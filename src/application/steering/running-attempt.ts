// Finds the running attempt that a person means.

import { type Attempt, hasEnded } from "../../domain/attempt.ts";
import { AppError } from "../../domain/error.ts";
import type { Run } from "../../domain/run.ts";

export interface MeantAttempt {
  /** Only in this story. */
  readonly story?: string | undefined;
  /** Only this step, by its id or its name; `STEP.PART` is one part of it. */
  readonly step?: string | undefined;
}

/** `naming`: how a person names one of several, as a command. */
export function runningAttempt(
  { header, stories }: Run,
  number: number,
  { story, step }: MeantAttempt,
  naming: string,
): Attempt {
  const running = [header, ...Object.values(stories)].flatMap(({ attempts }) => attempts).filter(isRunning);
  const meant = running
    .filter((attempt) => story === undefined || sameWord(attempt.story ?? "", story))
    .filter((attempt) => step === undefined || wordsFor(attempt).some((word) => sameWord(word, step)));
  const [attempt, ...others] = meant;
  if (!attempt) throw nothingRuns(number, running, naming);
  if (others.length === 0) return attempt;
  throw new AppError("AMBIGUOUS", `run #${number} has several attempts at work; nothing was changed`, {
    details: meant.map(placeOf),
    hint: `name one: ${naming}`,
  });
}

function isRunning(attempt: Attempt): boolean {
  return !hasEnded(attempt) && attempt.state.phase !== "stopping";
}

function sameWord(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function wordsFor({ step, name, part }: Attempt): readonly string[] {
  return [step, name, ...(part === undefined ? [] : [`${step}.${part}`, `${name}.${part}`])];
}

function placeOf({ story, step, part, number, executor }: Attempt): string {
  return `${story === null ? "" : `${story} `}${step}${part === undefined ? "" : `.${part}`} (attempt ${number}, ${executor})`;
}

function nothingRuns(number: number, running: readonly Attempt[], naming: string): AppError {
  if (running.length === 0)
    return new AppError("REFUSED", `run #${number}: no attempt is running`, {
      hint: `\`pawl why ${number}\` says what it does`,
    });
  return new AppError("NOT_FOUND", `run #${number} has no such attempt at work`, {
    details: running.map(placeOf),
    hint: `name one of these: ${naming}`,
  });
}
