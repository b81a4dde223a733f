// The files of `.ai/` that show a run: STATE.json with the story at work, one file per story, and its last hand-off.

import { basename, dirname } from "node:path";
import type { Event } from "../../domain/event.ts";
import type { FileChange } from "../../domain/file-change.ts";
import type { Facts } from "../../domain/report.ts";
import type { Run } from "../../domain/run.ts";
import { isSettled, type StoryEntry, type StorySpec } from "../../domain/story.ts";
import { appendInside, writeInside } from "../../system/files/inside.ts";
import type { Looked, ProjectedFiles } from "../files/projection.ts";
import { type AiFolder, aiFolder, roleHandoff, storyHandoff, storyState, teamEvents } from "./ai-folder.ts";
import { isNothing } from "./aliases.ts";
import { type StateFields, unknownFields, withUnknown } from "./changed-state.ts";
import { stateKeys } from "./first-state.ts";
import { readOrNull, stateFields } from "./found-state.ts";
import { type LookedState, lookAtState } from "./looked-state.ts";
import { projectSettings } from "./project-settings.ts";
import { storyDocument } from "./state-document.ts";
import { storyAtWork } from "./story-at-work.ts";
import { consolidatedHandoff } from "./team-handoff.ts";
import { TeamLog } from "./team-log.ts";

export class AgenticFiles implements ProjectedFiles {
  readonly root: string;
  readonly dir: string;
  readonly shownToAgents = true;
  readonly #folder: AiFolder;
  readonly #inPlace: boolean;
  readonly #warn: (text: string) => void;
  readonly #team = new TeamLog();
  /** The hand-off of a team, by the event with which its step ended. */
  readonly #ofTeam = new WeakMap<Event, string>();
  /** What is known of the attempts of all stories, by their ids. */
  readonly #facts = new Map<string, Facts>();
  /** StateFields that others added, and those by the story that the file showed. */
  #added: StateFields = {};
  readonly #addedTo = new Map<string, StateFields>();
  /** Files of other tools that were recorded. */
  readonly #recorded = new Set<string>();
  readonly #said = new Set<string>();
  /** STATE.json as it was looked at last. */
  #looked: LookedState | null = null;
  /** The STATE.json that the run found when it started. */
  #found: StateFields | null = null;

  constructor(shared: string, inPlace: boolean, warn: (text: string) => void) {
    this.#warn = warn;
    this.dir = shared;
    this.#folder = aiFolder(shared);
    this.root = this.#folder.root;
    this.#inPlace = inPlace;
  }

  async prepare(): Promise<void> {
    this.#found = stateFields(readOrNull(this.root, this.#folder.found));
  }

