// The files of a session that show its run: status.json, and the CSV of each wave that is over. What others change there is said and
// undone, because only the store knows how the run stands.

import { lstatSync } from "node:fs";
import { basename } from "node:path";
import { errorText } from "../../../domain/error.ts";
import type { Event } from "../../../domain/event.ts";
import type { FileChange } from "../../../domain/file-change.ts";
import { attemptId } from "../../../domain/ids.ts";
import type { Run } from "../../../domain/run.ts";
import { readInside } from "../../../system/files/inside.ts";
import { sha256Of } from "../../../system/sha256.ts";
import type { Looked, ProjectedFiles } from "../../files/projection.ts";
import { resultOf, type WaveFacts, waveFacts } from "../waves/wave.ts";
import { readWave, resultsText } from "../waves/wave-csv.ts";
import { isOverWave, type SessionDocument, sessionDocument, sessionText } from "./session-document.ts";
import { largestSessionFile, type SessionFolder, sessionFolderAt } from "./session-folder.ts";
import { type AttemptEnd, SessionLog } from "./session-log.ts";
import type { Wave } from "./session-waves.ts";

interface RecordedRow {
  readonly index: number;
  readonly end: AttemptEnd;
  readonly facts: WaveFacts;
  readonly startedAt: number;
}

export class SessionFiles implements ProjectedFiles {
  readonly root: string;
  readonly dir: string;
  readonly shownToAgents = true;
  readonly #folder: SessionFolder;
  readonly #warn: (text: string) => void;
  readonly #log = new SessionLog();
  /** Files whose content was compared, with what their entry looked like then. */
  readonly #compared = new Map<string, string>();
  /** status.json as it was looked at last; undefined: it was not. */
  #looked: string | null | undefined;

  constructor(dir: string, warn: (text: string) => void) {
    this.dir = dir;
    this.#folder = sessionFolderAt(dir);
    this.root = this.#folder.root;
    this.#warn = warn;
  }

  follow(event: Event): void {
    this.#log.apply(event);
  }

