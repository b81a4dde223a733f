// Real agents that are ended in the middle, or leave something behind: nothing of theirs runs on.

import { expect, test } from "vitest";
import { expectCode, until } from "../support/pawl.ts";
import { callsIn, type Mind } from "./model/conversation.ts";
import { inOrder, saysDone } from "./model/scripts.ts";
import { codex, players } from "./players.ts";
import { agentSite, endsOf, oneStep } from "./site.ts";

/** A process in a session of its own, as servers make themselves; it holds no pipe of the agent's. */
const detached = "setsid tail -f /dev/null > /dev/null 2>&1 < /dev/null &";

for (const player of players) {
  const { name } = player;
  test(`[EX11 EX40] ${name} is stopped in the middle of a shell command, and nothing is left running`, async () => {
    const forEver = `${detached} tail -f /dev/null`;
    const site = await agentSite([player], { mind: inOrder({ does: "shell", command: forEver }) });
    const run = site.start("run", oneStep(site), "a task", "--executor", name);
    await until(() => site.left().filter((command) => command.startsWith("tail -f")).length === 2, 240_000);

    expectCode(await site.pawl("cancel", "1"), 0);
    await run.ended;
    expect((await site.status()).run.status).toBe("cancelled");
    expect(await endsOf(site)).toMatchObject([{ outcome: "cancelled" }]);
    expect(site.left()).toEqual([]);
  });
}

// Codex needs no help here: what its sandbox started ends with each command.
for (const player of players.filter(({ name }) => name !== codex.name)) {
  const { name } = player;
  test(`[EX11] what ${name} left in the background ends with its attempt`, async () => {
    let seen: readonly string[] = [];
    const mind: Mind = (conversation) => {
      if (callsIn(conversation) === 0) return { does: "shell", command: `${detached} echo hello > hello.txt` };
      seen = site.left();
      return saysDone;
    };
    const site = await agentSite([player], { mind });
    expectCode(await site.pawl("run", oneStep(site), "a task", "--executor", name), 0);
    // It may not have become its program yet; the shell that it then is has the same words.
    expect(seen).toContainEqual(expect.stringContaining("tail -f /dev/null"));
    expect(site.left()).toEqual([]);
  });
}
