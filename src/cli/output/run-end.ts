// The end of a run. Owns: what a command that drove a run prints when it comes back, and its exit code.

import type { Driven } from "../../application/driving/drive.ts";
import type { StatusDocument } from "../../contracts/run-documents.ts";
import { exitCodes } from "../../domain/error.ts";
import type { Console } from "./console.ts";

interface EndView {
  readonly events: boolean;
  /** A service of this home drives what no other process does. */
  readonly isServed: boolean;
}

export function printEnd(console: Console, driven: Driven, { events, isServed }: EndView): void {
  const { end, number, document, files } = driven;
  console.exitCode = exitCodeOf(end);
  if (console.json && !events) console.document(document);
  if (end === "left") {
    const by = document.run.driver === null ? "" : ` ${document.run.driver} drives it:`;
    console.say(`Run #${number} continues without this command.${by} \`pawl resume ${number}\` follows it again.`);
  } else if (end === "interrupted" && isServed)
    console.say(`Interrupted. The service continues the run; \`pawl pause ${number}\` pauses it.`);
  else if (end === "interrupted") console.say(`Interrupted. \`pawl resume ${number}\` continues where it stopped.`);
  else if (end === "done") {
    console.say(`Run #${number} is done. ${workText(driven)}`);
    console.say(`Look closer: pawl status ${number} · pawl logs ${number} · pawl events ${number}`);
  } else {
    console.say(document.why);
    if (end === "failed") console.say(`Look closer: pawl logs ${number}`);
    if (files !== null) console.say(`Its files are in ${files}`);
  }
  for (const text of closingTexts(number, { ...document, closing: driven.unsaid })) console.note(text);
}

/** Where its work is. */
export function workText({ branch, folder }: Driven): string {
  if (folder !== null) return `The work is in ${folder}${branch === null ? "" : `, on branch ${branch}`}.`;
  return branch === null ? "It made no commit." : `The work is on branch ${branch}.`;
}

/** What people should know of the closing of a run that is over. */
export function closingTexts(
  number: number,
  { unfinished, closing }: Pick<StatusDocument, "unfinished" | "closing">,
): readonly string[] {
  return [...unfinished.map((why) => `run #${number} is over, but could not be closed: ${why}`), ...closing];
}

export function exitCodeOf(end: Driven["end"]): number {
  switch (end) {
    case "done":
      return exitCodes.done;
    case "interrupted":
    case "left":
      return exitCodes.interrupted;
    // The run is not over and waits for a person: a script must not take it for done.
    case "held":
    case "paused":
    case "running":
      return exitCodes.held;
    case "failed":
    case "cancelled":
      return exitCodes.failed;
  }
}
