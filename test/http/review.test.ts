// What a person looks at before an answer, over HTTP: the gate, the diff that is approved, and the diff of each attempt.

import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { resume } from "../../src/application/driving/drive.ts";
import { start } from "../../src/application/starting/start.ts";
import { install } from "../../src/application/workflows/workflows.ts";
import { clientOf } from "../support/api-client.ts";
import { applicationIn, serve } from "../support/http-service.ts";
import { makeRepository, runGit, tempDir } from "../support/repository.ts";
import { until } from "../support/until.ts";

const workflow = `pawl: 1
id: small
agents: { worker: {} }
steps:
  - { id: work, agent: worker, input: "Work on {{task}}" }
  - { id: look, gate: "Is it good?", options: { approve: next, reject: { default: { back_to: work }, unclear: { back_to: work } } } }
`;

async function runOf(agent: string) {
  const dir = tempDir("pawl-review-");
  const repo = join(dir, "repo");
  makeRepository({ "a.txt": "one\n" }, { dir: repo });
  mkdirSync(join(dir, "home"));
  writeFileSync(join(dir, "agent.sh"), `cat >/dev/null; S='${dir}'\n${agent}\necho STATUS: done\n`);
  writeFileSync(
    join(dir, "home", "config.yml"),
    `executors:\n  mine: { kind: command, command: ["sh", "${join(dir, "agent.sh")}"] }\n`,
  );
  writeFileSync(join(dir, "small.yml"), workflow);
  const app = applicationIn(dir);
  install(app, join(dir, "small.yml"));
  const service = await serve({ app });
  const { run } = await start(app, { workflow: "small", task: "Add a page", executor: "mine", repo });
  const { signal } = new AbortController();
  const drive = async () => (await resume(app, "1", { signal })).end;
  return { dir, repo, tree: join(dir, "home", "worktrees", run), service, drive };
}

const paths = (body: { files: readonly { path: string }[] }) => body.files.map(({ path }) => path);

/** The first attempt commits one file and leaves another one; the second leaves a third. */
const twice = `
if [ -e b.txt ]; then echo three >c.txt; else echo two >>a.txt; git commit -qam first; echo new >b.txt; fi`;

test("[HT45 HT46] a gate with all that it says, the diff since the base and since what was shown, and the tree that moved", async () => {
  const { service, drive, repo, tree } = await runOf(twice);
  const [reader, answerer] = [clientOf(service, "read"), clientOf(service, "answer")];
  expect(await drive()).toBe("held");
  const [listed] = (await reader.get("/api/v1/gates")).body.gates;
  const path = `/api/v1/gates/${listed.id}`;
  expect((await reader.get(path)).body).toEqual({
    ...listed,
    runStatus: "held",
    reasons: { approve: [], reject: ["unclear"] },
    base: runGit(repo, "rev-parse", "main"),
    shown: null,
    answer: null,
  });
  const { body: first } = await reader.get(`${path}/diff`);
  expect(first).toMatchObject({
    since: "base",
    shown: null,
    tree: listed.tree,
    isMoved: false,
    isCut: false,
    notes: [],
  });
  expect(first.from).toBe(runGit(repo, "rev-parse", "main"));
  expect(paths(first)).toEqual(["a.txt", "b.txt"]);
  const { body: same } = await reader.get(`${path}/diff?since=shown`);
  expect(same).toMatchObject({ files: first.files, notes: [expect.stringContaining("nothing was shown")] });

  const answer = { option: "reject", reason: "unclear", note: "More", tree: listed.tree };
  expect((await answerer.post(`${path}/answer`, answer)).status).toBe(200);
  expect(await drive()).toBe("held");
  expect((await reader.get(path)).body).toMatchObject({
    // The route back took its step with it.
    status: "void",
    answer: { option: "reject", reason: "unclear", note: "More", by: expect.stringMatching(/^token:answer-/) },
  });
  // What an answered gate was about stays what it was.
  expect(paths((await reader.get(`${path}/diff`)).body)).toEqual(["a.txt", "b.txt"]);
  const [next] = (await reader.get("/api/v1/gates")).body.gates;
  const { body: view } = await reader.get(`/api/v1/gates/${next.id}`);
  expect(view.shown).toMatchObject({ gate: listed.id, tree: listed.tree, option: "reject" });
  const since = async (what: string) => (await reader.get(`/api/v1/gates/${next.id}/diff?since=${what}`)).body;
  expect(paths(await since("base"))).toEqual(["a.txt", "b.txt", "c.txt"]);
  expect(await since("shown")).toMatchObject({ from: listed.tree, tree: next.tree, files: [{ path: "c.txt" }] });

  writeFileSync(join(tree, "d.txt"), "by hand\n");
  const moved = await since("shown");
  expect(moved).toMatchObject({ isMoved: true, files: [{ path: "c.txt" }, { path: "d.txt" }] });
  expect(moved.tree).not.toBe(next.tree);
  const stale = await answerer.post(`/api/v1/gates/${next.id}/answer`, { option: "approve", tree: next.tree });
  expect(stale.status).toBe(409);
  const [asked] = (await reader.get("/api/v1/gates")).body.gates;
  expect(asked.tree).toBe(moved.tree);
  expect((await since("later")).status).toBe(400);
  expect((await reader.get("/api/v1/gates/nothing")).status).toBe(404);
  expect((await reader.get("/api/v1/gates/nothing/diff")).status).toBe(404);
});

