// Chat and push services: hostile and long texts, and services that are slow, refuse, hang or redirect.

import { describe, expect, test } from "vitest";
import {
  call,
  configOf,
  failed,
  how,
  type Kind,
  kinds,
  link,
  notice,
  played,
  secret,
  taken,
  targetAt,
} from "../../test/support/chat-services.ts";
import { playService } from "../../test/support/played-service.ts";
import type { Notice } from "./target.ts";
import { openTargets } from "./targets.ts";

// oxlint-disable-next-line typescript/no-explicit-any -- a form of another service each
type Form = any;

const slackIsHarmless = (form: Form) => {
  // `plain_text` alone, and no control sign of Slack in it.
  expect(JSON.stringify(form)).not.toMatch(/<|"mrkdwn":true|"type":"mrkdwn"/);
  expect(JSON.stringify(form)).toContain("&lt;!channel&gt;");
};

const harmless: Record<Kind, (form: Form) => void> = {
  ntfy: (form) => expect(form).not.toHaveProperty("markdown"),
  "slack hook": slackIsHarmless,
  "slack bot": slackIsHarmless,
  discord: (form) => {
    expect(form.allowed_mentions).toEqual({ parse: [] });
    expect(form.content).not.toMatch(/(?<!\\)[[\]()<]|(?<!\\)\*\*x|@everyone|https:\/\//);
  },
  telegram: (form) => {
    expect(form).not.toHaveProperty("parse_mode");
    expect(form.text).not.toMatch(/@everyone|@admin/);
  },
};

const slackLengths = ({ blocks: [header, ...blocks] }: Form) => [
  { is: header.text.text.length, most: 150 },
  ...blocks.flatMap(({ text }: Form) => (text ? [{ is: text.text.length, most: 3_000 }] : [])),
  ...blocks.at(-1).elements.flatMap(({ text, url }: Form) => [
    { is: text.text.length, most: 75 },
    { is: url.length, most: 3_000 },
  ]),
];

/** What each service takes at most. */
const lengthsOf: Record<Kind, (form: Form) => readonly { readonly is: number; readonly most: number }[]> = {
  ntfy: ({ message }) => [{ is: Buffer.byteLength(message), most: 4_096 }],
  "slack hook": slackLengths,
  "slack bot": slackLengths,
  discord: ({ content, components: [row] }) => [
    { is: content.length, most: 2_000 },
    ...row.components.flatMap(({ label, url }: Form) => [
      { is: label.length, most: 80 },
      { is: url.length, most: 512 },
    ]),
  ],
  telegram: ({ text }) => [{ is: text.length, most: 4_096 }],
};

/** Every text in it. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

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
    harmless[kind](sent?.json);
    for (const { is, most } of lengthsOf[kind](sent?.json)) expect(is).toBeLessThanOrEqual(most);
  });

  test("[PU7] names and addresses that phones and chats make links of are broken, in every text", async () => {
    const { service, target } = await played(kind);
    const evil = "evil.com, www.evil.co.uk/x, 10.11.12.13, https://evil.com, tg://evil, 例え.テスト, версия.рф";
    const gate = notice.gate && { ...notice.gate, feedback: evil, options: ["approve", "evil.com"] };
    const run = { ...notice.run, task: evil, workflow: "evil.com" };
    await target.deliver({ ...notice, text: evil, gate, run, story: "evil.com", step: "evil.com" }, call());
    const { json } = service.requests[0] ?? {};
    const said = textsOf(json).filter((text) => !text.startsWith(link));
    expect(said.join("\n").replaceAll(/[\u200b\\]/g, "")).toContain("www.evil.co.uk/x, 10.11.12.13");
    for (const text of said) expect(text).not.toMatch(/evil\.co|\.uk|10\.11\.12\.13|:\/\/|え\.テ|я\.р/);
  });

  test("[PU1] the longest texts fit", async () => {
    const { service, target } = await played(kind);
    for (const sign of ["é", "🙂", "&", "*", "\n", "漢.漢"]) {
      const long = sign.repeat(4_000);
      const gate = notice.gate && { ...notice.gate, feedback: long, options: [sign.repeat(300), "no"] };
      await target.deliver({ ...notice, text: long, gate, run: { ...notice.run, task: long, workflow: long } }, call());
      const { json } = service.requests.at(-1) ?? {};
      for (const { is, most } of lengthsOf[kind](json)) expect(is).toBeLessThanOrEqual(most);
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
      json: { ok: false, description: "no", error: path.slice(0, 4), got: [path, headers.authorization] },
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
