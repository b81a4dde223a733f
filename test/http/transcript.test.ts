// What an agent did, as lines, over a real service: pages of logs of any size, from any byte.

import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agents } from "../../src/app.ts";
import type { Application } from "../../src/application/application.ts";
import { resume } from "../../src/application/driving/drive.ts";
import { start } from "../../src/application/starting/start.ts";
import type { TranscriptPage } from "../../src/contracts/http-documents.ts";
import { readerFor } from "../../src/executors/recorded-formats.ts";
import { linesOfEntry } from "../../src/transcript/rendering.ts";
import { Transcript } from "../../src/transcript/transcript.ts";
import { type Client, clientOf } from "../support/api-client.ts";
import { applicationIn, serve } from "../support/http-service.ts";
import { recordingPath } from "../support/recordings.ts";
import { makeRepository, tempDir } from "../support/repository.ts";
import { until } from "../support/until.ts";

const workflow = `pawl: 1
id: small
agents: { worker: {} }
steps:
  - { id: work, agent: worker, input: "Work", on_error: fail, checks: [{ run: "test -f made.txt" }] }
`;
/** Its first attempt makes no file: the check is red. */
const agent = `cat >/dev/null
if [ -e DIR/tried ]; then echo x > made.txt; git add -A; git commit -qm made; fi
touch DIR/tried
echo STATUS: done
echo CHANGES: a page
`;

/** Prints what the test writes, piece by piece. */
const waitingAgent = `cat >/dev/null; touch DIR/begun
for n in 1 2; do while [ ! -e DIR/say-$n ]; do sleep 0.05; done; cat DIR/say-$n; done
echo x > made.txt; git add -A; git commit -qm made
`;

interface Project {
  readonly dir: string;
  readonly app: Application;
  readonly reader: Client;
  /** From now on the executor is this agent, by the configuration. */
  setKind(kind: string): void;
}

interface Site {
  readonly dir: string;
  readonly log: string;
  readonly path: string;
  readonly reader: Client;
  page(query?: string): Promise<TranscriptPage>;
}

/** A run that has started. */
async function newProject(script: string): Promise<Project> {
  const dir = tempDir("pawl-transcript-");
  makeRepository(undefined, { dir: join(dir, "repo") });
  mkdirSync(join(dir, "home"));
  writeFileSync(join(dir, "agent.sh"), script.replaceAll("DIR", dir));
  const config = join(dir, "home", "config.yml");
  writeFileSync(config, `executors:\n  mine: { kind: command, command: ["sh", "${join(dir, "agent.sh")}"] }\n`);
  writeFileSync(join(dir, "small.yml"), workflow);
  const app = applicationIn(dir);
  const service = await serve({ app });
  const repo = join(dir, "repo");
  await start(app, { workflow: join(dir, "small.yml"), task: "Add a page", executor: "mine", repo });
  const setKind = (kind: string) => writeFileSync(config, `executors:\n  mine: { kind: ${kind} }\n`);
  return { dir, app, reader: clientOf(service, "read"), setKind };
}

/** An attempt that has ended, whose log the test writes. Its executor is Claude Code, by the configuration. */
async function newSite(kind = "claude"): Promise<Site> {
  const { dir, app, reader, setKind } = await newProject(agent);
  await resume(app, "1", { signal: new AbortController().signal });
  if (kind !== "command") setKind(kind);
  const [attempt] = (await reader.get("/api/v1/runs/1/cost")).body.attempts;
  const path = `/api/v1/attempts/${attempt.id}`;
  const { run } = (await reader.get("/api/v1/runs/1")).body;
  return {
    dir,
    path,
    reader,
    log: join(dir, "home", "logs", run.id, "run-work-1.log"),
    page: async (query = "") => (await reader.get(`${path}/transcript${query}`)).body as TranscriptPage,
  };
}

const far = 1e15;
const json = (value: object) => `${JSON.stringify(value)}\n`;
const hello = readFileSync(recordingPath("claude-hello.jsonl"), "utf8");
const shown = ({ lines }: Pick<TranscriptPage, "lines">) => lines.map(({ text }) => text);
const unnumbered = (lines: readonly string[]) => lines.map((line) => line.replace(/^(── turn|✓ ended).*/, "$1"));

async function wholeLines(log: string): Promise<readonly string[]> {
  const newReader = await readerFor("claude", agents);
  const transcript = new Transcript({ reader: newReader && newReader(() => 0), root: null });
  const entries = [...transcript.write(readFileSync(log)), ...transcript.end()];
  return entries.flatMap((entry) => linesOfEntry(entry, Number.POSITIVE_INFINITY)).map(({ text }) => text);
}

test("[HT60] a log is the same lines page by page, from its first byte and from its last", async () => {
  const { log, page } = await newSite();
  writeFileSync(log, hello.repeat(150));
  const whole = await wholeLines(log);
  const forwards: string[] = [];
  let pages = 0;
  for (let next = 0; ; pages += 1) {
    const found = await page(`?from=${next}`);
    expect(found.from).toBe(next);
    forwards.push(...shown(found));
    next = found.next;
    if (next === found.size) break;
  }
  expect(pages).toBeGreaterThan(3);
  expect(forwards).toEqual(whole);

  const backwards: string[] = [];
  for (let before = far; before > 0; ) {
    const found = await page(`?before=${before}`);
    backwards.unshift(...shown(found));
    expect(found.next).toBe(Math.min(before, found.size));
    before = found.from;
  }
  expect(unnumbered(backwards)).toEqual(unnumbered(whole));
  // The middle of a log knows no number of a turn and no sum of tokens, and invents none.
  expect((await page(`?before=${far}`)).lines.find(({ kind }) => kind === "turn")?.text).toBe("── turn");
});

