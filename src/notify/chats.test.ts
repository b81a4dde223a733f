// Chat and push services: exactly what each is sent, and what its answers mean. Real requests to a server that plays the service.

import { describe, expect, test } from "vitest";
import { type PlayedAnswer, type PlayedService, playService } from "../../test/support/played-service.ts";
import type { DeliveryCall, Notice, Target, TargetConfig } from "./target.ts";
import { openTargets } from "./targets.ts";

const link = "https://pawl.example.com/g/LINK";
const notice: Notice = {
  id: "k3x.41",
  event: "needs_you",
  run: { id: "k3x", number: 3, workflow: "feature-dev", task: "Add a dark mode\nwith tests", status: "held" },
  story: "US-001",
  step: "review",
  text: "Is it good?",
  gate: {
    id: "k3x.US-001.1",
    options: ["approve", "send back"],
    cause: "exhausted",
    feedback: "Two tests fail.",
    tree: null,
    deadline: { at: "2026-01-31T18:00:00.000Z", option: "approve" },
    link,
  },
  at: "2026-01-31T12:00:00.000Z",
};
const failed: Notice = {
  ...notice,
  event: "run_failed",
  story: null,
  step: null,
  text: "The run failed: no",
  gate: null,
};
const how = "It was answered with “approve” by user:ada.";
const answers = { approve: `${link}?answer=approve`, "send back": `${link}?answer=send%20back` };
const title = "Run #3 (feature-dev) needs you";
const about = "Add a dark mode · US-001 · review";
const why = "A limit is exhausted.\nTwo tests fail.";
const foot = "Without an answer by Sat, 31 Jan 2026 18:00:00 GMT: approve.";
const secret = "123:s3cret-token";

const call = (more: Partial<DeliveryCall> = {}): DeliveryCall => ({
  at: 1_769_860_800_000,
  signal: new AbortController().signal,
  ...more,
});

type Kind = "ntfy" | "slack hook" | "slack bot" | "discord" | "telegram";
const kinds: readonly Kind[] = ["ntfy", "slack hook", "slack bot", "discord", "telegram"];

function configOf(kind: Kind, url: string, allowPrivate: boolean): TargetConfig {
  const common = { name: "chat", on: ["needs_you"], allowPrivate } as const;
  switch (kind) {
    case "ntfy":
      return { kind: "ntfy", ...common, url, topic: "my-topic", tokenEnv: "TOKEN" };
    case "slack hook":
      return { kind: "slack", ...common, by: { url: `${url}/services/T/B/X` } };
    case "slack bot":
      return { kind: "slack", ...common, by: { tokenEnv: "TOKEN", channel: "C0123456789", apiUrl: `${url}/api` } };
    case "discord":
      return { kind: "discord", ...common, by: { urlEnv: "HOOK" } };
    case "telegram":
      return { kind: "telegram", ...common, tokenEnv: "TOKEN", chat: "-100123", apiUrl: url };
  }
}

function targetAt(kind: Kind, url: string, allowPrivate = true): Required<Pick<Target, "deliver" | "mark">> & Target {
  const env = { TOKEN: secret, HOOK: `${url}/api/webhooks/1/abc?thread_id=9` };
  const [target] = openTargets([configOf(kind, url, allowPrivate)], env, ".");
  if (!target?.mark) throw new Error(`${kind} cannot mark`);
  return { ...target, mark: target.mark };
}

/** What each service says when it has taken a message. */
const taken: Record<Kind, PlayedAnswer> = {
  ntfy: { status: 200, json: { id: "xyz", event: "message" } },
  "slack hook": { status: 200 },
  "slack bot": { status: 200, json: { ok: true, channel: "C0123456789", ts: "1503435956.000247" } },
  discord: { status: 200, json: { id: "1234567890" } },
  telegram: { status: 200, json: { ok: true, result: { message_id: 77 } } },
};

async function played(kind: Kind): Promise<{ service: PlayedService; target: ReturnType<typeof targetAt> }> {
  const service = await playService();
  service.answer = () => taken[kind];
  return { service, target: targetAt(kind, service.url) };
}

