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
import { resultOf, waveFacts } from "../waves/wave.ts";
import { resultsText } from "../waves/wave-csv.ts";
import { type SessionDocument, sessionDocument, sessionText } from "./session-document.ts";
import { largestSessionFile, type SessionFolder, sessionFolderAt } from "./session-folder.ts";
import { SessionLog } from "./session-log.ts";

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
    for (const { attempt, number } of this.#log.waves) {
      const end = this.#log.ends.get(attempt);
      const facts = end === undefined ? null : waveFacts(end.facts);
      if (end === undefined || facts?.number !== number) continue;
      yield [this.#folder.wave(number), facts.csv];
      const own = facts.isReported ? null : resultsText(facts.position, resultOf(end, facts.call));
      const results = facts.results ?? own;
      if (results !== null) yield [this.#folder.results(number), results];
    }
  }

  /** Nothing was recorded of an attempt whose driver died: its results are what the session knows, unless a spawner left some. */
  *#lostWaves({ steps, waves }: SessionDocument): Generator<readonly [string, string]> {
    for (const { n, attempt, step_indexes } of waves) {
      const end = this.#log.ends.get(attemptId(attempt));
      const step = steps[step_indexes[0] ?? -1];
      if (end === undefined || step === undefined || waveFacts(end.facts) !== null) continue;
      const call = `${step.skill} ${step.args}`.trim();
      const file = this.#folder.results(n);
      if (stampOf(file) === null) yield [file, resultsText(step.index + 1, resultOf(end, call))];
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
