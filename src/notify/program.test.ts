// Targets that are programs: commands, and what the desktop is asked with.

import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../test/support/repository.ts";
import { tellCommand } from "./command.ts";
import { commandFor, tellDesktop } from "./desktop.ts";
import type { Notice } from "./target.ts";

const notice: Notice = {
  id: "k3x.41",
  event: "needs_you",
  run: { id: "k3x", number: 3, workflow: "feature-dev", task: "Add it", status: "held" },
  story: "US-001",
  step: "code",
  text: '-e $(touch owned) "quoted" <b>bold</b> & more',
  gate: null,
  at: "2026-01-31T12:00:00.000Z",
};
const call = { at: 0, signal: new AbortController().signal };
const shell = (script: string, env: string[] = []) => ({ command: ["/bin/sh", "-c", script] as const, env });

test("[NO16 X26] a command gets the document on stdin, runs in the directory it was given, and exit code 0 is yes", async () => {
  const dir = tempDir();
  const around = { dir, env: process.env };
  expect(await tellCommand(shell("cat > got"), around, notice, call)).toEqual({ outcome: "delivered" });
  expect(JSON.parse(readFileSync(join(dir, "got"), "utf8"))).toEqual(notice);
});

test("[NO16] it sees only what it may", async () => {
  const dir = tempDir();
  const env = { PATH: process.env["PATH"], MAIL_TOKEN: "t", PAWL_HOOK_SECRET: "s" };
  await tellCommand(shell("env > got", ["MAIL_TOKEN"]), { dir, env }, notice, call);
  const seen = readFileSync(join(dir, "got"), "utf8");
  expect(seen).toContain("MAIL_TOKEN=t");
  expect(seen).not.toContain("PAWL_HOOK_SECRET");
});

test("[NO16] another exit code, no program or no end is a failure with a reason", async () => {
  const around = { dir: tempDir(), env: process.env };
  expect(await tellCommand(shell("echo no route >&2; exit 3"), around, notice, call)).toEqual({
    outcome: "failed",
    why: "exit code 3: no route",
  });
  const nothing = { command: ["/nowhere/at-all"] as const, env: [] };
  expect(await tellCommand(nothing, around, notice, call)).toMatchObject({ outcome: "failed" });
  const limit = new AbortController();
  setTimeout(() => limit.abort(new Error("no answer within 30 s")), 200);
  const endless = await tellCommand(shell("trap '' TERM; sleep 300; :"), around, notice, {
    at: 0,
    signal: limit.signal,
  });
  expect(endless).toEqual({ outcome: "failed", why: "no answer within 30 s" });
});

test("[NO17 X26] the desktop gets words as arguments, never as an option, markup or script", async () => {
  const dir = tempDir();
  writeFileSync(join(dir, "notify-send"), `#!/bin/sh\nprintf '%s\\n' "$@" > ${dir}/got\n`);
  chmodSync(join(dir, "notify-send"), 0o755);
  const around = { dir, env: { PATH: `${dir}:/usr/bin:/bin` } };
  expect(await tellDesktop(around, notice, call, "linux")).toEqual({ outcome: "delivered" });
  expect(readFileSync(join(dir, "got"), "utf8").split("\n")).toEqual([
    "--app-name=Pawl",
    "--",
    "Pawl: run #3",
    '-e $(touch owned) "quoted" &lt;b&gt;bold&lt;/b&gt; &amp; more',
    "",
  ]);
  expect(existsSync(join(dir, "owned"))).toBe(false);
  expect(commandFor("darwin", "Pawl: run #3", notice.text)?.slice(-3)).toEqual([
    "end run",
    "Pawl: run #3",
    notice.text,
  ]);
});

test("[NO17] where there is no desktop the message is dropped, with the reason", async () => {
  const around = { dir: tempDir(), env: { PATH: "/nowhere" } };
  expect(await tellDesktop(around, notice, call, "linux")).toMatchObject({
    outcome: "dropped",
    why: expect.stringContaining("notify-send"),
  });
  expect(await tellDesktop(around, notice, call, "win32")).toMatchObject({ outcome: "dropped" });
});
