// Real agents that are stopped in the middle, or leave processes behind: nothing of theirs keeps running.

import { expect, test } from "vitest";
import { expectCode } from "../support/pawl.ts";
import { until } from "../support/until.ts";
import { callsIn, type ScriptedModel } from "./model/conversation.ts";
import { inOrder, saysDone } from "./model/scripts.ts";
import { codex, players } from "./players.ts";
import { agentSite, endsOf, oneStep } from "./site.ts";

/** A process in its own session, as a daemon has one; it holds none of the agent's pipes. */
const detached = "setsid tail -f /dev/null > /dev/null 2>&1 < /dev/null &";

for (const player of players) {
  const { name } = player;
  test(`[EX11 EX40] ${name} is stopped in the middle of a shell command, and nothing is left running`, async () => {
    const forever = `${detached} tail -f /dev/null`;
    const site = await agentSite([player], { model: inOrder({ does: "shell", command: forever }) });
    const run = site.start("run", oneStep(site), "a task", "--executor", name);
    await until(() => site.left().filter((command) => command.startsWith("tail -f")).length === 2, 240_000);

    expectCode(await site.pawl("cancel", "1"), 0);
    await run.ended;
    expect((await site.status()).run.status).toBe("cancelled");
    expect(await endsOf(site)).toMatchObject([{ outcome: "cancelled" }]);
    expect(site.left()).toEqual([]);
  });
}

// Not for Codex: its sandbox ends everything with each command.
for (const player of players.filter(({ name }) => name !== codex.name)) {
  const { name } = player;
  test(`[EX11] what ${name} left in the background is stopped with its attempt`, async () => {
    let seen: readonly string[] = [];
    const model: ScriptedModel = (conversation) => {
      if (callsIn(conversation) === 0) return { does: "shell", command: `${detached} echo hello > hello.txt` };
      seen = site.left();
      return saysDone;
    };
    const site = await agentSite([player], { model });
    expectCode(await site.pawl("run", oneStep(site), "a task", "--executor", name), 0);
    // It may not have executed its program yet; the shell then has the same command line.
    expect(seen).toContainEqual(expect.stringContaining("tail -f /dev/null"));
    expect(site.left()).toEqual([]);
  });
}
