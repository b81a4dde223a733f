// A receiver of webhooks for tests: a real HTTP server on loopback that can be down, answer with an error, or not answer at all.

import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { Notice } from "../../src/notify/target.ts";

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly notice: Notice;
}

export class Receiver {
  /** The requests it got, in order, including those that it answered with an error. */
  readonly received: Received[] = [];
  /** Its answer; with null it sends none and the connection stays open. */
  answer: (received: Received) => { status: number; headers?: Record<string, string> } | null = () => ({ status: 204 });
  readonly #unanswered = new Set<ServerResponse>();
  #server: Server | null = null;
  #port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.#port}/hook`;
  }

  get unanswered(): number {
    return this.#unanswered.size;
  }

  get texts(): readonly string[] {
    return this.received.map(({ notice }) => notice.text);
  }

  /** Listens, on the same port as before. */
  async up(): Promise<void> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const body = Buffer.concat(chunks).toString();
        const { method = "", url: path = "", headers } = request;
        const received = { method, path, headers, body, notice: JSON.parse(body) as Notice };
        this.received.push(received);
        const answer = this.answer(received);
        if (answer) {
          response.writeHead(answer.status, answer.headers).end();
          return;
        }
        this.#unanswered.add(response);
        response.on("close", () => this.#unanswered.delete(response));
      });
    });
    await new Promise<void>((resolve) => server.listen(this.#port, "127.0.0.1", resolve));
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  async down(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    server?.closeAllConnections();
    await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
  }
}

export async function startReceiver(): Promise<Receiver> {
  const receiver = new Receiver();
  await receiver.up();
  onTestFinished(() => receiver.down());
  return receiver;
}