test("[PU1 PU2 PU3 PU10] ntfy: published as JSON with its answers as actions, and replaced under the same sequence id", async () => {
  const { service, target } = await played("ntfy");
  const delivery = await target.deliver(notice, call());
  const sequence = service.requests[0]?.json.sequence_id;
  expect(sequence).toMatch(/^pawl-[0-9a-f]{24}$/);
  expect(delivery).toEqual({ outcome: "delivered", receipt: sequence });
  expect(service.requests[0]).toMatchObject({
    method: "POST",
    path: "/",
    headers: { authorization: `Bearer ${secret}` },
  });
  expect(service.requests[0]?.json).toEqual({
    topic: "my-topic",
    title,
    message: [about, "Is it good?", why, foot].join("\n\n"),
    sequence_id: sequence,
    priority: 4,
    tags: ["raising_hand"],
    click: link,
    actions: [
      { action: "view", label: "approve", url: answers.approve, clear: true },
      { action: "view", label: "send back", url: answers["send back"], clear: true },
    ],
  });
  // Again, after a crash: the same id, so it takes the place of the first.
  await target.deliver(notice, call());
  expect(service.requests[1]?.json).toEqual(service.requests[0]?.json);

  expect(await target.mark(notice, { receipt: sequence, how }, call())).toEqual({ outcome: "delivered" });
  expect(service.requests[2]?.json).toEqual({
    topic: "my-topic",
    title: "Run #3 (feature-dev) asked",
    message: [about, "Is it good?", how].join("\n\n"),
    sequence_id: sequence,
    priority: 2,
    tags: ["white_check_mark"],
  });
});

test("[PU3] ntfy: more answers than it has buttons are behind a tap on the message", async () => {
  const { service, target } = await played("ntfy");
  const gate = notice.gate && { ...notice.gate, options: ["a", "b", "c", "d"] };
  await target.deliver({ ...notice, gate }, call());
  expect(service.requests[0]?.json).not.toHaveProperty("actions");
  expect(service.requests[0]?.json.click).toBe(link);
});

const plain = (text: string) => ({ type: "plain_text", text, emoji: false });
const slackForm = {
  text: `${title}: Is it good?`,
  mrkdwn: false,
  unfurl_links: false,
  unfurl_media: false,
  blocks: [
    { type: "header", text: plain(title) },
    { type: "context", elements: [plain(about)] },
    { type: "section", text: plain("Is it good?") },
    { type: "section", text: plain(why) },
    { type: "section", text: plain(foot) },
    {
      type: "actions",
      elements: [
        { type: "button", action_id: "answer-0", text: plain("approve"), url: answers.approve },
        { type: "button", action_id: "answer-1", text: plain("send back"), url: answers["send back"] },
      ],
    },
  ],
};
const slackOver = {
  ...slackForm,
  text: "Run #3 (feature-dev) asked: Is it good?",
  blocks: [
    { type: "header", text: plain("Run #3 (feature-dev) asked") },
    { type: "context", elements: [plain(about)] },
    { type: "section", text: plain("Is it good?") },
    { type: "section", text: plain(how) },
  ],
};

test("[PU1 PU2 PU4 PU10] Slack by a webhook: blocks with link buttons, and a message of its own when the question is over", async () => {
  const { service, target } = await played("slack hook");
  expect(await target.deliver(notice, call())).toEqual({ outcome: "delivered", receipt: "hook" });
  await target.mark(notice, { receipt: "hook", how }, call());
  expect(service.requests.map(({ method, path, json }) => [method, path, json])).toEqual([
    ["POST", "/services/T/B/X", slackForm],
    ["POST", "/services/T/B/X", slackOver],
  ]);
});

test("[PU1 PU2 PU4 PU10] Slack by a bot: chat.postMessage, then chat.update of that message", async () => {
  const { service, target } = await played("slack bot");
  const receipt = "C0123456789:1503435956.000247";
  expect(await target.deliver(notice, call())).toEqual({ outcome: "delivered", receipt });
  expect(await target.mark(notice, { receipt, how }, call())).toEqual({ outcome: "delivered" });
  expect(service.requests.map(({ path, json }) => [path, json])).toEqual([
    ["/api/chat.postMessage", { channel: "C0123456789", ...slackForm }],
    ["/api/chat.update", { channel: "C0123456789", ts: "1503435956.000247", ...slackOver }],
  ]);
  expect(service.requests.map(({ headers }) => headers.authorization)).toEqual([
    `Bearer ${secret}`,
    `Bearer ${secret}`,
  ]);

  service.answer = () => ({ status: 200, json: { ok: false, error: "invalid_auth" } });
  expect(await target.deliver(notice, call())).toEqual({ outcome: "failed", why: "Slack refused it: invalid_auth" });
  service.answer = () => ({ status: 200, json: { ok: false, error: "message_not_found" } });
  expect(await target.mark(notice, { receipt, how }, call())).toMatchObject({ outcome: "dropped" });
});

