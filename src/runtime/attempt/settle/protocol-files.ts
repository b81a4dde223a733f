// The files of a protocol after an attempt: what the agent left there, and that they are put away once the store knows.

import type { EditRequest } from "../../../domain/edit.ts";
import { errorText } from "../../../domain/error.ts";
import type { Event } from "../../../domain/event.ts";
import type { AttemptFacts } from "../../../protocols/protocol.ts";
import type { Parts } from "../../parts.ts";

/** How the agent of a completed attempt wants its chain changed; undefined: it does not say. */
export async function collectEdits(
  { protocols }: Pick<Parts, "protocols">,
  work: AttemptFacts,
  workspace: string,
): Promise<EditRequest | undefined> {
  return (await protocols.of(work.run.header.definition).collect(work, workspace)).edits;
}

/** The attempt has ended: a protocol that fails here changes nothing about it. */
export async function putFilesAway(
  { protocols, log, warn }: Pick<Parts, "protocols" | "log" | "warn">,
  work: AttemptFacts,
  events: readonly Event[],
): Promise<void> {
  const { header } = work.run;
  try {
    await protocols.of(header.definition).settled(work, events);
  } catch (error) {
    log("protocol.failed", { run: header.id, attempt: work.attempt.id, why: errorText(error) });
    warn(errorText(error));
  }
}
