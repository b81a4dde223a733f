// `notify` in configuration files.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agents } from "../../../test/support/agents.ts";
import { tempDir } from "../../../test/support/repository.ts";
import { messageKinds } from "../../domain/effect.ts";
import { AppError } from "../../domain/error.ts";
import { secretVariables } from "../../notify/target.ts";
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

test("[PU14] chat and push services, with what is usual where nothing is said", async () => {
  const { notify } = await configOf(`
notify:
  - { kind: ntfy, topic: my-runs }
  - { kind: ntfy, name: own, url: "http://10.0.0.1:8080", topic: t, token_env: NTFY_TOKEN, allow_private: true }
  - { kind: slack, url_env: SLACK_HOOK }
  - { kind: slack, token_env: SLACK_TOKEN, channel: C0123456789 }
  - { kind: discord, url: "https://discord.com/api/webhooks/1/a" }
  - { kind: telegram, token_env: BOT, chat: -100123 }
  - { kind: telegram, token_env: BOT, chat: "@my_channel", api_url: "https://bots.example.com/" }
`);
  const on = ["needs_you", "run_failed"];
  const open = { on, allowPrivate: false };
  expect(notify).toEqual([
    { kind: "ntfy", name: "ntfy-1", ...open, url: "https://ntfy.sh", topic: "my-runs", tokenEnv: null },
    {
      kind: "ntfy",
      name: "own",
      on,
      url: "http://10.0.0.1:8080",
      topic: "t",
      tokenEnv: "NTFY_TOKEN",
      allowPrivate: true,
    },
    { kind: "slack", name: "slack-3", ...open, by: { urlEnv: "SLACK_HOOK" } },
    {
      kind: "slack",
      name: "slack-4",
      ...open,
      by: { tokenEnv: "SLACK_TOKEN", channel: "C0123456789", apiUrl: "https://slack.com/api" },
    },
    { kind: "discord", name: "discord-5", ...open, by: { url: "https://discord.com/api/webhooks/1/a" } },
    {
      kind: "telegram",
      name: "telegram-6",
      ...open,
      tokenEnv: "BOT",
      chat: "-100123",
      apiUrl: "https://api.telegram.org",
    },
    {
      kind: "telegram",
      name: "telegram-7",
      ...open,
      tokenEnv: "BOT",
      chat: "@my_channel",
      apiUrl: "https://bots.example.com",
    },
  ]);
  expect(notify.flatMap(secretVariables)).toEqual(["NTFY_TOKEN", "SLACK_HOOK", "SLACK_TOKEN", "BOT", "BOT"]);
});

describe("[PU14 NO18] what is wrong with a service is said with its place", () => {
  test.each([
    ["[{ kind: ntfy }]", "notify.0.topic: "],
    ["[{ kind: ntfy, topic: 'a/b' }]", "notify.0.topic: a topic of letters"],
    ['[{ kind: ntfy, topic: a, url: "http://192.168.1.2" }]', "notify.0.url: 192.168.1.2 is not a public address"],
    ["[{ kind: slack }]", "notify.0: it needs either url or url_env"],
    ['[{ kind: slack, url: "https://a.example", url_env: A }]', "notify.0: it needs either url or url_env"],
    ["[{ kind: slack, token_env: A }]", "notify.0: a bot has token_env and channel"],
    ["[{ kind: slack, token_env: A, channel: C0123456789, url_env: B }]", "notify.0: a bot has token_env and channel"],
    ["[{ kind: slack, token_env: A, channel: '#general' }]", "notify.0.channel: the id of a channel"],
    ['[{ kind: slack, url: "http://localhost/x" }]', "notify.0.url: localhost is not a public address"],
    ["[{ kind: discord }]", "notify.0: it needs either url or url_env"],
    ['[{ kind: discord, url: "ftp://a.example" }]', "notify.0.url: not an address"],
    ["[{ kind: telegram, chat: 1 }]", "notify.0.token_env: "],
    ["[{ kind: telegram, token_env: A, chat: 'me/../x' }]", "notify.0.chat: the number of a chat"],
    ['[{ kind: telegram, token_env: A, chat: 1, api_url: "http://127.0.0.1" }]', "notify.0.api_url: 127.0.0.1 is not"],
    ["[{ kind: telegram, token: abc, token_env: A, chat: 1 }]", "notify.0: "],
  ])("%s", async (written, problem) => {
    expect(await problemOf(written)).toContain(problem);
  });
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
