// Answering gates. Owns: what `answer`, `approve` and `reject` share. The answer is for the tree as it is now; if that is not
// what the gate has shown, it is refused.

import { AppError } from "../domain/error.ts";
import { treeNow } from "../runtime/attempt/prepare/workspace.ts";
import { performEffects } from "../runtime/effects/effects.ts";
import type { Parts } from "../runtime/parts.ts";
import { transition } from "../runtime/runs/transition.ts";
import type { GateRef } from "../store/store.ts";
import type { Console } from "./console.ts";
import { findRun } from "./reference.ts";
import { author } from "./session.ts";

/** A note goes into prompts; a whole document belongs into the repository. */
const longestNote = 64 * 1024;

export interface Said {
  readonly option: string;
  readonly note: string;
  readonly reason?: string | undefined;
}

export async function answer(console: Console, parts: Parts, { run, gate }: GateRef, said: Said): Promise<void> {
  if (Buffer.byteLength(said.note) > longestNote) {
    throw new AppError("USAGE", `the note is longer than ${longestNote / 1024} KiB; nothing was changed`, {
      hint: "put the details into a file of the repository and name it in the note",
    });
  }
  const whole = await parts.store.wholeRun(run);
  const decision = await transition(parts, run, {
    type: "answer_gate",
    at: parts.clock.now(),
    author: author(),
    story: gate.story,
    gate: gate.id,
    option: said.option,
    note: said.note,
    tree: whole && gate.tree !== null ? await treeNow(parts, whole, gate.story) : null,
    ...(said.reason === undefined ? {} : { reason: parts.secrets.redact(said.reason.trim()).toLowerCase() }),
  });
  if (!decision.accepted) {
    const usage = decision.code === "illegal" || decision.code === "unknown";
    throw new AppError(usage ? "USAGE" : "REFUSED", decision.why, { hint: "`pawl gates` shows what is open" });
  }
  await performEffects(parts, () => false);
  const summary = await parts.store.runById(run);
  if (console.json) console.document({ gate: gate.id, option: said.option, run, status: summary?.status ?? null });
  else {
    console.say(
      `Answered "${said.option}".${summary?.endedAt === null ? ` \`pawl resume ${summary.number}\` goes on.` : ""}`,
    );
  }
}

/** The run's only open gate; several are listed, none is answered. */
export async function onlyGate(parts: Parts, reference: string): Promise<GateRef> {
  const run = await findRun(parts.store, reference);
  const open = await parts.store.openGates(run.id);
  const [only, ...others] = open;
  if (only && others.length === 0) return only;
  if (!only) {
    throw new AppError("NOT_FOUND", `run #${run.number} has no open gate`, {
      hint: `\`pawl why ${run.number}\` says what it waits for`,
    });
  }
  throw new AppError("AMBIGUOUS", `run #${run.number} has ${open.length} open gates`, {
    details: open.map(({ gate }) => `${gate.id}: ${gate.question}`),
    hint: "answer one by its id: pawl answer GATE OPTION",
  });
}
