// Plays a chat or push service: a real HTTP server on loopback that records requests as they came, and can be slow, refuse, hang, break
// off or redirect.

import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface PlayedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  // oxlint-disable-next-line typescript/no-explicit-any -- each test knows what it sent
  readonly json: any;
}

export interface PlayedAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  /** It waits for this before it answers. */
  readonly after?: Promise<unknown>;
}

export class PlayedService {
  readonly requests: PlayedRequest[] = [];
  /** null: no answer, and the connection stays open. */
  answer: (request: PlayedRequest) => PlayedAnswer | null = () => ({ status: 200, json: { ok: true } });
  readonly #open = new Set<ServerResponse>();
  #server: Server | null = null;
  #port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get unanswered(): number {
    return this.#open.size;
  }

  async up(): Promise<void> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const { method = "", url: path = "", headers } = request;
        const bytes = Buffer.concat(chunks);
        const isJson = headers["content-type"]?.startsWith("application/json") ?? false;
        const got = { method, path, headers, bytes, json: isJson ? JSON.parse(bytes.toString()) : null };
        this.requests.push(got);
        const answer = this.answer(got);
        this.#open.add(response);
        response.on("close", () => this.#open.delete(response));
        if (answer === null) return;
        void Promise.resolve(answer.after).then(() =>
          response
            .writeHead(answer.status, { "content-type": "application/json", ...answer.headers })
            .end(answer.json === undefined ? "" : JSON.stringify(answer.json)),
        );
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

export async function playService(): Promise<PlayedService> {
  const service = new PlayedService();
  await service.up();
  onTestFinished(() => service.down());
  return service;
}
