// ntfy: a message is published as JSON, under a sequence id of its own. Publishing again under that id replaces it (ntfy 2.16), so a
// repeated delivery shows nothing twice, and a question that is over is replaced by its answer.

import { sha256Of } from "../system/sha256.ts";
import { judgeAnswer } from "./answer.ts";
import { callService } from "./service.ts";
import type { Delivery, DeliveryCall, Notice, NtfyConfig, QuestionOver } from "./target.ts";
import { type MessageWords, messageWords, paragraphsOf, wordsWhenOver } from "./words.ts";

type Server = Pick<NtfyConfig, "url" | "topic" | "allowPrivate"> & { readonly token: string | null };

/** From 1 to 5; 3 is usual. */
const urgent = 4;
const usual = 3;
const quiet = 2;
/** More are refused. */
const mostActions = 3;

export async function publishToNtfy(server: Server, notice: Notice, call: DeliveryCall): Promise<Delivery> {
  const priority = ["needs_you", "run_failed"].includes(notice.event) ? urgent : usual;
  const link = notice.gate?.link;
  const delivery = await publish(server, notice, messageWords(notice), call, {
    priority,
    tags: [notice.event === "run_failed" ? "x" : notice.event === "needs_you" ? "raising_hand" : "information_source"],
    ...(link === undefined ? {} : { click: link }),
  });
  return delivery.outcome === "delivered" ? { ...delivery, receipt: sequenceOf(notice) } : delivery;
}

export async function replaceAtNtfy(
  server: Server,
  notice: Notice,
  { how }: QuestionOver,
  call: DeliveryCall,
): Promise<Delivery> {
  const marks = { priority: quiet, tags: ["white_check_mark"] };
  return await publish(server, notice, wordsWhenOver(notice, how), call, marks);
}

async function publish(
  { url, topic, token, allowPrivate }: Server,
  notice: Notice,
  words: MessageWords,
  { signal }: DeliveryCall,
  more: object,
): Promise<Delivery> {
  const actions = words.answers.map(({ label, url: to }) => ({ action: "view", label, url: to, clear: true }));
  const json = {
    topic,
    title: words.title,
    message: paragraphsOf(words).join("\n\n"),
    sequence_id: sequenceOf(notice),
    // More answers than buttons: the message itself opens the page that has them all.
    ...(actions.length === 0 || actions.length > mostActions ? {} : { actions }),
    ...more,
  };
  const headers: Record<string, string> = token === null ? {} : { Authorization: `Bearer ${token}` };
  return await callService({ method: "POST", url: new URL(url), headers, json, allowPrivate, signal }, judgeAnswer);
}

/** The same for every try. */
function sequenceOf({ id }: Notice): string {
  return `pawl-${sha256Of(id).slice(0, 24)}`;
}
