// A run as the fold of its log, by the engine's own `evolve`. Owns: its events, and its state after any of them. A state is kept every
// 100 events, so that any moment of a long run is a short fold away.

import type { DefinitionDocument } from "../../contracts/definition.ts";
import type { EventDocument } from "../../contracts/events.ts";
import type { Event } from "../../domain/event.ts";
import type { Run } from "../../domain/run.ts";
import { evolve } from "../../engine/evolve.ts";

const keptEvery = 100;

export class RunLog {
  readonly #definition: DefinitionDocument;
  readonly #events: Event[] = [];
  readonly #kept: (Run | null)[] = [null];
  #head: Run | null = null;

  constructor(definition: DefinitionDocument) {
    this.#definition = definition;
  }

  get length(): number {
    return this.#events.length;
  }

  get events(): readonly Event[] {
    return this.#events;
  }

  /** Those that are known are passed over. Throws at a gap: a fold over one would be another run. */
  append(documents: readonly EventDocument[]): void {
    for (const document of documents) {
      if (document.seq <= this.length) continue;
      if (document.seq !== this.length + 1) throw new Error(`event ${this.length + 1} is missing`);
      const event = this.#eventOf(document);
      // The types know every event; a log may have one of another version.
      const next = evolve(this.#head, event) as Run | undefined;
      if (next === undefined) throw new Error(`this version does not know event ${document.seq}, "${document.type}"`);
      this.#head = next;
      this.#events.push(event);
      if (this.length % keptEvery === 0) this.#kept.push(this.#head);
    }
  }

  /** After this many events; null: before the first. */
  at(count: number): Run | null {
    if (count >= this.length) return this.#head;
    const from = Math.floor(count / keptEvery);
    let run = this.#kept[from] ?? null;
    for (const event of this.#events.slice(from * keptEvery, count)) run = evolve(run, event);
    return run;
  }

  /** The documents have no token, and no definition, which is read once. */
  #eventOf(document: EventDocument): Event {
    const event = { ...document, at: Date.parse(document.at) } as unknown as Event;
    if (event.type === "run_started")
      return { ...event, definition: this.#definition as unknown as typeof event.definition };
    return event;
  }
}