test("[HT47] the diff of an attempt: at work, after the next one, of the last one, and when its files are gone", async () => {
  const { dir, service, drive, repo, tree } = await runOf(
    `${twice}\ntouch "$S/begun"; until [ -e "$S/go" ]; do sleep 0.05; done`,
  );
  const [reader, answerer] = [clientOf(service, "read"), clientOf(service, "answer")];
  const attempts = async () => (await reader.get("/api/v1/runs/1/cost")).body.attempts as readonly { id: string }[];
  const diff = async (index: number) =>
    await reader.get(`/api/v1/attempts/${(await attempts())[index]?.id ?? ""}/diff`);
  const driven = drive();
  await until(() => existsSync(join(dir, "begun")));
  const { body: running } = await diff(0);
  expect(running).toMatchObject({ isRunning: true, isRolledBack: false, step: "work", story: null, notes: [] });
  expect(paths(running)).toEqual(["a.txt", "b.txt"]);
  writeFileSync(join(dir, "go"), "");
  expect(await driven).toBe("held");
  expect((await diff(0)).body).toMatchObject({ isRunning: false, files: running.files, tree: running.tree });
  const [gate] = (await reader.get("/api/v1/gates")).body.gates;
  await answerer.post(`/api/v1/gates/${gate.id}/answer`, { option: "reject" });
  expect(await drive()).toBe("held");
  // The tree has the work of both by now.
  expect(paths((await diff(0)).body)).toEqual(["a.txt", "b.txt"]);
  expect(paths((await diff(1)).body)).toEqual(["c.txt"]);

  runGit(repo, "worktree", "remove", "--force", tree);
  const { refs, objects } = { refs: join(repo, ".git", "refs", "pawl"), objects: join(repo, ".git", "objects") };
  rmSync(refs, { recursive: true });
  rmSync(join(repo, ".git", "packed-refs"), { force: true });
  expect(readdirSync(objects).length).toBeGreaterThan(2);
  runGit(repo, "reflog", "expire", "--expire=now", "--all");
  runGit(repo, "gc", "--quiet", "--prune=now");
  expect(await diff(1)).toMatchObject({
    status: 404,
    body: { code: "NOT_FOUND", detail: expect.stringContaining("gone") },
  });
  expect((await reader.get("/api/v1/attempts/nothing/diff")).status).toBe(404);
});

test("[HT48] of a huge diff every file is listed with its counts, and the text is cut, file by file and in all", async () => {
  const big = `for f in a1 a2; do yes 'a line of a huge file' | head -n 400000 >$f.txt; done; echo small >z.txt`;
  const { service, drive } = await runOf(big);
  const reader = clientOf(service, "read");
  expect(await drive()).toBe("held");
  const [gate] = (await reader.get("/api/v1/gates")).body.gates;
  const { body } = await reader.get(`/api/v1/gates/${gate.id}/diff`);
  const { body: ofRun } = await reader.get("/api/v1/runs/1/diff");
  expect([ofRun.text, ofRun.files, ofRun.notes]).toEqual([body.text, body.files, body.notes]);
  expect(body).toMatchObject({
    isCut: true,
    total: { files: 3, added: 800_001, removed: 0 },
    files: [
      { path: "a1.txt", added: 400_000, isCut: true },
      { path: "a2.txt", added: 400_000, isCut: true },
      { path: "z.txt", added: 1 },
    ],
    notes: [expect.stringContaining("256 KiB")],
  });
  expect(body.files[2]).not.toHaveProperty("isCut");
  expect(body.text.length).toBeLessThan(600 * 1024);
  expect(body.text.match(/^diff --git .*$/gm)).toHaveLength(3);
  expect(body.text).toMatch(/\+small\n$/);
  expect(
    body.text.split("\n").filter((line: string) => line.startsWith("+a") && line !== "+a line of a huge file"),
  ).toEqual([]);
});
