// Real agents that are denied a tool, and claim success anyway.

import { globSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { expectCode } from "../support/pawl.ts";
import { callsIn, type Move, type ScriptedModel } from "./model/conversation.ts";
import { inOrderAndReport, saysDone } from "./model/scripts.ts";
import { claude, codex, opencode, type Player, players } from "./players.ts";
import { type AgentSite, agentSite, endsOf, oneStep } from "./site.ts";

/** Codex does not report a command that its sandbox prevented from writing, but it does report a patch. */
const writes = (player: Player): Move =>
  player === codex
    ? { does: "write", path: "hello.txt", content: "hello\n" }
    : { does: "shell", command: "touch hello.txt" };

for (const player of players) {
  test(`[EX42] ${player.name} in the read-only profile writes nothing, and the attempt notes that it tried`, async () => {
    let found: readonly string[] | null = null;
    const model: ScriptedModel = (conversation) => {
      if (callsIn(conversation) === 0) return writes(player);
      found = globSync(join(site.home, "pawl/worktrees/*/*.*"));
      return saysDone;
    };
    const site = await agentSite([player], { model, settings: { access: "read" } });
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

/** Pawl lets the agent write, but the user's own settings or a sandbox deny it. */
const denials: readonly (readonly [Player, (site: AgentSite) => Move])[] = [
  [claude, () => writes(claude)],
  [codex, ({ dir }) => ({ does: "write", path: join(dir, "hello.txt"), content: "hello\n" })],
  [opencode, () => writes(opencode)],
];

for (const [player, move] of denials) {
  test(`[EX33] a step in which ${player.name} was denied a write is not done, whatever the agent says and reports`, async () => {
    const site = await agentSite([player], {
      model: (one) => inOrderAndReport(move(site))(one),
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
