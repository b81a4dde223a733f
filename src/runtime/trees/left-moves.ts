// Moves of checkouts that dead processes left. Owns: ending them, so that a checkout is free for its user before its run continues.

import { join } from "node:path";
import { errorText } from "../../domain/error.ts";
import { movesIn } from "../../system/home.ts";
import { endLeftMove } from "../../workspaces/integration/settling.ts";
import type { Parts } from "../parts.ts";

/** What cannot be ended now stays for the next command. */
export async function endLeftMoves({ home, log, warn }: Pick<Parts, "home" | "log" | "warn">): Promise<void> {
  for (const name of movesIn(home)) {
    try {
      const problem = await endLeftMove(join(home.forwarding, name));
      if (problem !== null) warn(problem);
    } catch (error) {
      log("move.not_ended", { file: name, why: errorText(error) });
    }
  }
}
