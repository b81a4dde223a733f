// Follows the notes of a walk beside the engine: each reaches the next attempt of its scope, and stays until one that had it completes.

import type { Event } from "../../../src/domain/event.ts";
import { notesWith } from "../../../src/domain/note.ts";
import type { Run } from "../../../src/domain/run.ts";
import { holds, performed, scopesOf } from "./invariants.ts";

export class NoteBook {
  readonly #used = new Set<string>();
  readonly #added = new Set<string>();

  enter(before: Run, run: Run, events: readonly Event[]): void {
    for (const event of events) {
      if (event.type === "note_added") this.#added.add(event.note.id);
      if (event.type === "attempt_ended" && event.outcome === "completed" && !startsOver(event))
        for (const { id } of notesWith(before.header.notes, event.attempt)) this.#used.add(id);
      if (event.type === "attempt_dispatched") this.#checkDelivery(before, run, event);
    }
    const kept = run.header.notes.map(({ id }) => id).toSorted();
    const expected = [...this.#added].filter((id) => !this.#used.has(id)).toSorted();
    holds(kept.join() === expected.join(), `notes ${kept.join()} are kept, expected ${expected.join()}`);
    const running = scopesOf(run).flatMap(({ scope }) => scope.attempts.filter(({ state }) => state.phase !== "ended"));
    for (const { id, attempt } of run.header.notes)
      holds(attempt === null || running.some((each) => each.id === attempt), `note ${id} is with an ended attempt`);
  }

  #checkDelivery(before: Run, run: Run, event: Extract<Event, { type: "attempt_dispatched" }>): void {
    const waiting = before.header.notes.filter(
      ({ attempt, story }) => attempt === null && (story === null || story === event.story),
    );
    const reads = performed(run, event.story, event.name).kind === "agent";
    const delivered = notesWith(run.header.notes, event.attempt).map(({ id }) => id);
    const expected = reads ? waiting.map(({ id }) => id) : [];
    holds(delivered.join() === expected.join(), `${event.attempt} got the notes ${delivered.join()}`);
  }
}

function startsOver({ taken }: Extract<Event, { type: "attempt_ended" }>): boolean {
  return taken?.key === "asked" || (taken?.key === "edit" && taken.to === "again");
}
