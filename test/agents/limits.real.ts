// Real agents that hit a rate limit, have used up their quota, or are not logged in.

import { expect, test } from "vitest";
import { type EventDocument, expectCode } from "../support/pawl.ts";
import { until } from "../support/until.ts";
import type { Conversation } from "./model/conversation.ts";
import { inOrder, refuseAtFirst } from "./model/scripts.ts";
import { claude, codex, players } from "./players.ts";
import { agentSite, endsOf, oneStep, subscription } from "./site.ts";

const works = inOrder({ does: "shell", command: "echo hello > hello.txt && git add . && git commit --quiet -m hello" });

for (const player of players) {
  const { name } = player;
  test(`[PF9 LI6] Pawl waits out a rate limit of ${name}, and counts no attempt`, async () => {
    const api = refuseAtFirst({ kind: "limit" }, works);
    const site = await agentSite([player], { model: api.model });
    const run = site.start("run", oneStep(site), "a task", "--executor", name);
    const limited = await until(
      async () => (await endsOf(site)).find(({ outcome }) => outcome === "rate_limited"),
      240_000,
    );
    expect(limited?.["why"]).toMatch(/rate limit|429|too many/i);
    expect((await site.status()).run.status).toBe("running");
    api.accept();
    expectCode(await run.ended, 0);

    const { steps } = await site.status();
    expect(steps).toMatchObject([{ id: "work", status: "done" }]);
    expect((await endsOf(site)).filter(({ taken }) => drawsOn(taken))).toEqual([]);
    expect(site.left()).toEqual([]);
  });

  test(`[AT15 EX39] a 401 of ${name} becomes a gate, and the step runs again after the answer`, async () => {
    const api = refuseAtFirst({ kind: "login" }, works);
    const site = await agentSite([player], { model: api.model });
    const started = Date.now();
    const held = await site.pawl("run", oneStep(site), "a task", "--executor", name);
    expectCode(held, 3);
    // A retry cannot help, so Pawl does not wait for an agent that retries.
    expect(Date.now() - started).toBeLessThan(120_000);
    const gates = JSON.parse((await site.pawl("gates", "--json")).stdout) as { gates: readonly GateDocument[] };
    expect(gates.gates).toMatchObject([{ status: "open", options: ["again", "stop"] }]);
    expect(gates.gates[0]?.question).toMatch(/401|API key|authenti|log in/i);
    expect(site.left()).toEqual([]);

    api.accept();
    expectCode(await site.pawl("answer", gates.gates[0]?.id ?? "", "again"), 0);
    expectCode(await site.pawl("resume", "1"), 0);
    expect((await site.status()).run.status).toBe("done");
  });
}

/** Recognises the agent by the tools that it offers. */
const hasTool =
  (wanted: string) =>
  ({ tools }: Conversation): boolean =>
    tools.some(({ name }) => name === wanted);

for (const [first, second, isFirst] of [
  [claude, codex, hasTool("Bash")],
  [codex, claude, hasTool("exec_command")],
] as const) {
  test(`[AC3] when the quota of ${first.name} is used up, ${second.name} takes over at once, and Pawl says so`, async () => {
    const resetsAt = Date.now() + 3_600_000;
    const { model } = refuseAtFirst({ kind: "quota", resetsAt }, works, isFirst);
    const site = await agentSite([first, second], { model, login: subscription });
    const run = await site.pawl("run", oneStep(site), "a task", "--executor", `${first.name},${second.name}`);
    expectCode(run, 0);
    const [refused, fallback] = await endsOf(site);
    expect(refused).toMatchObject({ outcome: "rate_limited", why: expect.stringMatching(/hit your .*limit/) });
    expect(fallback).toMatchObject({ outcome: "completed" });
    expect(notesOf(fallback)).toContain(`${second.name} runs instead of ${first.name}`);
    expect(site.left()).toEqual([]);
  });
}

interface GateDocument {
  readonly id: string;
  readonly question: string;
}

function notesOf(end: EventDocument | undefined): string {
  return ((end?.["notes"] ?? []) as readonly string[]).join("\n");
}

/** Whether an ending counts against a limit of its step. */
function drawsOn(taken: unknown): boolean {
  return ((taken ?? {}) as { readonly draws?: string | null }).draws != null;
}
