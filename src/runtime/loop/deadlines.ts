// Expires gates whose deadline has passed. The gate itself says what happens then.

import type { RunId } from "../../domain/ids.ts";
import type { Parts } from "../parts.ts";
import { type TransitionPorts, transition } from "../transition/transition.ts";

export async function expireGates(parts: TransitionPorts & Pick<Parts, "clock">, run: RunId): Promise<void> {
  for (const { gate } of await parts.store.openGates(run)) {
    const at = parts.clock.now();
    if (gate.deadline === null || gate.deadline.at > at) continue;
    await transition(parts, run, { type: "expire_gate", at, author: "deadline", story: gate.story, gate: gate.id });
  }
}
