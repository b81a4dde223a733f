// Follows the notes of a walk beside the engine: each reaches the next attempt of its scope, and stays until one that had it completes.
// What a part of a step takes, every part of that step owes until it completes with it or ends.

import type { Event } from "../../../src/domain/event.ts";
import { type Note, notesWith } from "../../../src/domain/note.ts";
import { isEnded } from "../../../src/domain/part.ts";
import type { Run } from "../../../src/domain/run.ts";
import { holds, performed, scopesOf } from "./invariants.ts";

type Of<T extends Event["type"]> = Extract<Event, { type: T }>;

export class NoteBook {
  /** Notes that any attempt of their scope may have. */
  readonly #free = new Set<string>();
  /** By note: the parts that are to read it. */
  readonly #owed = new Map<string, Set<string>>();
  readonly #used = new Set<string>();

  enter(before: Run, run: Run, events: readonly Event[]): void {
    for (const event of events) {
      if (event.type === "note_added") this.#free.add(event.note.id);
      if (event.type === "notes_delivered") this.#deliver(before, event);
      if (event.type === "attempt_ended" && event.outcome === "completed" && !startsOver(event))
        for (const note of notesWith(before.header.notes, event.attempt)) this.#use(note);
      if (event.type === "part_ended") this.#endPart(place(event.story, event.step, event.part));
      if (event.type === "attempt_dispatched") this.#checkDelivery(before, run, event);
    }
    const kept = run.header.notes.map(nameOf).toSorted();
    const owed = [...this.#owed].flatMap(([id, parts]) => [...parts].map((part) => `${id} of ${part}`));
    const expected = [...this.#free, ...owed].toSorted();
    holds(kept.join() === expected.join(), `notes ${kept.join()} are kept, expected ${expected.join()}`);
    const running = scopesOf(run).flatMap(({ scope }) => scope.attempts.filter(({ state }) => state.phase !== "ended"));
    for (const { id, attempt } of run.header.notes)
      holds(attempt === null || running.some((each) => each.id === attempt), `note ${id} is with an ended attempt`);
  }

  #deliver(before: Run, { story, notes, to }: Of<"notes_delivered">): void {
    if (to === undefined) return;
    const scope = story === null ? before.header : before.stories[story];
    const parts = scope?.chain.find(({ id }) => id === to.step)?.parts ?? [];
    const open = parts.filter((part) => !isEnded(part)).map(({ name }) => place(story, to.step, name));
    for (const id of notes.map(originOf)) if (this.#free.delete(id)) this.#owed.set(id, new Set(open));
  }

  #use(note: Note): void {
    const id = originOf(note.id);
    this.#used.add(id);
    if (note.part === undefined) this.#free.delete(id);
    else this.#owed.get(id)?.delete(place(note.part.story, note.part.step, note.part.name));
  }

  #endPart(part: string): void {
    for (const [id, parts] of this.#owed)
      if (parts.delete(part) && parts.size === 0 && !this.#used.has(id)) this.#free.add(id);
  }

  #checkDelivery(before: Run, run: Run, event: Of<"attempt_dispatched">): void {
    const isFor = ({ story, part }: Note) =>
      part === undefined
        ? story === null || story === event.story
        : place(part.story, part.step, part.name) === place(event.story, event.step, event.part);
    const waiting = before.header.notes.filter((note) => note.attempt === null && isFor(note));
    const reads = performed(run, event.story, event.name).kind === "agent";
    const delivered = notesWith(run.header.notes, event.attempt).map(({ id }) => id);
    const expected = reads ? waiting.map(({ id }) => id) : [];
    holds(delivered.join() === expected.join(), `${event.attempt} got the notes ${delivered.join()}`);
  }
}

function nameOf({ id, part }: Note): string {
  const origin = originOf(id);
  return part === undefined ? origin : `${origin} of ${place(part.story, part.step, part.name)}`;
}

/** The note that a person left; a copy has the name of its part behind it. */
function originOf(id: string): string {
  return id.split("/", 1)[0] ?? id;
}

function place(story: string | null, step: string, part: string | undefined): string {
  return `${story ?? ""}/${step}#${part ?? ""}`;
}

function startsOver({ taken }: Of<"attempt_ended">): boolean {
  return taken?.key === "asked" || (taken?.key === "edit" && taken.to === "again");
}
