// The model server of the real agents: it speaks all their APIs on loopback, with one scripted model behind them.

import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { errorText } from "../../../src/domain/error.ts";
import { chat } from "./chat.ts";
import type { Conversation, Move, ScriptedModel } from "./conversation.ts";
import { messages } from "./messages.ts";
import { responses } from "./responses.ts";
import { type Answer, type Json, refused, type Wire } from "./wire.ts";

export interface Exchange {
  readonly wire: Wire;
  readonly body: Json;
  readonly conversation: Conversation;
  readonly move: Move;
}

export interface ModelServer {
  readonly url: string;
  /** Requests and answers, in order. */
  readonly exchanges: readonly Exchange[];
  /** Errors: requests that the server did not understand or could not answer. */
  readonly problems: readonly string[];
  close(): Promise<void>;
}

const wires = [messages, responses, chat];

export async function openModel(model: ScriptedModel): Promise<ModelServer> {
  const exchanges: Exchange[] = [];
  const problems: string[] = [];

  function answerTo(path: string, body: Json): Answer {
    if (path === `${messages.path}/count_tokens`) return refused(200, { input_tokens: 1200 });
    const wire = wires.find((one) => one.path === path);
    if (!wire) return refused(404, { error: { type: "not_found_error", message: `no API at ${path}` } });
    const conversation = wire.read(body);
    // Not a step: agents ask for the title of a session in this way.
    if (conversation.tools.length === 0) return wire.answer({ does: "say", text: "A title" }, conversation);
    const move = model(conversation);
    exchanges.push({ wire, body, conversation, move });
    return wire.answer(move, conversation);
  }

  const server = createServer((request, response) => {
    void (async () => {
      const path = (request.url ?? "").replace(/\?.*$/, "");
      let answer: Answer;
      try {
        const text = await bodyOf(request);
        answer = answerTo(path, text === "" ? {} : (JSON.parse(text) as Json));
      } catch (error) {
        problems.push(`${request.method} ${path}: ${errorText(error)}`);
        answer = refused(400, { error: { type: "invalid_request_error", message: problems.at(-1) } });
      }
      response.writeHead(answer.status, answer.headers).end(answer.body);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exchanges,
    problems,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** How often Pawl's tool `complete` was called. */
export function completionsOf({ exchanges }: ModelServer): number {
  return exchanges.filter(({ move }) => move.does === "complete").length;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
