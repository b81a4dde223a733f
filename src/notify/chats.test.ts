// Chat and push services: exactly what each is sent. Real requests to a server that plays the service.

import { expect, test } from "vitest";
import {
  about,
  answers,
  call,
  foot,
  how,
  link,
  notice,
  played,
  secret,
  title,
  why,
} from "../../test/support/chat-services.ts";

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
