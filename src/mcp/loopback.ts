// HTTP on loopback. Owns: access to MCP servers from other processes: only programs of this machine, each with the token of the
// attempt it asks about. Answers are plain JSON: nothing here takes long enough to be streamed.

import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { errorText } from "../domain/error.ts";
import { rpcCodes } from "./json-rpc.ts";
import { isVersion, type McpServer, unnamedVersion } from "./mcp-server.ts";

export interface Door {
  readonly token: string;
  readonly server: McpServer;
}

const largestBody = 4 * 1024 * 1024;
const requestMs = 30_000;
const loopbackNames = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** One HTTP server for a process, started for the first door; each door has a path of its own. */
export class Loopback {
  readonly #doors = new Map<string, Door>();
  #server: Promise<Server> | null = null;

  /** The address of the door, whose name is safe in a path. */
  async open(name: string, door: Door): Promise<string> {
    this.#server ??= this.#listen().catch((error: unknown) => {
      // The next one tries again.
      this.#server = null;
      throw error;
    });
    const { port } = (await this.#server).address() as AddressInfo;
    this.#doors.set(name, door);
    return `http://127.0.0.1:${port}/mcp/${name}`;
  }

  shut(name: string): void {
    this.#doors.delete(name);
  }

  async close(): Promise<void> {
    this.#doors.clear();
    const server = await this.#server;
    this.#server = null;
    server?.closeAllConnections();
    await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
  }

  async #listen(): Promise<Server> {
    const server = createServer({ requestTimeout: requestMs }, (request, response) => {
      this.#answer(request, response).catch((error: unknown) => {
        // A connection that broke off; if the client is still connected, it gets the error.
        if (!response.headersSent) refuse(response, 500, errorText(error));
      });
    });
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ port: 0, host: "127.0.0.1" }, resolve);
    });
    // A server that was not closed must not keep the process alive.
    return server.unref();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const stranger = strangerIn(request);
    if (stranger !== null) return refuse(response, 403, stranger);
    const [, root, name = "", inPath] = (request.url ?? "").split("?", 1)[0]?.split("/") ?? [];
    if (root !== "mcp") return refuse(response, 404, "there is nothing at this path");
    if (request.method !== "POST")
      return refuse(response.setHeader("Allow", "POST"), 405, "there is no stream of events");
    const door = this.#doors.get(name);
    if (door === undefined) return refuse(response, 404, "there is no such attempt, or it has ended");
    // Some agents cannot send a header: their token is the last part of the path.
    if (!isSame(door.token, inPath ?? bearerIn(request)))
      return refuse(response.setHeader("WWW-Authenticate", "Bearer"), 401, "the token is missing or wrong");
    if (!/^application\/json\s*(?:;|$)/i.test(request.headers["content-type"] ?? ""))
      return refuse(response, 415, "send application/json");
    const body = await readBody(request);
    if (body === null) return refuse(response.setHeader("Connection", "close"), 413, "a message has at most 4 MB");
    const version = headerIn(request, "mcp-protocol-version") ?? unnamedVersion;
    const { answer, wasMessage } = await door.server.answer(body, version);
    if (answer === null) return void response.writeHead(202).end();
    const isBadRequest = !wasMessage || (!isVersion(version) && !isUnknownMethod(answer));
    send(response, isBadRequest ? 400 : 200, answer);
  }
}

/** DNS can make a browser take another host for this machine; the Origin header of its requests still names the real one. */
function strangerIn(request: IncomingMessage): string | null {
  const { host = "", origin } = request.headers;
  if (!isLoopback(`http://${host}`)) return "this server answers to loopback names only";
  return origin === undefined || isLoopback(origin) ? null : "this server answers programs of this machine only";
}

function isLoopback(address: string): boolean {
  return URL.canParse(address) && loopbackNames.has(new URL(address).hostname);
}

/** Takes the same time however much of the token is right. */
function isSame(token: string, given: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(token), digest(given));
}

function bearerIn({ headers }: IncomingMessage): string {
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1] ?? "";
}

function headerIn({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** Null: it is too large. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  if (Number(request.headers["content-length"] ?? 0) > largestBody) return null;
  const chunks: Buffer[] = [];
  let size = 0;
  // The request stays open, so that a client that sends too much gets the answer.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > largestBody) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function isUnknownMethod(answer: object): boolean {
  return "error" in answer && (answer.error as { readonly code: number }).code === rpcCodes.method;
}

function refuse(response: ServerResponse, status: number, message: string): void {
  send(response, status, { jsonrpc: "2.0", id: null, error: { code: -32_000, message } });
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}
