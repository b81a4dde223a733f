// The waves of a session, as the log has them: one attempt of a skill each, or one of each part of a step that were opened together.

import type { Event } from "../../../domain/event.ts";
import type { AttemptId, PartName } from "../../../domain/ids.ts";
import type { Visit } from "./visit.ts";

export interface Wave extends Omit<Visit, "part"> {
  /** 1-based, over the whole run. */
  readonly number: number;
  readonly startedAt: number;
  /** One for each part in the order of the file; one for a step without parts. */
  readonly rows: readonly LoggedRow[];
}

export interface LoggedRow {
  /** Absent: the step has no parts. */
  readonly part?: PartName;
  /** Null: it has not begun. */
  readonly attempt: AttemptId | null;
  readonly startedAt: number | null;
  /** It ended without an attempt: nothing is waited for. */
  readonly isOut: boolean;
}

type Of<T extends Event["type"]> = Extract<Event, { type: T }>;

export class SessionWaves {
  readonly #waves: Wave[] = [];
  /** Parts that were opened together and of which none has begun, by the visit of their step. */
  readonly #opened = new Map<string, readonly PartName[]>();

  get all(): readonly Wave[] {
    return this.#waves;
  }

  /** Parts that keep their end from before are no rows. */
  open(visit: Visit, { parts, keeps = [] }: Pick<Of<"parts_opened">, "parts" | "keeps">): void {
    this.#opened.set(
      keyOf(visit),
      parts.filter((part) => !keeps.includes(part)),
    );
  }

  /** A part that is repeated is a wave of its own; those that begin for the first time are rows of one. */
  begin(visit: Visit, attempt: AttemptId, at: number): void {
    const { part, ...place } = visit;
    const row: LoggedRow = { ...(part === undefined ? {} : { part }), attempt, startedAt: at, isOut: false };
    const index = this.#waves.findLastIndex((wave) => isOf(wave, visit) && wave.rows.some((each) => waits(each, part)));
    const joined = this.#waves[index];
    if (part !== undefined && joined !== undefined) {
      this.#waves[index] = { ...joined, rows: joined.rows.map((each) => (each.part === part ? row : each)) };
      return;
    }
    const together = part === undefined ? [] : (this.#opened.get(keyOf(visit)) ?? []);
    const rows = together.includes(part as PartName)
      ? together.map((name) => (name === part ? row : { part: name, attempt: null, startedAt: null, isOut: false }))
      : [row];
    this.#opened.delete(keyOf(visit));
    this.#waves.push({ ...place, number: this.#waves.length + 1, startedAt: at, rows });
  }

  /** A part that ended before it began: it was not needed, or a cap was reached. */
  leave(visit: Visit): void {
    for (const [index, wave] of this.#waves.entries()) {
      if (!isOf(wave, visit)) continue;
      const rows = wave.rows.map((row) => (waits(row, visit.part) ? { ...row, isOut: true } : row));
      this.#waves[index] = { ...wave, rows };
    }
  }

  /** The last wave of a visit, and the row of it; null: there is none. */
  of(visit: Visit): { readonly wave: Wave; readonly row: LoggedRow } | null {
    const has = ({ part, attempt }: LoggedRow) => part === visit.part && attempt !== null;
    const wave = this.#waves.findLast((each) => isOf(each, visit) && each.rows.some(has));
    const row = wave?.rows.find(has);
    return wave === undefined || row === undefined ? null : { wave, row };
  }
}

function waits({ part, attempt, isOut }: LoggedRow, of: PartName | undefined): boolean {
  return part === of && attempt === null && !isOut;
}

function isOf(wave: Pick<Visit, "story" | "step" | "visit">, { story, step, visit }: Visit): boolean {
  return wave.story === story && wave.step === step && wave.visit === visit;
}

function keyOf({ story, step, visit }: Visit): string {
  return `${story ?? ""}/${step}#${visit}`;
}
