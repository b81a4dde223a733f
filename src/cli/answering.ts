// Answering gates. Owns: what `answer`, `approve` and `reject` share.

import { AppError } from "../domain/error.ts";
import { performEffects } from "../runtime/effects.ts";
import type { Parts } from "../runtime/parts.ts";
import { transition } from "../runtime/transition.ts";
import type { GateRef } from "../store/store.ts";
import type { Console } from "./console.ts";
import { findRun } from "./reference.ts";
import { author } from "./session.ts";

export async function answer(
  console: Console,
  parts: Parts,
  { run, gate }: GateRef,
  option: string,
  note: string,
): Promise<void> {
  const decision = await transition(parts, run, {
    type: "answer_gate",
    at: parts.clock.now(),
    author: author(),
    story: gate.story,
    gate: gate.id,
    option,
    note,
    tree: gate.tree,
  });
  if (!decision.accepted) {
    const usage = decision.code === "illegal" || decision.code === "unknown";
    throw new AppError(usage ? "USAGE" : "REFUSED", decision.why, { hint: "`pawl gates` shows what is open" });
  }
  await performEffects(parts, () => false);
  const summary = await parts.store.runById(run);
  if (console.json) console.document({ gate: gate.id, option, run, status: summary?.status ?? null });
  else
    console.say(
      `Answered "${option}".${summary?.endedAt === null ? ` \`pawl resume ${summary.number}\` goes on.` : ""}`,
    );
}

/** The run's only open gate; several are listed, none is answered. */
export async function onlyGate(parts: Parts, reference: string): Promise<GateRef> {
  const run = await findRun(parts.store, reference);
  const open = await parts.store.openGates(run.id);
  const [only, ...others] = open;
  if (only && others.length === 0) return only;
  if (!only)
    throw new AppError("NOT_FOUND", `run #${run.number} has no open gate`, {
      hint: `\`pawl why ${run.number}\` says what it waits for`,
    });
  throw new AppError("AMBIGUOUS", `run #${run.number} has ${open.length} open gates`, {
    details: open.map(({ gate }) => `${gate.id}: ${gate.question}`),
    hint: "answer one by its id: pawl answer GATE OPTION",
  });
}