test("[PU1 PU2 PU5 PU10] Discord: link buttons by the webhook, nobody is mentioned, and the message is edited", async () => {
  const { service, target } = await played("discord");
  expect(await target.deliver(notice, call())).toEqual({ outcome: "delivered", receipt: "1234567890" });
  await target.mark(notice, { receipt: "1234567890", how }, call());
  const [sent, edited] = service.requests;
  expect([sent?.method, sent?.path]).toEqual([
    "POST",
    "/api/webhooks/1/abc?thread_id=9&wait=true&with_components=true",
  ]);
  expect(sent?.json).toEqual({
    content: expect.stringMatching(/^\*\*Run \\#3 \\\(feature\\-dev\\\) needs you\*\*\n\nAdd a dark mode/),
    allowed_mentions: { parse: [] },
    flags: 4,
    components: [
      {
        type: 1,
        components: [
          { type: 2, style: 5, label: "approve", url: answers.approve },
          { type: 2, style: 5, label: "send back", url: answers["send back"] },
        ],
      },
    ],
  });
  expect([edited?.method, edited?.path]).toEqual([
    "PATCH",
    "/api/webhooks/1/abc/messages/1234567890?thread_id=9&with_components=true",
  ]);
  expect(edited?.json).toMatchObject({ components: [], allowed_mentions: { parse: [] } });
  expect(edited?.json.content).toContain("It was answered with “approve”");

  service.answer = () => ({ status: 404, json: { code: 10_008, message: "Unknown Message" } });
  expect(await target.mark(notice, { receipt: "1", how }, call())).toMatchObject({ outcome: "dropped" });
  service.answer = () => ({ status: 404, json: { code: 10_015, message: "Unknown Webhook" } });
  expect(await target.mark(notice, { receipt: "1", how }, call())).toMatchObject({ outcome: "failed" });
});

test("[PU1 PU2 PU6 PU10] Telegram: a message without a parse mode and with URL buttons, then edited", async () => {
  const { service, target } = await played("telegram");
  expect(await target.deliver(notice, call())).toEqual({ outcome: "delivered", receipt: "77" });
  await target.mark(notice, { receipt: "77", how }, call());
  const [sent, edited] = service.requests;
  // A space without width keeps `#3` from becoming a tag.
  const bold = "Run #\u200b3 (feature-dev) needs you";
  expect(sent?.path).toBe(`/bot${secret}/sendMessage`);
  expect(sent?.json).toEqual({
    chat_id: "-100123",
    text: [bold, about, "Is it good?", why, foot].join("\n\n"),
    entities: [{ type: "bold", offset: 0, length: bold.length }],
    link_preview_options: { is_disabled: true },
    reply_markup: {
      inline_keyboard: [
        [{ text: "approve", url: answers.approve }],
        [{ text: "send back", url: answers["send back"] }],
      ],
    },
  });
  expect(edited?.path).toBe(`/bot${secret}/editMessageText`);
  expect(edited?.json).toMatchObject({ chat_id: "-100123", message_id: 77, reply_markup: { inline_keyboard: [] } });
  expect(edited?.json.text).toContain(how);

  const refuse = (description: string) => () => ({ status: 400, json: { ok: false, error_code: 400, description } });
  service.answer = refuse("Bad Request: message is not modified: it is the same");
  expect(await target.mark(notice, { receipt: "77", how }, call())).toEqual({ outcome: "delivered" });
  service.answer = refuse("Bad Request: message to edit not found");
  expect(await target.mark(notice, { receipt: "77", how }, call())).toMatchObject({ outcome: "dropped" });
  service.answer = refuse("Bad Request: chat not found");
  expect(await target.deliver(notice, call())).toEqual({
    outcome: "failed",
    why: "it answered 400: Bad Request: chat not found",
  });
});

describe.each(kinds)("%s", (kind) => {
  test("[PU1] other events have no question, no answers and no deadline", async () => {
    const { service, target } = await played(kind);
    expect(await target.deliver(failed, call())).toMatchObject({ outcome: "delivered" });
    const text = JSON.stringify(service.requests[0]?.json);
    expect(text).toContain("has failed");
    expect(text).toContain("The run failed");
    for (const word of ["/g/", "answer", "Without an answer"]) expect(text).not.toContain(word);
  });

  test("[PU2] without an address of the service it says what to type", async () => {
    const { service, target } = await played(kind);
    const { link: _, ...gate } = notice.gate ?? { link };
    await target.deliver({ ...notice, gate: gate as Notice["gate"] }, call());
    const text = JSON.stringify(service.requests[0]?.json).replaceAll(/\\\\|\u200b/g, "");
    expect(text).toContain("pawl answer k3x.US-001.1 approve | send back");
    expect(text).not.toContain("/g/LINK");
  });

  test("[PU7] a hostile text mentions nobody, makes no link, hides nothing and keeps the form", async () => {
    const { service, target } = await played(kind);
    const evil =
      '<!channel> <@U1> @everyone @admin [safe](https://evil.example) <https://evil.example|safe> **x** `"}], \u202Etxt\u0007 \u0000 \ud800 &lt;';
    const gate = notice.gate && { ...notice.gate, feedback: evil, options: ["approve", `<!here>"]`] };
    const hostile = {
      ...notice,
      text: evil,
      gate,
      run: { ...notice.run, task: evil, workflow: `${evil}${"w".repeat(500)}` },
    };
    expect(await target.deliver(hostile, call())).toMatchObject({ outcome: "delivered" });
    const sent = service.requests[0];
    const text = JSON.stringify(sent?.json);
    expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069]|\\u0007|\\u0000|\\ud800/);
    expect(sent?.bytes.length).toBeLessThan(6_000);
    if (kind.startsWith("slack")) {
      // `plain_text` alone, and no control sign of Slack in it.
      expect(text).not.toMatch(/<|"mrkdwn":true|"type":"mrkdwn"/);
      expect(text).toContain("&lt;!channel&gt;");
    }
    if (kind === "discord") {
      expect(sent?.json.allowed_mentions).toEqual({ parse: [] });
      expect(sent?.json.content).not.toMatch(/(?<!\\)[[\]()<]|(?<!\\)\*\*x|@everyone|https:\/\//);
      expect(sent?.json.content.length).toBeLessThanOrEqual(2_000);
    }
    if (kind === "telegram") {
      expect(sent?.json).not.toHaveProperty("parse_mode");
      expect(sent?.json.text).not.toMatch(/@everyone|@admin/);
      expect(sent?.json.text.length).toBeLessThanOrEqual(4_096);
    }
    if (kind === "ntfy") {
      expect(sent?.json).not.toHaveProperty("markdown");
      expect(Buffer.byteLength(sent?.json.message)).toBeLessThanOrEqual(4_096);
    }
  });

  test("[PU1] the longest texts fit", async () => {
    const { service, target } = await played(kind);
    for (const sign of ["é", "🙂", "&", "*", "\n"]) {
      const long = sign.repeat(4_000);
      const gate = notice.gate && { ...notice.gate, feedback: long, options: [sign.repeat(300), "no"] };
      await target.deliver({ ...notice, text: long, gate, run: { ...notice.run, task: long, workflow: long } }, call());
      const { json } = service.requests.at(-1) ?? {};
      if (kind === "ntfy") expect(Buffer.byteLength(json.message)).toBeLessThanOrEqual(4_096);
      if (kind === "discord") expect(json.content.length).toBeLessThanOrEqual(2_000);
      if (kind === "telegram") expect(json.text.length).toBeLessThanOrEqual(4_096);
      if (kind.startsWith("slack"))
        for (const { text } of json.blocks)
          expect(text?.text.length ?? 0).toBeLessThanOrEqual(text?.type === "header" ? 150 : 3_000);
    }
  });

  test("[PU8] a slow answer is an answer", async () => {
    const { service, target } = await played(kind);
    let release = () => undefined as void;
    const after = new Promise<void>((resolve) => (release = resolve));
    service.answer = () => ({ ...taken[kind], after });
    const delivery = target.deliver(notice, call());
    await expect.poll(() => service.unanswered).toBe(1);
    release();
    expect(await delivery).toMatchObject({ outcome: "delivered" });
  });

  test("[PU8] 429 says how long to wait; 500, a redirect and a refused connection are failures", async () => {
    const { service, target } = await played(kind);
    const body =
      kind === "discord"
        ? { retry_after: 7.25 }
        : kind === "telegram"
          ? { ok: false, parameters: { retry_after: 7.25 } }
          : {};
    service.answer = () => ({ status: 429, headers: { "retry-after": "7.25" }, json: body });
    expect(await target.deliver(notice, call())).toEqual({
      outcome: "failed",
      why: "it answered 429",
      retryAfterMs: 7_250,
    });
    service.answer = () => ({ status: 500, json: {} });
    expect(await target.deliver(notice, call())).toEqual({ outcome: "failed", why: "it answered 500" });
    const elsewhere = await playService();
    service.answer = () => ({ status: 307, headers: { location: elsewhere.url }, json: {} });
    expect(await target.deliver(notice, call())).toMatchObject({
      outcome: "failed",
      why: expect.stringContaining("307"),
    });
    expect(elsewhere.requests).toEqual([]);
    await service.down();
    const refused = await target.deliver(notice, call());
    expect(refused).toMatchObject({ outcome: "failed", why: expect.stringContaining("ECONNREFUSED") });
  });

  test("[PU8] one that hangs is left when the time is over", async () => {
    const { service, target } = await played(kind);
    service.answer = () => null;
    const limit = new AbortController();
    const delivery = target.deliver(notice, call({ signal: limit.signal }));
    await expect.poll(() => service.unanswered).toBe(1);
    limit.abort(new Error("no answer within 10 s"));
    expect(await delivery).toEqual({ outcome: "failed", why: "no answer within 10 s" });
  });

  test("[PU8] nothing is sent to an address that is not public", async () => {
    const { service } = await played(kind);
    const strict = targetAt(kind, service.url, false);
    for (const delivery of [
      await strict.deliver(notice, call()),
      await strict.mark(notice, { receipt: "1:2", how }, call()),
    ])
      expect(delivery).toMatchObject({ outcome: "failed", why: expect.stringContaining("not a public address") });
    expect(service.requests).toEqual([]);
  });

  test("[PU13] a failure never has the token or the address in it", async () => {
    const { service, target } = await played(kind);
    service.answer = ({ path, headers }) => ({
      status: 400,
      json: { ok: false, description: "no", error: `${path.slice(0, 4)}`, got: [path, headers.authorization] },
    });
    const refused = JSON.stringify(await target.deliver(notice, call()));
    await service.down();
    const unreachable = JSON.stringify(await target.deliver(notice, call()));
    for (const text of [refused, unreachable]) {
      expect(text).toContain("failed");
      for (const word of [secret, "webhooks", "services", "/api"]) expect(text).not.toContain(word);
    }
  });
});

test("[PU13 NO19] without its variable a target says what is missing", () => {
  const missing = (kind: Kind, env: Record<string, string>) =>
    openTargets([configOf(kind, "https://chat.example.com", false)], env, ".")[0]?.missing()?.what;
  expect(missing("telegram", {})).toBe("the token of chat is not there: TOKEN is not set");
  expect(missing("discord", {})).toBe("the address of chat is not there: HOOK is not set");
  expect(missing("slack bot", { TOKEN: "two words" })).toContain("characters that no token has");
  for (const HOOK of ["ftp://a.example", "nothing", "http://127.0.0.1/x"])
    expect(missing("discord", { HOOK })).toContain("not a public address");
  expect(missing("discord", { HOOK: "https://discord.com/api/webhooks/1/a" })).toBeUndefined();
  expect(missing("ntfy", { TOKEN: secret })).toBeUndefined();
  expect(missing("slack hook", {})).toBeUndefined();
});
