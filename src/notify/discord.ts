// Discord: a webhook of a channel, whose messages can be edited. Nobody is mentioned, and every sign of Markdown is escaped: a text could
// otherwise show one address and lead to another.

import { failedFor, judgeAnswer } from "./answer.ts";
import type { Answered } from "./request.ts";
import { callService, receiptIn, type ServiceSaid } from "./service.ts";
import type { Delivery, DeliveryCall, Notice, QuestionOver } from "./target.ts";
import { cut, type MessageWords, messageWords, paragraphsOf, wordsWhenOver } from "./words.ts";

export interface DiscordHook {
  readonly hook: string;
  readonly allowPrivate: boolean;
}

const mostCharacters = 2_000;
const mostUrl = 512;
const inRow = 5;
const mostButtons = 10;
/** Addresses in a text get no preview. */
const noPreviews = 4;

export async function postToDiscord(place: DiscordHook, notice: Notice, call: DeliveryCall): Promise<Delivery> {
  const url = addressOf(place, "", { wait: "true", with_components: "true" });
  const json = formOf(messageWords(notice));
  const { allowPrivate } = place;
  return await callService({ method: "POST", url, json, allowPrivate, signal: call.signal }, (answer, said) => {
    const delivery = read(answer, said);
    return delivery.outcome === "delivered" ? { ...delivery, ...receiptIn(said["id"]) } : delivery;
  });
}

export async function editInDiscord(
  place: DiscordHook,
  notice: Notice,
  { receipt, how }: QuestionOver,
  call: DeliveryCall,
): Promise<Delivery> {
  const url = addressOf(place, `/messages/${receipt}`, { with_components: "true" });
  const json = formOf(wordsWhenOver(notice, how));
  const { allowPrivate } = place;
  return await callService({ method: "PATCH", url, json, allowPrivate, signal: call.signal }, (answer, said) =>
    answer.status === 404 && said["code"] === unknownMessage
      ? { outcome: "dropped", why: "the message was deleted" }
      : read(answer, said),
  );
}

const unknownMessage = 10_008;

/** The address may have a query of its own, such as the thread. */
function addressOf({ hook }: DiscordHook, path: string, query: Readonly<Record<string, string>>): URL {
  const url = new URL(hook);
  url.pathname = `${url.pathname.replace(/\/$/, "")}${path}`;
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

/** A limit says how long in its body, to the millisecond. */
function read(answer: Answered, said: ServiceSaid): Delivery {
  const wait = said["retry_after"];
  if (answer.status === 429 && typeof wait === "number" && wait >= 0) return failedFor("it answered 429", wait);
  return judgeAnswer(answer);
}

function formOf(words: MessageWords): object {
  const buttons = words.answers
    .filter(({ url }) => url.length <= mostUrl)
    .slice(0, mostButtons)
    .map(({ label, url }) => ({ type: 2, style: 5, label, url }));
  const rows = Array.from({ length: Math.ceil(buttons.length / inRow) }, (_, row) => ({
    type: 1,
    components: buttons.slice(row * inRow, (row + 1) * inRow),
  }));
  const text = [`**${escaped(words.title)}**`, ...paragraphsOf(words).map(escaped)].join("\n\n");
  return {
    content: cut(text, mostCharacters),
    components: rows,
    allowed_mentions: { parse: [] },
    flags: noPreviews,
  };
}

/** A space without width after `@` and `:` also keeps Discord from drawing mentions, emoji and addresses. */
function escaped(text: string): string {
  return text.replaceAll(/[\\*_~`|>#[\]()<-]/g, String.raw`\$&`).replaceAll(/[@:](?=\S)/g, "$&\u200b");
}
