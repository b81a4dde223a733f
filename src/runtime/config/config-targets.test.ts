// `notify` in configuration files.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agents } from "../../../test/support/agents.ts";
import { tempDir } from "../../../test/support/repository.ts";
import { messageKinds } from "../../domain/effect.ts";
import { AppError } from "../../domain/error.ts";
import { type Config, readConfig } from "./config.ts";

async function configOf(own: string, theirs: string | null = null): Promise<Config> {
  const dir = tempDir();
  const file = join(dir, "config.yml");
  writeFileSync(file, own);
  if (theirs === null) return await readConfig(file, null, agents);
  mkdirSync(join(dir, ".pawl"));
  writeFileSync(join(dir, ".pawl", "config.yml"), theirs);
  return await readConfig(file, dir, agents);
}

async function problemOf(notify: string): Promise<string> {
  const error: unknown = await configOf(`notify: ${notify}`).catch((thrown: unknown) => thrown);
  if (!(error instanceof AppError)) throw new Error("it was accepted");
  expect([error.code, error.exitCode]).toEqual(["CONFIG_INVALID", 2]);
  expect(error.hint).not.toBe("");
  return error.message.replace(/^.*config\.yml: /, "");
}

test("[NO2 X26] targets of each kind, with what is usual where nothing is said", async () => {
  const { notify } = await configOf(`
notify:
  - { kind: webhook, url: "https://hooks.example.com/a?b", secret_env: PAWL_HOOK_SECRET }
  - { kind: webhook, name: inside, url: "http://10.0.0.1/", allow_private: true, on: [${messageKinds.join(", ")}] }
  - { kind: command, command: [mail, me] , env: [TOKEN] }
  - { kind: desktop }
`);
  const on = ["needs_you", "run_failed"];
  expect(notify).toEqual([
    {
      kind: "webhook",
      name: "webhook-1",
      on,
      url: "https://hooks.example.com/a?b",
      secretEnv: "PAWL_HOOK_SECRET",
      allowPrivate: false,
    },
    { kind: "webhook", name: "inside", on: messageKinds, url: "http://10.0.0.1/", secretEnv: null, allowPrivate: true },
    { kind: "command", name: "command-3", on, command: ["mail", "me"], env: ["TOKEN"] },
    { kind: "desktop", name: "desktop-4", on },
  ]);
  expect((await configOf("")).notify).toEqual([]);
});

describe("[NO18] what is wrong is said with its place", () => {
  test.each([
    ["[{ kind: webhook }]", "notify.0.url: "],
    ['[{ kind: webhook, url: "hooks.example.com" }]', "notify.0.url: not an address"],
    ['[{ kind: webhook, url: "" }]', "notify.0.url: not an address"],
    ['[{ kind: webhook, url: "ftp://example.com/" }]', "notify.0.url: not an address"],
    ['[{ kind: webhook, url: "file:///etc/passwd" }]', "notify.0.url: not an address"],
    ['[{ kind: webhook, url: "http://127.0.0.1/" }]', "notify.0.url: 127.0.0.1 is not a public address"],
    ['[{ kind: webhook, url: "http://[fd00::1]/" }]', "notify.0.url: fd00::1 is not a public address"],
    ['[{ kind: desktop }, { kind: webhook, url: "http://localhost/" }]', "notify.1.url: localhost is not"],
    ['[{ kind: webhook, url: "https://a.example", on: [everything] }]', "notify.0.on.0: "],
    ['[{ kind: webhook, url: "https://a.example", on: [] }]', "notify.0.on: "],
    ['[{ kind: webhook, url: "https://a.example", secret: abc }]', "notify.0: "],
    ['[{ kind: webhook, url: "https://a.example", secret_env: "$X" }]', "notify.0.secret_env: the name of a variable"],
    ["[{ kind: command, command: [] }]", "notify.0.command"],
    ["[{ kind: command, command: echo }]", "notify.0.command: "],
    ["[{ kind: pigeon }]", "notify.0.kind: "],
    ["[{ kind: desktop, name: 'a:b' }]", "notify.0.name: a name of small letters"],
    ["[{ kind: desktop, name: a }, { kind: desktop, name: a }]", 'notify: two targets have the name "a"'],
    ["{ kind: desktop }", "notify: "],
  ])("%s", async (written, problem) => {
    expect(await problemOf(written)).toContain(problem);
  });
});

test("[NO20] a repository cannot say who is told", async () => {
  const own = "notify: [{ kind: desktop }]";
  const theirs = 'notify: [{ kind: webhook, url: "https://elsewhere.example/" }]';
  const config = await configOf(own, theirs);
  expect(config.notify.map(({ kind }) => kind)).toEqual(["desktop"]);
  expect(config.warnings).toEqual([expect.stringContaining("may not choose who is notified")]);
});
