// Steering. Owns: what `pause`, `cancel` and `retry` share: one command to one run, and saying what became of it.

import type { Command as EngineCommand } from "../domain/command.ts";
import { AppError } from "../domain/error.ts";
import { performEffects } from "../runtime/effects/effects.ts";
import { recover } from "../runtime/loop/recover.ts";
import { transition } from "../runtime/runs/transition.ts";
import { runDocument } from "../runtime/views/status.ts";
import type { RunSummary } from "../store/store.ts";
import type { Console } from "./console.ts";
import { findRun } from "./reference.ts";
import { author, withSession } from "./session.ts";

type Asked = { at: number; author: string };

export async function steer(
  console: Console,
  target: { reference: string; store: string | undefined },
  command: (asked: Asked) => EngineCommand,
  say: (run: RunSummary) => string,
): Promise<void> {
  await withSession({ store: target.store }, async ({ parts }) => {
    const run = await findRun(parts.store, target.reference);
    const decision = await transition(parts, run.id, command({ at: parts.clock.now(), author: author() }));
    if (!decision.accepted) {
      throw new AppError("REFUSED", `run #${run.number}: ${decision.why}`, {
        hint: `\`pawl status ${run.number}\` shows where it stands`,
      });
    }
    await performEffects(parts, () => false);
    await recover(parts);
    const after = (await parts.store.runById(run.id)) ?? run;
    if (console.json) console.document({ run: runDocument(after) });
    else console.say(say(after));
  });
}
