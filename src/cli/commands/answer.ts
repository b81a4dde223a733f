// `pawl answer`. Owns: answering one gate by its id.

import type { Command } from "commander";
import { AppError } from "../../domain/error.ts";
import { gateId } from "../../domain/ids.ts";
import { answer } from "../answering.ts";
import type { Console } from "../console.ts";
import { example } from "../example.ts";
import { withSession } from "../session.ts";

export function define(parent: Command, console: Console): void {
  parent
    .command("answer")
    .description("answer an open question, once")
    .argument("<gate>", "its id, from `pawl gates`")
    .argument("<option>", "one of its options")
    .option("--note <text>", "goes into the next prompt", "")
    .option("--reason <code>", "why, in one word, where the gate has routes for reasons")
    .addHelpText("after", example('pawl answer kx81.1 continue --note "look at the cache"'))
    .action(async (id: string, option: string, options: { note: string; reason?: string; store?: string }) => {
      await withSession({ store: options.store }, async ({ parts }) => {
        const gate = await parts.store.gate(gateId(id));
        if (!gate)
          throw new AppError("NOT_FOUND", `there is no gate ${id}`, { hint: "`pawl gates` lists the open ones" });
        await answer(console, parts, gate, { option, note: options.note, reason: options.reason });
      });
    });
}