  look(run: Run): Looked {
    const { status } = this.#folder;
    this.#looked = this.#read(status);
    const isOwn = this.#isOwn(this.#looked) || this.#isOwn((this.#looked = this.#read(status)));
    const files = [...(isOwn ? [] : [status]), ...this.#changedWaves()];
    const changes = files.map((file) => changeOf(basename(file), this.#read(file) === null));
    const { end } = run.header;
    // A run that is over records nothing more.
    if (end !== null && end.status !== "failed") return { changes: [], known: changes.map(({ why }) => why) };
    return { changes, known: [] };
  }

  isAsLooked(): boolean {
    return this.#looked === undefined || this.#read(this.#folder.status) === this.#looked;
  }

  found({ changes, known }: Looked): void {
    for (const why of [...changes.map((change) => change.why), ...known]) this.#warn(why);
  }

  /** Only what is not so on the disk. */
  files(run: Run): Readonly<Record<string, string>> {
    const document = sessionDocument(this.#folder.id, run, this.#log);
    const waves = [...this.#waves()].filter(([file, text]) => !this.#isAsWritten(file, text));
    return { ...Object.fromEntries([...waves, ...this.#lostWaves(document)]), ...this.#status(document) };
  }

  /** What Pawl wrote last is known by its hash, which is written first: a crash between the two leaves nothing that looks foreign. */
  #status(document: SessionDocument): Readonly<Record<string, string>> {
    const { status, written } = this.#folder;
    const text = sessionText(document);
    const before = this.#read(status);
    if (before === text) return {};
    const hashes = [before, text].flatMap((each) => (each === null ? [] : [sha256Of(each)]));
    return { [written]: `${JSON.stringify(hashes)}\n`, [status]: text };
  }

  /** Whether Pawl wrote it; before the first time, nothing is anybody's. */
  #isOwn(text: string | null): boolean {
    const written = this.#read(this.#folder.written);
    if (written === null) return true;
    return text !== null && written.includes(sha256Of(text));
  }

  /** The texts of the waves that are over, by file. */
  *#waves(): Generator<readonly [string, string]> {
    for (const wave of this.#log.waves) {
      const rows = isOverWave(this.#log, wave) ? this.#recorded(wave) : [];
      const newest = rows.toSorted((one, other) => one.startedAt - other.startedAt).at(-1)?.facts;
      if (newest === undefined) continue;
      yield [this.#folder.wave(wave.number), newest.csv];
      const results = this.#results(wave, rows);
      if (results !== null) yield [this.#folder.results(wave.number), results];
    }
  }

  /** The rows of a wave that something was recorded of. */
  #recorded({ rows, number }: Wave): readonly RecordedRow[] {
    return rows.flatMap(({ attempt, startedAt }, index): readonly RecordedRow[] => {
      const end = attempt === null ? undefined : this.#log.ends.get(attempt);
      const facts = end === undefined ? null : waveFacts(end.facts);
      if (end === undefined || facts?.number !== number) return [];
      return [{ index, end, facts, startedAt: startedAt ?? 0 }];
    });
  }

  /** As another program wrote them for the whole wave, or one row for each that began. Null: that program wrote too much to keep. */
  #results({ rows }: Wave, recorded: readonly RecordedRow[]): string | null {
    const last = recorded.toSorted((one, other) => one.end.at - other.end.at).at(-1);
    if (recorded.every(({ facts }) => facts.isReported)) return last?.facts.results ?? null;
    const [known] = recorded;
    const calls = readWave(last?.facts.csv ?? "");
    return resultsText(
      rows.flatMap(({ attempt }, index) => {
        const end = attempt === null ? undefined : this.#log.ends.get(attempt);
        const own = recorded.find((row) => row.index === index)?.facts;
        // The parts of a step stand one after the other. Nothing was recorded of one whose driver died.
        const position = own?.position ?? (known === undefined ? 0 : known.facts.position + index - known.index);
        const call = own?.call ?? calls.get(position)?.call ?? "";
        return end === undefined ? [] : [[position, resultOf(end, call)] as const];
      }),
    );
  }

  /** Nothing was recorded of attempts whose driver died: their results are what the session knows, unless a spawner left some. */
  *#lostWaves({ steps, waves }: SessionDocument): Generator<readonly [string, string]> {
    for (const { n, rows } of waves) {
      const wave = this.#log.waves[n - 1];
      const file = this.#folder.results(n);
      if (wave === undefined || !isOverWave(this.#log, wave) || this.#recorded(wave).length > 0) continue;
      const results = rows.flatMap(({ id, attempt }) => {
        const end = attempt === null ? undefined : this.#log.ends.get(attemptId(attempt));
        const step = steps[id - 1];
        if (end === undefined || step === undefined) return [];
        return [[id, resultOf(end, `${step.skill} ${step.args}`.trim())] as const];
      });
      if (results.length > 0 && stampOf(file) === null) yield [file, resultsText(results)];
    }
  }

  /** A file that is missing is written again without a word: Pawl may not have written it yet. */
  #changedWaves(): readonly string[] {
    return [...this.#waves()].flatMap(([file, text]) =>
      this.#isAsWritten(file, text) || this.#read(file) === null ? [] : [file],
    );
  }

  #isAsWritten(file: string, text: string): boolean {
    const stamp = stampOf(file);
    if (stamp !== null && this.#compared.get(file) === stamp) return true;
    if (this.#read(file) !== text) return false;
    if (stamp !== null) this.#compared.set(file, stamp);
    return true;
  }

  /** What cannot be read is as good as foreign: Pawl replaces it. */
  #read(file: string): string | null {
    try {
      return readInside(this.root, file, largestSessionFile);
    } catch (error) {
      return errorText(error);
    }
  }
}

function changeOf(file: string, isGone: boolean): FileChange {
  const what = isGone
    ? `${file} was removed; Pawl writes it again`
    : `${file} was changed by another program; Pawl restores it`;
  return { file, field: null, why: `${what}: only Pawl writes the files of a session`, story: null, adopts: null };
}

function stampOf(file: string): string | null {
  const entry = lstatSync(file, { throwIfNoEntry: false });
  return entry === undefined ? null : `${entry.ino} ${entry.size} ${entry.mtimeMs} ${entry.ctimeMs}`;
}
