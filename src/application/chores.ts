// Chores. Owns: what follows a use case that committed something, in one place for all of them: attempts of dead drivers are
// recovered, effects are performed, the files of protocols are written, messages are delivered.

import type { RunId } from "../domain/ids.ts";
import { deliverDue } from "../runtime/effects/deliveries.ts";
import { performEffects } from "../runtime/effects/effects.ts";
import { recover } from "../runtime/loop/recover.ts";
import type { Parts } from "../runtime/parts.ts";

/** How long receivers of messages get; the rest waits for the next process. */
const deliveriesMs = 2_000;

/** `changed` grows while chores commit something themselves. */
export async function doChores(parts: Parts, changed: ReadonlySet<RunId>): Promise<void> {
  await recover(parts);
  await performEffects(parts, () => false);
  for (const run of changed) await parts.projections.show(run);
  await deliverDue(parts, deliveriesMs);
}
