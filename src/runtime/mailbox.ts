// Tells the agent that an attempt runs now what a person says. Words that came before its start or after its end are refused, so that
// nobody waits for an answer to them.

import { errorText } from "../domain/error.ts";
import type { Receipt } from "../executors/executor.ts";

/** Tells what runs; null: it takes no messages. */
type Tell = ((text: string) => Promise<Receipt>) | null;

type State =
  | { readonly phase: "waits" }
  | { readonly phase: "runs"; readonly name: string; readonly tell: Tell }
  | { readonly phase: "over" };

export class Mailbox {
  #state: State = { phase: "waits" };
  readonly #telling = new Set<Promise<unknown>>();

  opens(name: string, tell: Tell): void {
    this.#state = { phase: "runs", name, tell };
  }

  /** `settle` gets the result; the attempt does not end before it is stored. */
  deliver(text: string, settle: (told: Receipt) => Promise<void>): void {
    const telling = this.#tell(text).then(settle);
    this.#telling.add(telling);
    telling.then(
      () => this.#telling.delete(telling),
      () => this.#telling.delete(telling),
    );
  }

  /** What it was told is settled when this resolves; from here on it is told nothing. */
  async close(): Promise<void> {
    this.#state = { phase: "over" };
    await Promise.allSettled(this.#telling);
  }

  async #tell(text: string): Promise<Receipt> {
    const state = this.#state;
    if (state.phase === "waits") return { taken: false, why: "its agent has not started yet" };
    if (state.phase === "over") return { taken: false, why: "its agent has ended" };
    if (state.tell === null) return { taken: false, why: `${state.name} takes no messages while it works` };
    try {
      return await state.tell(text);
    } catch (error) {
      return { taken: false, why: errorText(error) };
    }
  }
}
