// What an opened store remembers between transactions, so that a transition reads what is new and not the whole history of its run:
// headers and story entries by their version, and attempts that have ended, which nobody writes again.
//
// A transaction keeps what it has seen apart until its commit: the version of one that was rolled back may come again with other
// content.

import { KnownAttempts, SeenAttempts } from "./tables/attempts.ts";
import { KnownEntries, SeenEntries } from "./tables/entries.ts";
import { KnownHeaders, SeenHeaders } from "./tables/runs.ts";

export class StoreMemory {
  readonly entries = new KnownEntries();
  readonly attempts = new KnownAttempts();
  readonly headers = new KnownHeaders();

  begin(): TransactionMemory {
    return new TransactionMemory(this);
  }

  /** Called after a commit. */
  learn(seen: TransactionMemory): void {
    this.entries.learn(seen.entries);
    this.attempts.learn(seen.attempts);
    this.headers.learn(seen.headers);
  }
}

/** What one transaction has seen and written. */
export class TransactionMemory {
  readonly entries: SeenEntries;
  readonly attempts: SeenAttempts;
  readonly headers: SeenHeaders;

  constructor(known: StoreMemory) {
    this.entries = new SeenEntries(known.entries);
    this.attempts = new SeenAttempts(known.attempts);
    this.headers = new SeenHeaders(known.headers);
  }
}
