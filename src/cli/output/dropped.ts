// A step or a story that was dropped. Owns: what is printed of it.

import type { Application } from "../../application/application.ts";
import { continuationOf } from "../../application/driving/continuation.ts";
import type { DroppedDocument } from "../../contracts/run-documents.ts";
import { runId } from "../../domain/ids.ts";
import type { Console } from "./console.ts";

export interface DropOptions {
  readonly as?: "done" | "failed";
  readonly reason?: string;
  readonly store?: string;
}

export async function printDropped(console: Console, app: Application, dropped: DroppedDocument): Promise<void> {
  if (console.json) return console.document(dropped);
  const { story, step, as, ended, status, number } = dropped;
  const what = [story, step].filter((part) => part !== null).join(" ");
  const when = ended ? "" : ", as soon as its agent has stopped";
  const next = await continuationOf(app, { id: runId(dropped.run), number, status });
  const kept = step === null ? " Its work stays on its branch and is not integrated." : "";
  console.say(`${what} counts as ${as}${when}.${kept} ${next}`.trimEnd());
}
