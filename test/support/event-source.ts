// A client of a stream of server-sent events, over fetch: it keeps what it got, and can break off and come back.

import { onTestFinished } from "vitest";
import { until } from "./until.ts";

export interface StreamMessage {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

export interface StreamClient {
  readonly status: number;
  readonly headers: Headers;
  readonly messages: StreamMessage[];
  /** Everything that was sent, comments included. */
  readonly text: () => string;
  /** Whether the server has ended it. */
  readonly hasEnded: () => boolean;
  /** Waits for this many messages. */
  count(messages: number): Promise<readonly StreamMessage[]>;
  close(): void;
}

export interface StreamRequest {
  readonly token: string;
  readonly lastId?: string | number | undefined;
}

export async function openStream(url: string, { token, lastId }: StreamRequest): Promise<StreamClient> {
  const gone = new AbortController();
  onTestFinished(() => gone.abort());
  const answer = await fetch(url, {
    headers: {
      authorization: `Bearer ${token}`,
      accept: "text/event-stream",
      ...(lastId === undefined ? {} : { "last-event-id": String(lastId) }),
    },
    signal: gone.signal,
  });
  const messages: StreamMessage[] = [];
  let text = "";
  let hasEnded = false;
  void read(
    answer,
    (piece) => {
      text += piece;
    },
    messages,
  ).finally(() => {
    hasEnded = true;
  });
  return {
    status: answer.status,
    headers: answer.headers,
    messages,
    text: () => text,
    hasEnded: () => hasEnded,
    async count(wanted) {
      await until(() => messages.length >= wanted || hasEnded);
      return messages;
    },
    close: () => gone.abort(),
  };
}

async function read(answer: Response, onText: (text: string) => void, messages: StreamMessage[]): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for await (const bytes of answer.body ?? []) {
      const piece = decoder.decode(bytes as Uint8Array, { stream: true });
      onText(piece);
      const blocks = (rest + piece).split("\n\n");
      rest = blocks.pop() ?? "";
      messages.push(...blocks.flatMap(messageOf));
    }
  } catch {
    // The client or the server broke off.
  }
}

/** A block without data is a comment, or sets the time of coming back. */
function messageOf(block: string): StreamMessage[] {
  const fields = new Map(
    block.split("\n").map((line) => {
      const [, name = "", value = ""] = /^([a-z]*): ?(.*)$/.exec(line) ?? [];
      return [name, value] as const;
    }),
  );
  const data = fields.get("data");
  return data === undefined ? [] : [{ id: fields.get("id") ?? "", event: fields.get("event") ?? "message", data }];
}
