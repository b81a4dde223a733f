// An answer from the page to a real service: taken, refused because the work moved, and refused because somebody was first.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { resume } from "../../src/application/driving/drive.ts";
import { start } from "../../src/application/starting/start.ts";
import { install } from "../../src/application/workflows/workflows.ts";
import type { AnswerDocument, GateView } from "../../src/contracts/run-documents.ts";
import { CallProblem } from "../../src/page/api/call-problem.ts";
import { type GateCalls, sendAnswer } from "../../src/page/gate/send-answer.ts";
import { type Answer, clientOf } from "../support/api-client.ts";
import { applicationIn, serve } from "../support/http-service.ts";
import { makeRepository, tempDir } from "../support/repository.ts";

const workflow = `pawl: 1
id: small
agents: { worker: {} }
steps:
  - { id: work, agent: worker, input: "Work on {{task}}" }
  - { id: look, gate: "Is it good?", options: { approve: next, reject: { back_to: work } } }
`;

const body = { option: "approve", note: "Fine", comments: [{ path: "b.txt", line: 1, text: "Good" }] };

/** A run that waits at its gate, and the calls of a page that looks at it. */
async function waitingRun() {
  const dir = tempDir("pawl-page-answer-");
  const repo = join(dir, "repo");
  makeRepository({ "a.txt": "one\n" }, { dir: repo });
  mkdirSync(join(dir, "home"));
  writeFileSync(join(dir, "agent.sh"), "cat >/dev/null\necho new >b.txt\necho STATUS: done\n");
  const executor = `{ kind: command, command: ["sh", "${join(dir, "agent.sh")}"] }`;
  writeFileSync(join(dir, "home", "config.yml"), `executors:\n  mine: ${executor}\n`);
  writeFileSync(join(dir, "small.yml"), workflow);
  const app = applicationIn(dir);
  install(app, join(dir, "small.yml"));
  const { run } = await start(app, { workflow: "small", task: "Add a page", executor: "mine", repo });
  const { signal } = new AbortController();
  expect((await resume(app, "1", { signal })).end).toBe("held");
  const service = await serve({ app });
  const client = clientOf(service, "answer");
  const taken = ({ status, body: document }: Answer): unknown => {
    if (status !== 200) throw new CallProblem(status, document);
    return document;
  };
  const calls: GateCalls = {
    answer: async (id, sent) => taken(await client.post(`/api/v1/gates/${id}/answer`, sent)) as AnswerDocument,
    read: async (id) => taken(await client.get(`/api/v1/gates/${id}`)) as GateView,
  };
  const gate = await calls.read((await client.get("/api/v1/gates")).body.gates[0].id);
  const change = (text: string) => writeFileSync(join(dir, "home", "worktrees", run, "b.txt"), text);
  const seen = async () => (await client.get(`/api/v1/gates/${gate.id}/diff`)).body.tree as string;
  return { calls, gate, change, seen };
}

test("[PG49 PG50] an answer is taken with its comments in the note", async () => {
  const { calls, gate, seen } = await waitingRun();
  expect(await sendAnswer(calls, { gate, body, seenTree: await seen() })).toMatchObject({
    kind: "answered",
    document: { option: "approve", status: "done" },
  });
  expect((await calls.read(gate.id)).answer).toMatchObject({ option: "approve", note: "Fine\nb.txt:1: Good" });
});

test("[PG49] an answer that is larger than the service takes is not sent, and says so in words", async () => {
  const { calls, gate } = await waitingRun();
  const sent: unknown[] = [];
  const watched: GateCalls = {
    ...calls,
    answer: async (id, given) => (sent.push(given), await calls.answer(id, given)),
  };
  const comments = Array.from({ length: 900 }, (_, i) => ({ path: "b.txt", line: i + 1, text: "ä".repeat(1_000) }));
  const result = await sendAnswer(watched, { gate, body: { ...body, comments }, seenTree: null });
  expect(result).toMatchObject({
    kind: "problem",
    problem: {
      status: 413,
      message: expect.stringContaining("at most 64 KiB"),
      hint: expect.stringContaining("are kept"),
    },
  });
  expect(sent).toEqual([]);
  // With `b.txt:1: Good` and the line end before it.
  const most = { ...body, note: "x".repeat(64 * 1024 - 14) };
  const more = { ...most, note: `${most.note}x` };
  expect(await sendAnswer(watched, { gate, body: more, seenTree: null })).toMatchObject({ problem: { status: 413 } });
  expect(await sendAnswer(watched, { gate, body: most, seenTree: null })).toMatchObject({ kind: "answered" });
});

test("[PG50] work that moved after the diff was shown refuses the answer; one that the page showed as it is now is answered", async () => {
  const { calls, gate, change, seen } = await waitingRun();
  const seenTree = await seen();
  change("changed by hand\n");
  const refused = await sendAnswer(calls, { gate, body, seenTree });
  expect(refused).toMatchObject({ kind: "moved", gate: { status: "open" } });
  const shown = refused.kind === "moved" ? refused.gate : gate;
  expect(shown.tree).not.toBe(gate.tree);
  // The page has read the diff again after another change; the gate still shows the tree before that.
  change("changed again\n");
  const now = await seen();
  expect(now).not.toBe(shown.tree);
  expect(await sendAnswer(calls, { gate: shown, body, seenTree: now })).toMatchObject({ kind: "answered" });
  expect((await calls.read(gate.id)).tree).toBe(now);
});

test("[PG51] the second of two answers learns who was first; what the service cannot take is a problem", async () => {
  const { calls, gate, seen } = await waitingRun();
  const seenTree = await seen();
  expect(await sendAnswer(calls, { gate, body: { ...body, option: "nothing" }, seenTree })).toMatchObject({
    kind: "problem",
    problem: { status: 400 },
  });
  const both = await Promise.all([
    sendAnswer(calls, { gate, body, seenTree }),
    sendAnswer(calls, { gate, body: { ...body, option: "reject" }, seenTree }),
  ]);
  const kinds = both.map(({ kind }) => kind).toSorted();
  expect(kinds).toEqual(["answered", "elsewhere"]);
  const second = both.find(({ kind }) => kind === "elsewhere");
  const first = both.find(({ kind }) => kind === "answered");
  expect(second).toMatchObject({
    gate: {
      answer: {
        option: first?.kind === "answered" ? first.document.option : "",
        by: expect.stringMatching(/^token:answer-/),
      },
    },
  });
});
