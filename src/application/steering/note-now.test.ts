// A note for the agent at work: it has it while it works, or nothing has changed.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { AcpAct } from "../../../test/support/acp-agent.ts";
import { programWords } from "../../../test/support/program-words.ts";
import { makeRepository, tempDir } from "../../../test/support/repository.ts";
import { until } from "../../../test/support/until.ts";
import { Application } from "../application.ts";
import { run } from "../driving/drive.ts";
import { status } from "../looking/status.ts";
import { noteNow } from "./note-now.ts";

const workflow = `pawl: 1
id: small
agents: { worker: { executor: speaker }, other: { executor: plain } }
steps:
  - { id: plan, agent: worker, input: "Plan it. Reply with STATUS: done" }
  - { id: ship, agent: other, input: "Ship it. Reply with STATUS: done" }
`;

/** The worker speaks ACP and waits for a message; the other one is a command, which waits for a file and keeps its prompt. */
function makeSite() {
  const dir = tempDir("pawl-now-");
  makeRepository(undefined, { dir: join(dir, "repo") });
  mkdirSync(join(dir, "home"));
  const acts: readonly AcpAct[] = [
    { shell: `touch '${dir}/plan-works'` },
    { hear: "message" },
    { say: "STATUS: done" },
  ];
  const play = JSON.stringify({ acts, meta: { steering: { supported: true } } });
  const command = JSON.stringify([...programWords("acp-agent.ts"), play]);
  const plain = `cat >'${dir}/prompt'; touch '${dir}/ship-works'; until [ -e '${dir}/go' ]; do sleep 0.05; done; echo STATUS: done`;
  writeFileSync(
    join(dir, "home", "config.yml"),
    `executors:\n  speaker: { kind: acp, command: ${command} }\n  plain: { command: [sh, -c, ${JSON.stringify(plain)}] }\n`,
  );
  writeFileSync(join(dir, "workflow.yml"), workflow);
  const app = new Application({ cwd: dir, env: { ...process.env, PAWL_HOME: "home" } });
  onTestFinished(async () => await app.close());
  return { dir, app };
}

const { signal } = new AbortController();

test("[PN5 EX96 CM103] an agent that takes messages has the note in its running turn, and the next one does not; another is refused", async () => {
  const { dir, app } = makeSite();
  await expect(noteNow(app, "1", { text: "use oil" })).rejects.toMatchObject({ code: "NOT_FOUND" });
  const wanted = { workflow: "./workflow.yml", task: "paint it", repo: "repo" };
  const driven = run(app, { ...wanted, signal });
  await until(() => existsSync(join(dir, "plan-works")));
  const told = await noteNow(app, "1", { text: "use oil", author: "user:ada" });
  expect(told).toMatchObject({ number: 1, isTold: true, note: { text: "use oil", attempt: expect.any(String) } });

  await until(() => existsSync(join(dir, "ship-works")));
  expect(readFileSync(join(dir, "prompt"), "utf8")).not.toContain("use oil");
  await expect(noteNow(app, "1", { text: "be quick" })).rejects.toMatchObject({
    code: "REFUSED",
    message: "run #1: plain takes no messages while it works; nothing was changed",
    hint: "leave out --now: the next attempt gets the note",
  });
  expect((await status(app, "1")).document.notes).toEqual([]);
  writeFileSync(join(dir, "go"), "");
  expect((await driven).end).toBe("done");
  const { document } = await status(app, "1");
  const log = readFileSync(join(dir, "home", "logs", document.run.id, "run-plan-1.log"), "utf8");
  expect(log.split("told: A note from a person").length).toBe(2);
  await expect(noteNow(app, "1", { text: "late" })).rejects.toMatchObject({ code: "REFUSED" });
});