test("[HT60] a page says what each line is, and begins with a line wherever it is asked for", async () => {
  const { log, page } = await newSite();
  writeFileSync(log, hello);
  const size = Buffer.byteLength(hello);
  const found = await page();
  expect(found).toMatchObject({ from: 0, next: size, size, ended: true, hasLog: true });
  expect(found.lines).toContainEqual({ kind: "call", tone: "strong", text: "● Bash cat hello.txt" });
  expect(found.lines).toContainEqual({ kind: "call", tone: "added", text: "    + hello" });
  expect(found.lines).toContainEqual({ kind: "turn", tone: "dim", text: "── turn 2 · 3.4k tokens" });
  const second = hello.indexOf("\n") + 1;
  expect((await page("?from=5")).from).toBe(second);
  expect((await page(`?from=${second}`)).from).toBe(second);
  expect(await page(`?from=${far}`)).toMatchObject({ from: far, next: far, lines: [] });
});

test("[HT61] a log of 1 GB, a line of 20 MB and bytes that are no text are read in bounded pages", async () => {
  const { log, page } = await newSite("command");
  const long = "x".repeat(20 * 1024 * 1024);
  writeFileSync(log, `one\n${long}\ntwo\u001b[31m red\u001b[0m \u0007\n`);
  const texts: string[] = [];
  for (let next = 0, size = -1; next !== size; ) {
    const found = await page(`?from=${next}`);
    expect(JSON.stringify(found).length).toBeLessThan(1024 * 1024);
    expect(found.next).toBeGreaterThan(next);
    texts.push(...shown(found));
    ({ next, size } = found);
  }
  expect(texts[0]).toBe("one");
  expect(texts.at(-1)).toBe("two red \\u0007");
  expect(texts.join("\n")).toMatch(/x{1000}[^]*cut: the line has 8\.0 MiB/);

  truncateSync(log, 1024 * 1024 * 1024);
  appendFileSync(log, `\n${"a line\n".repeat(60_000)}last`);
  const end = await page(`?before=${far}`);
  expect(end.size).toBeGreaterThan(1024 * 1024 * 1024);
  expect(shown(end).at(-1)).toBe("last");
  const before = await page(`?before=${end.from}`);
  expect(before.next).toBe(end.from);
  expect(shown(before)).toContain("a line");
  expect((await page(`?from=${512 * 1024 * 1024}`)).next).toBeGreaterThan(512 * 1024 * 1024);
});

test("[HT61] a log that is gone is said, a link in its place is refused, and a wrong byte is 400", async () => {
  const { log, page, path, reader, dir } = await newSite();
  rmSync(log);
  expect(await page()).toMatchObject({ hasLog: false, lines: [], ended: true, size: 0 });
  symlinkSync(join(dir, "home", "config.yml"), log);
  expect(await reader.get(`${path}/transcript`)).toMatchObject({ status: 409, body: { code: "REFUSED" } });
  for (const query of ["from=-1", "before=x", "from=1.5", "after=1"])
    expect((await reader.get(`${path}/transcript?${query}`)).status).toBe(400);
  expect((await reader.get("/api/v1/attempts/at-nothing/transcript")).status).toBe(404);
});

test("[HT62] an attempt has its verdict, its outputs or facts, and the other attempts of its step", async () => {
  const { path, reader } = await newSite();
  const { body: first } = await reader.get(path);
  expect(first).toMatchObject({
    verdict: { kind: "rejected" },
    facts: { checks: [{ run: "test -f made.txt", passed: false }] },
    others: [
      { id: first.id, attempt: 1 },
      { attempt: 2, phase: "ended", outcome: "completed" },
    ],
  });
  const { body: second } = await reader.get(`/api/v1/attempts/${first.others[1].id}`);
  expect(second).toMatchObject({
    verdict: { kind: "passed" },
    took: "passed",
    outputs: { changes: "a page" },
    others: first.others,
  });
});

test("[HT60] a running attempt: its pages continue each other, with what is being said, until it has ended", async () => {
  const { dir, app, reader, setKind } = await newProject(waitingAgent);
  const over = resume(app, "1", { signal: new AbortController().signal });
  const path = await until(async () => {
    const [attempt] = (await reader.get("/api/v1/runs/1/cost")).body.attempts;
    return attempt !== undefined && `/api/v1/attempts/${attempt.id}/transcript`;
  });
  const page = async (from: number) => (await reader.get(`${path}?from=${from}`)).body as TranscriptPage;
  await until(() => existsSync(join(dir, "begun")));
  expect(await page(0)).toMatchObject({ lines: [], saying: "", ended: false });
  setKind("gemini");
  const says = (content: string) => json({ type: "message", role: "assistant", content, delta: true });
  writeFileSync(join(dir, "say-1"), `${says("I will ")}${says("look")}{"type":"mess`);
  const first = await until(async () => {
    const found = await page(0);
    return found.saying !== "" && found;
  });
  expect(first).toMatchObject({ ended: false, saying: "I will look", lines: [{ kind: "turn" }] });
  expect(first.next).toBeLessThan(first.size);
  writeFileSync(join(dir, "say-2"), `age","role":"assistant","content":" at it.","delta":true}\nSTATUS: done\n`);
  await over;
  const last = await page(first.next);
  expect(last).toMatchObject({ from: first.next, next: last.size, ended: true, saying: "" });
  expect(shown(last).join("\n")).toMatch(/^I will look at it\.\nSTATUS: done/);
});
