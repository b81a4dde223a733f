// Slack: an incoming webhook, or a bot whose messages can be edited. Every text is a `plain_text` with its `<`, `>` and `&` escaped, so
// nothing in it mentions people or looks like a link of ours.

import { failedFor, judgeAnswer } from "./answer.ts";
import type { Answered } from "./request.ts";
import { callService, reasonIn, receiptIn, type ServiceSaid } from "./service.ts";
import type { Delivery, DeliveryCall, Notice, QuestionOver } from "./target.ts";
import { cut, type MessageWords, messageWords, paragraphsOf, wordsWhenOver } from "./words.ts";

export type SlackPlace = { readonly allowPrivate: boolean } & (
  | { readonly hook: string }
  | { readonly api: string; readonly token: string; readonly channel: string }
);

const mostButtons = 10;
const mostLabel = 75;
const mostTitle = 150;
/** Errors of `chat.update` that no retry changes. */
const notThere = new Set(["message_not_found", "cant_update_message", "edit_window_closed"]);

export async function postToSlack(place: SlackPlace, notice: Notice, call: DeliveryCall): Promise<Delivery> {
  const form = formOf(messageWords(notice));
  if ("hook" in place) return await byHook(place, form, call);
  return await byBot(place, "chat.postMessage", { channel: place.channel, ...form }, call, ({ channel, ts }) => ({
    outcome: "delivered",
    ...receiptIn(`${String(channel)}:${String(ts)}`),
  }));
}

/** A webhook cannot edit: it sends a short message that says which question is over. */
export async function markInSlack(
  place: SlackPlace,
  notice: Notice,
  { receipt, how }: QuestionOver,
  call: DeliveryCall,
): Promise<Delivery> {
  const form = formOf(wordsWhenOver(notice, how));
  if ("hook" in place) return await byHook(place, form, call);
  const [channel, ts] = receipt.split(":");
  return await byBot(place, "chat.update", { channel, ts, ...form }, call, () => ({ outcome: "delivered" }));
}

async function byHook(
  { hook, allowPrivate }: Extract<SlackPlace, { hook: string }>,
  json: object,
  { signal }: DeliveryCall,
): Promise<Delivery> {
  return await callService({ method: "POST", url: new URL(hook), json, allowPrivate, signal }, (answer) => {
    const delivery = judgeAnswer(answer);
    return delivery.outcome === "delivered" ? { ...delivery, receipt: "hook" } : delivery;
  });
}

async function byBot(
  { api, token, allowPrivate }: Extract<SlackPlace, { api: string }>,
  method: string,
  json: object,
  { signal }: DeliveryCall,
  taken: (said: ServiceSaid) => Delivery,
): Promise<Delivery> {
  const url = new URL(`${api}/${method}`);
  const headers = { Authorization: `Bearer ${token}` };
  return await callService({ method: "POST", url, headers, json, allowPrivate, signal }, (answer, said) =>
    readAnswer(answer, said, taken),
  );
}

/** Slack answers 200 with `ok: false` where it refuses. */
function readAnswer(answer: Answered, said: ServiceSaid, taken: (said: ServiceSaid) => Delivery): Delivery {
  const judged = judgeAnswer(answer);
  if (judged.outcome !== "delivered") return judged;
  if (said["ok"] === true) return taken(said);
  const error = reasonIn(said["error"]);
  if (notThere.has(error)) return { outcome: "dropped", why: `Slack refused the change: ${error}` };
  return failedFor(`Slack refused it: ${error || "no reason was given"}`, null);
}

function formOf(words: MessageWords): object {
  const [about = "", ...rest] = paragraphsOf(words);
  const buttons = words.answers.slice(0, mostButtons).map(({ label, url }, index) => ({
    type: "button",
    action_id: `answer-${index}`,
    text: plain(label, mostLabel),
    url,
  }));
  return {
    // What a notification shows.
    text: escaped(`${words.title}: ${words.text}`),
    mrkdwn: false,
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: "header", text: plain(words.title, mostTitle) },
      { type: "context", elements: [plain(about)] },
      ...rest.map((text) => ({ type: "section", text: plain(text) })),
      ...(buttons.length === 0 ? [] : [{ type: "actions", elements: buttons }]),
    ],
  };
}

/** `most`: with what was escaped. */
function plain(text: string, most = 3_000): object {
  let shown = text;
  while (escaped(shown).length > most) shown = cut(shown, shown.length - 1);
  return { type: "plain_text", text: escaped(shown), emoji: false };
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