  follow(event: Event): void {
    this.#team.follow(event);
    const round = event.story === null ? null : this.#team.roundOf(event.story);
    const isEnd = event.type === "parts_ended" || event.type === "step_failed";
    if (isEnd && round !== null && round.step === event.step)
      this.#ofTeam.set(
        event,
        consolidatedHandoff(round, event.type === "parts_ended" && event.verdict.kind === "passed"),
      );
    if (event.type === "attempt_ended") this.#facts.set(event.attempt, event.facts ?? {});
    if (event.type === "file_change_adopted" && event.field !== null && !stateKeys.includes(event.field)) {
      // Without a value, it was removed.
      const added = { [event.field]: event.value };
      this.#added = { ...this.#added, ...added };
      this.#addedTo.set(event.story ?? "", { ...this.#addedTo.get(event.story ?? ""), ...added });
    }
    if (event.type === "file_change_refused" && event.field === null && typeof event.value === "string")
      this.#recorded.add(event.value);
  }

  /** Also of a session whose tree is gone. An executor that works in place writes the project's HANDOFF.md itself. */
  writeEntry(event: Event): void {
    if (event.type === "file_change_adopted" || event.type === "file_change_refused") {
      const line = `[WARN] [pawl] ${event.why.replace(/\s+/g, " ")}\n`;
      appendInside(this.root, this.#folder.log, `${new Date(event.at).toISOString()} ${line}`);
    }
    const handoff = event.type === "attempt_ended" ? event.facts?.["handoff"] : this.#ofTeam.get(event);
    if (event.story === null || typeof handoff !== "string") return;
    const role = event.type === "attempt_ended" ? this.#team.roleOf(event.attempt) : null;
    if (role !== null) {
      writeInside(this.root, roleHandoff(this.#folder, event.story, role), handoff);
      return;
    }
    writeInside(this.root, storyHandoff(this.#folder, event.story), handoff);
    if (!this.#inPlace) writeInside(this.root, this.#folder.handoff, handoff);
  }

  async look(run: Run, specs: readonly StorySpec[]): Promise<Looked> {
    const last = readOrNull(this.root, this.#folder.written);
    const shown = storyAtWork(run.header.stories);
    if (shown === null) return { changes: [], known: [] };
    if (last === null) return { changes: this.#foundNote(run, shown), known: [] };
    const looked = await lookAtState(this.#folder, last, { run, specs, shown: shown.id });
    this.#looked = looked;
    const isKnown = ({ value }: FileChange) =>
      typeof value === "string" && looked.isForeign && this.#recorded.has(value);
    const [known, changes] = [looked.changes.filter(isKnown), looked.changes.filter((each) => !isKnown(each))];
    if (!isOver(run) || changes.length === 0) return { changes, known: known.map(({ why }) => why) };
    const stays = this.#isShown(run, shown, last);
    return { changes: [], known: [stays ? changedAfter : `${changedAfter} is replaced by its end`] };
  }

  isAsLooked(): boolean {
    return this.#looked === null || readOrNull(this.root, this.#folder.state) === this.#looked.text;
  }

  found({ changes, known }: Looked): void {
    const { text, isBroken } = this.#looked ?? { text: null, isBroken: false };
    if (isBroken && text !== null && changes.length > 0) keepBroken(this.#folder, text);
    for (const { why } of changes) this.#say(why);
    for (const why of known) if (!this.#said.has(why)) this.#say(why);
  }

  #say(why: string): void {
    this.#said.add(why);
    this.#warn(why);
  }

  /** What a person wrote before the run began. */
  #foundNote({ header }: Run, shown: StoryEntry): readonly FileChange[] {
    const { human_note: said, story } = this.#found ?? {};
    if (typeof said !== "string" || isNothing(said) || header.notes.length > 0) return [];
    const entry = header.stories.find(({ id }) => id === story);
    const text = said.trim();
    const change = { file: "STATE.json", field: "human_note", value: said };
    const why = `STATE.json: human_note is a note for the next session: ${text}`;
    const of = entry === undefined || isSettled(entry) ? shown.id : entry.id;
    return [{ ...change, why, story: of, adopts: { kind: "note", text } }];
  }

  files(run: Run): Readonly<Record<string, string>> {
    if (this.#looked?.isForeign === true) return {};
    const texts = run.header.stories.map((entry): [string, string] => [
      storyState(this.#folder, entry.id),
      this.#text(run, entry, this.#addedTo.get(entry.id) ?? {}),
    ]);
    const teams = run.header.stories.flatMap(({ id }): [string, string][] => {
      const lines = this.#team.eventsOf(id).map((event) => `${JSON.stringify(event)}\n`);
      return lines.length === 0 ? [] : [[teamEvents(this.#folder, id), lines.join("")]];
    });
    const shown = storyAtWork(run.header.stories);
    return { ...Object.fromEntries([...texts, ...teams]), ...(shown === null ? {} : this.#state(run, shown)) };
  }

  /** What people wrote after the end of the run is for the next one. */
  #state(run: Run, shown: StoryEntry): Readonly<Record<string, string>> {
    if (this.#looked?.isReport === true) return {};
    if (isOver(run) && this.#isShown(run, shown, readOrNull(this.root, this.#folder.written))) return {};
    const text = this.#stateText(run, shown);
    return { [this.#folder.state]: text, [this.#folder.written]: text };
  }

  #isShown(run: Run, shown: StoryEntry, written: string | null): boolean {
    return written !== null && this.#stateText(run, shown) === written;
  }

  /** What others added to the file stays there, also when it shows another story. */
  #stateText(run: Run, shown: StoryEntry): string {
    const found = unknownFields(this.#found ?? {});
    const general = Object.entries(found).filter(([path]) => !ofOneStory.test(path));
    return this.#text(run, shown, { ...Object.fromEntries(general), ...this.#added });
  }

  #text(run: Run, entry: StoryEntry, added: StateFields): string {
    const imported = this.#found?.["story"] === entry.id ? this.#found : null;
    const document = storyDocument({ run, project: this.#project(), entry, facts: this.#facts, imported });
    // Other orchestrators take a reason anywhere else for a mistake, and correct the file.
    const reason = document.status === "failing" ? document.reason : null;
    return `${JSON.stringify(withUnknown({ ...document, reason }, added), null, 2)}
`;
  }

  #project(): string {
    const { project } = this.#found ?? {};
    const own = typeof project === "string" && project !== "" ? project : basename(dirname(this.dir));
    return projectSettings(this.dir, own).name;
  }
}

/** StateFields of other orchestrators that are about the story that the file showed. */
const ofOneStory = /^(?:last_error|task_type|reopened_from|tests\..*)$/;

const changedAfter = "STATE.json was changed after the last story ended; what it says";

function isOver({ header: { end } }: Run): boolean {
  return end !== null && end.status !== "failed";
}

/** Each text that was not JSON is kept. */
function keepBroken(folder: AiFolder, text: string): void {
  for (let number = 1; ; number += 1) {
    const file = number === 1 ? folder.broken : `${folder.broken}.${number}`;
    const kept = readOrNull(folder.root, file);
    if (kept === null) writeInside(folder.root, file, text);
    if (kept === null || kept === text) return;
  }
}
