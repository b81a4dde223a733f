// `pawl executor read`: how Pawl reads what agents printed. The recorded transcripts go through the command inside this
// process, one call each; a few calls are real ones.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { expect, test } from "vitest";
import { define } from "../../src/cli/commands/setup/executor.ts";
import { Console } from "../../src/cli/output/console.ts";
import { expectCode, pawl } from "../support/pawl.ts";
import { expectedReadings, recordingPath } from "../support/recordings.ts";
import { tempDir } from "../support/repository.ts";

interface ReadingDocument {
  readonly ok: boolean;
  readonly kind: string | null;
  readonly text: string;
  readonly denials: number;
  readonly usage: {
    readonly inputTokens: number;
    readonly cacheReadTokens: number;
    readonly outputTokens: number;
    readonly costUsd: number | null;
  };
  readonly resetsAt: string | null;
}

/** The command itself, without a process around it. */
async function readHere(...args: readonly string[]): Promise<ReadingDocument> {
  let printed = "";
  const console = new (class extends Console {
    override print(text: string): void {
      printed += text;
    }
  })(true);
  const program = new Command("pawl").exitOverride();
  define(program, console);
  await program.parseAsync(["executor", "read", ...args], { from: "user" });
  return JSON.parse(printed) as ReadingDocument;
}

/** A reading in the form of the list of expected readings. */
function lineOf(file: string, exit: string, reading: ReadingDocument): string {
  const { ok, kind, denials, usage, text } = reading;
  const cost = usage.costUsd === null ? "-" : usage.costUsd.toFixed(5);
  return [
    file,
    `exit=${exit}`,
    `ok=${ok}`,
    `kind=${kind ?? "-"}`,
    `denials=${denials} in=${usage.inputTokens} cr=${usage.cacheReadTokens} out=${usage.outputTokens} cost=${cost}`,
    `text=${JSON.stringify(text.slice(0, 40))}`,
  ].join(" ");
}

test("[EX18 EX20 EX24] every recorded transcript is read as expected", async () => {
  const read: string[] = [];
  for (const line of expectedReadings) {
    const [, file = "", agent = "", exit = ""] = /^(([a-z]+)-\S+)\s+exit=(\S+)/.exec(line) ?? [];
    read.push(lineOf(file, exit, await readHere(agent, recordingPath(file), "--exit", exit)));
  }
  // The list is aligned for people: spaces before the text mean nothing.
  expect(read).toEqual(expectedReadings.map((line) => line.replace(/ +(?=.* text=)| +(?=text=)/g, " ")));
  expect(read.length).toBeGreaterThan(30);
});

/** What Codex prints when the quota is used up. */
function usedUp(): string {
  const file = join(tempDir("pawl-read-"), "codex.jsonl");
  const message = "You’ve hit your usage limit. Upgrade to Pro or try again at Jan 7th, 2030 7:06 AM.";
  const failed = { type: "turn.failed", error: { message } };
  writeFileSync(file, `{"type":"thread.started","thread_id":"t-1"}\n${JSON.stringify(failed)}\n`);
  return file;
}

test("[EX29] --json prints one document with a reset time in ISO 8601; without it, lines for people", async () => {
  const file = usedUp();
  const home = tempDir("pawl-read-home-");
  const env = { TZ: "UTC" };
  const json = await pawl(["executor", "read", "codex", file, "--exit", "1", "--json"], { home, env });
  expectCode(json, 0);
  expect(JSON.parse(json.stdout)).toEqual({
    ok: false,
    kind: "quota",
    text: "",
    denials: 0,
    usage: { inputTokens: 0, cacheReadTokens: 0, outputTokens: 0, costUsd: null },
    resetsAt: "2030-01-07T07:06:00.000Z",
  });
  const people = await pawl(["executor", "read", "codex", file, "--exit", "1"], { home, env });
  expectCode(people, 0);
  expect(people.stdout).toMatch(/^not ok +quota\nwhy +You’ve hit your usage limit\./);
  expect(people.stdout).toMatch(/resets +2030-01-07T07:06:00\.000Z/);
  expect(existsSync(join(home, "pawl.db"))).toBe(false);
});

test("[EX29] how the agent ended is given as a code or a signal, and is 0 by default", async () => {
  const file = usedUp();
  writeFileSync(file, '{"type":"turn.completed","usage":{}}\n');
  expect(await readHere("codex", file)).toMatchObject({ ok: true, kind: null });
  expect(await readHere("codex", file, "--exit", "3")).toMatchObject({ ok: false, kind: "exit" });
  for (const signal of ["SIGTERM", "TERM", "sigkill"])
    expect(await readHere("codex", file, "--exit", signal)).toMatchObject({ ok: false, kind: "killed" });
  for (const wrong of ["256", "-1", "SIGNOT", "", "__proto__", "1.5"])
    await expect(readHere("codex", file, `--exit=${wrong}`)).rejects.toMatchObject({ code: "USAGE" });
});

test("[EX29] an unknown name lists the known ones; a path that is missing or not a file is reported in one line", async () => {
  const home = tempDir("pawl-read-home-");
  const unknown = await pawl(["executor", "read", "cloude", usedUp()], { home });
  expectCode(unknown, 5);
  expect(unknown.stderr).toMatch(/error\[NOT_FOUND\].*cloude.*\nhint: it knows: claude, codex, opencode, .*acp\n$/);
  for (const name of ["constructor", "__proto__", ""])
    await expect(readHere(name, usedUp())).rejects.toMatchObject({ code: "NOT_FOUND" });
  await expect(readHere("claude", join(home, "absent"))).rejects.toMatchObject({ code: "NOT_FOUND" });
  await expect(readHere("claude", home)).rejects.toMatchObject({ code: "INPUT_INVALID" });
  await expect(readHere("claude", "/dev/zero")).rejects.toMatchObject({ code: "INPUT_INVALID" });
});

test("[EX29] an empty file, or one with anything but events in it, has no result", async () => {
  const dir = join(tempDir("pawl-read-"), "files");
  mkdirSync(dir);
  const contents = {
    empty: "",
    binary: readFileSync(process.execPath).subarray(0, 3_000_000),
    prose: "It did not work.\n",
  };
  for (const [name, content] of Object.entries(contents)) {
    writeFileSync(join(dir, name), content);
    for (const agent of ["claude", "codex", "opencode", "gemini", "qwen", "copilot", "goose", "acp"])
      expect(await readHere(agent, join(dir, name))).toMatchObject({
        ok: false,
        kind: "no_result",
        text: "",
        denials: 0,
      });
  }
});

test("[EX29] terminal escape codes in an agent's text do not reach the terminal", async () => {
  const file = usedUp();
  const item = { type: "agent_message", text: "\u001b[2J\u001b]0;owned\u0007STATUS: done" };
  writeFileSync(file, `${JSON.stringify({ type: "item.completed", item })}\n{"type":"turn.completed","usage":{}}\n`);
  const called = await pawl(["executor", "read", "codex", file], { home: tempDir("pawl-read-home-") });
  expect(called.stdout).not.toContain("\u001b");
  expect(called.stdout).toMatch(/^ok\n[^]*\nSTATUS: done\n$/);
});
