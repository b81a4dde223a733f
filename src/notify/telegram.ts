// Telegram: a bot in a chat, whose messages can be edited. There is no parse mode: a text is a text. Only the title is marked as bold, by
// its place.

import { failedFor, judgeAnswer } from "./answer.ts";
import type { Answered } from "./request.ts";
import { callService, reasonIn, receiptIn, type ServiceSaid } from "./service.ts";
import type { Delivery, DeliveryCall, Notice, QuestionOver } from "./target.ts";
import { type MessageWords, messageWords, paragraphsOf, wordsWhenOver } from "./words.ts";

export interface TelegramChat {
  readonly api: string;
  readonly token: string;
  readonly chat: string;
  readonly allowPrivate: boolean;
}

const mostButtons = 10;

export async function sendToTelegram(place: TelegramChat, notice: Notice, call: DeliveryCall): Promise<Delivery> {
  return await callBot(place, "sendMessage", formOf(messageWords(notice)), call, ({ result }) => ({
    outcome: "delivered",
    ...receiptIn(recordIn(result)["message_id"]),
  }));
}

export async function editInTelegram(
  place: TelegramChat,
  notice: Notice,
  { receipt, how }: QuestionOver,
  call: DeliveryCall,
): Promise<Delivery> {
  const form = { message_id: Number(receipt), ...formOf(wordsWhenOver(notice, how)) };
  return await callBot(place, "editMessageText", form, call, () => ({ outcome: "delivered" }));
}

async function callBot(
  { api, token, chat, allowPrivate }: TelegramChat,
  method: string,
  form: object,
  { signal }: DeliveryCall,
  taken: (said: ServiceSaid) => Delivery,
): Promise<Delivery> {
  const url = new URL(`${api}/bot${token}/${method}`);
  const json = { chat_id: chat, ...form };
  return await callService({ method: "POST", url, json, allowPrivate, signal }, (answer, said) =>
    answer.status === 200 && said["ok"] === true ? taken(said) : refusalOf(answer, said),
  );
}

function refusalOf(answer: Answered, said: ServiceSaid): Delivery {
  const why = reasonIn(said["description"]);
  // An edit that was made before, and whose answer was lost.
  if (why.includes("message is not modified")) return { outcome: "delivered" };
  if (/message to edit not found|message can't be edited/.test(why))
    return { outcome: "dropped", why: "the message cannot be edited any more" };
  const wait = recordIn(said["parameters"])["retry_after"];
  const judged = judgeAnswer(answer);
  if (judged.outcome === "dropped") return judged;
  return failedFor(
    why === "" ? `it answered ${answer.status}` : `it answered ${answer.status}: ${why}`,
    typeof wait === "number" && wait >= 0 ? wait : null,
  );
}

function formOf(words: MessageWords): object {
  const text = [words.title, ...paragraphsOf(words)].map(unmentioned).join("\n\n");
  return {
    text,
    // Telegram counts as JavaScript does.
    entities: [{ type: "bold", offset: 0, length: unmentioned(words.title).length }],
    link_preview_options: { is_disabled: true },
    reply_markup: {
      inline_keyboard: words.answers.slice(0, mostButtons).map(({ label, url }) => [{ text: label, url }]),
    },
  };
}

/** Telegram finds mentions, commands and tags by itself. A space without width breaks them. */
function unmentioned(text: string): string {
  return text.replaceAll(/[@/#](?=\w)/g, "$&\u200b");
}

function recordIn(value: unknown): ServiceSaid {
  return typeof value === "object" && value !== null ? (value as ServiceSaid) : {};
}
