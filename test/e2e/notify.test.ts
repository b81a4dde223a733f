// Messages from the command line: a real `pawl`, a real receiver.

import { createHmac } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { expectCode, newSite, pawl, type Site, writeAt } from "../support/pawl.ts";
import { playService } from "../support/played-service.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";

const workflow = `pawl: 1
id: asking
steps:
  - { id: build, command: "true" }
  - { id: ask, gate: "Is it good?" }
`;

function configure(site: Site, receiver: Receiver, more = ""): void {
  const target = `{ kind: webhook, name: hook, url: "${receiver.url}", secret_env: HOOK_SECRET, on: [needs_you, run_done] ${more} }`;
  writeFileSync(join(site.home, "config.yml"), `notify: [${target}]\n`);
}

const call = (site: Site, args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  pawl(args, { home: site.home, cwd: site.repo, env });

test("[NO1 NO7 NO11 B75 B76] a run that asks sends a message, and so does the command that answers, at the end of the run", async () => {
  const receiver = await startReceiver();
  const site = newSite();
  configure(site, receiver, ", allow_private: true");
  const file = writeAt(site, "workflow.yml", workflow);
  const env = { HOOK_SECRET: "s3cret" };
  expectCode(await call(site, ["run", file, "Build it"], env), 3);
  expect(receiver.received.map(({ notice }) => notice.event)).toEqual(["needs_you"]);
  expect(receiver.received[0]?.notice).toMatchObject({
    run: { number: 1, workflow: "asking", task: "Build it", status: "held" },
    step: "ask",
    text: "Is it good?",
  });

  expectCode(await call(site, ["approve", "1"], env), 0);
  expect(receiver.received.map(({ notice }) => notice.event)).toEqual(["needs_you", "run_done"]);
  for (const { headers, body } of receiver.received) {
    const signed = createHmac("sha256", "s3cret")
      .update(`${String(headers["x-pawl-timestamp"])}.${body}`)
      .digest("hex");
    expect(headers["x-pawl-signature"]).toBe(`sha256=${signed}`);
  }
});

test("[NO18 NO19] a wrong address or a missing secret is reported before anything is recorded", async () => {
  const receiver = await startReceiver();
  const site = newSite();
  const file = writeAt(site, "workflow.yml", workflow);
  configure(site, receiver);
  const inside = await call(site, ["run", file, "Build it"], { HOOK_SECRET: "s3cret" });
  expectCode(inside, 2);
  expect(inside.stderr).toContain("error[CONFIG_INVALID]");
  expect(inside.stderr).toContain("notify.0.url: 127.0.0.1 is not a public address");

  configure(site, receiver, ", allow_private: true");
  const unsigned = await call(site, ["run", file, "Build it"]);
  expectCode(unsigned, 2);
  expect(unsigned.stderr).toContain("HOOK_SECRET is not set");
  expect(unsigned.stderr).toContain("hint: set HOOK_SECRET");
  expect((await site.json<{ runs: unknown[] }>(["runs"])).runs).toEqual([]);
  expect(receiver.received).toEqual([]);
});

test("[PU9 PU10 NO7] a question reaches ntfy once, with links, and the command that answers replaces it", async () => {
  const service = await playService();
  const site = newSite();
  const target = `{ kind: ntfy, name: phone, url: "${service.url}", topic: runs, token_env: NTFY_TOKEN, allow_private: true, on: [needs_you] }`;
  const configuration = `service: { public_url: "https://pawl.example.com" }\nnotify: [${target}]\n`;
  writeFileSync(join(site.home, "config.yml"), configuration);
  const file = writeAt(site, "workflow.yml", workflow);
  const env = { NTFY_TOKEN: "tk_of_the_test" };
  expectCode(await call(site, ["run", file, "Build it"], env), 3);
  expectCode(await call(site, ["status", "1"], env), 0);
  expect(service.requests.map(({ json }) => json.title)).toEqual(["Run #1 (asking) needs you"]);
  expect(service.requests[0]?.json.actions.map(({ url }: { url: string }) => url)).toEqual([
    expect.stringMatching(/^https:\/\/pawl\.example\.com\/g\/[\w.-]+\?answer=approve$/),
    expect.stringMatching(/\?answer=reject$/),
  ]);
  expectCode(await call(site, ["approve", "1"], env), 0);
  expect(service.requests.map(({ json }) => json.title)).toEqual([
    "Run #1 (asking) needs you",
    "Run #1 (asking) asked",
  ]);
  const [asked, over] = service.requests;
  expect(over?.json.sequence_id).toBe(asked?.json.sequence_id);
  expect(over?.json.message).toContain("It was answered with “approve” by user:");
  expect(over?.json).not.toHaveProperty("actions");
});
