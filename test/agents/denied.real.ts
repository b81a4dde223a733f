// Real agents that are not allowed what they want to do, and say that they have done it.

import { globSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { expectCode } from "../support/pawl.ts";
import { callsIn, type Mind, type Move } from "./model/conversation.ts";
import { inOrderAndReport, saysDone } from "./model/scripts.ts";
import { claude, codex, opencode, type Player, players } from "./players.ts";
import { type AgentSite, agentSite, endsOf, oneStep } from "./site.ts";

/** Codex does not tell of a command that its sandbox kept from writing; of a patch it does. */
const writes = (player: Player): Move =>
  player === codex
    ? { does: "write", path: "hello.txt", content: "hello\n" }
    : { does: "shell", command: "touch hello.txt" };

for (const player of players) {
  test(`[EX42] ${player.name} in the read-only profile writes nothing, and the attempt says that it tried`, async () => {
    let found: readonly string[] | null = null;
    const mind: Mind = (conversation) => {
      if (callsIn(conversation) === 0) return writes(player);
      found = globSync(join(site.home, "pawl/worktrees/*/*.*"));
      return saysDone;
    };
    const site = await agentSite([player], { mind, settings: { access: "read" } });
    await site.pawl("run", oneStep(site), "a task", "--executor", player.name);
    expect(site.model.problems).toEqual([]);
    expect(found).toEqual([expect.stringMatching(/README\.md$/)]);
    const [ended] = await endsOf(site);
    expect(ended?.["notes"]).toEqual([expect.stringMatching(/^it may only read, and tried to do more: /)]);
    expect(site.left()).toEqual([]);
  });
}

const denyTouch = {
  ".claude/settings.json": JSON.stringify({ permissions: { deny: ["Bash(touch:*)"] } }),
  ".config/opencode/opencode.jsonc": JSON.stringify({ permission: { bash: { "touch *": "deny" } } }),
};

/** What a user's own settings deny, or a sandbox, though Pawl lets the agent write. */
const denials: readonly (readonly [Player, (site: AgentSite) => Move])[] = [
  [claude, () => writes(claude)],
  [codex, ({ dir }) => ({ does: "write", path: join(dir, "hello.txt"), content: "hello\n" })],
  [opencode, () => writes(opencode)],
];

for (const [player, move] of denials) {
  test(`[EX33] a write that ${player.name} was denied is not taken for done, whatever it says and reports`, async () => {
    const site = await agentSite([player], {
      mind: (one) => inOrderAndReport(move(site))(one),
      files: denyTouch,
    });
    expectCode(await site.pawl("run", oneStep(site), "a task", "--executor", player.name), 1);
    expect((await site.status()).run.status).toBe("failed");
    const ends = await endsOf(site);
    expect(ends.length).toBeGreaterThan(0);
    for (const end of ends)
      expect(end).toMatchObject({ outcome: "failed", why: expect.stringContaining("was denied") });
    expect(site.left()).toEqual([]);
  });
}
