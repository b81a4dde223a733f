// Answers to what is no proper request: bytes that are not HTTP, headers without end, a request that does not arrive. Node would answer
// by itself, without a problem and without the headers of every other answer.

import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { ProblemDocument } from "../contracts/http-documents.ts";
import { systemCode } from "../domain/error.ts";
import { problem, problemType } from "./problem.ts";

const malformed = problem(400, "INPUT_INVALID", "this is not a request of HTTP/1.1", "use a client for HTTP");

/** By the code that Node gives the error; every other one is malformed. */
const others: Readonly<Record<string, ProblemDocument>> = {
  HPE_HEADER_OVERFLOW: problem(431, "TOO_LARGE", "the headers are too large", "send fewer and shorter ones"),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: problem(413, "TOO_LARGE", "the chunks have too many extensions", "send none"),
  ERR_HTTP_REQUEST_TIMEOUT: problem(408, "TOO_LARGE", "the request did not arrive in time", "send it faster, or less"),
};

const unexpected = problem(417, "INPUT_INVALID", "what Expect asks for is not known", "send 100-continue or nothing");

export function answerNoRequests(server: Server, headers: Readonly<Record<string, string>>): void {
  const answering = new WeakMap<Duplex, ServerResponse>();
  server.prependListener("request", (incoming: IncomingMessage, outgoing: ServerResponse) => {
    answering.set(incoming.socket, outgoing);
  });
  server.on("checkExpectation", (_incoming: IncomingMessage, outgoing: ServerResponse) => {
    const body = JSON.stringify(unexpected);
    outgoing.writeHead(unexpected.status, headersOf(body, headers)).end(body);
  });
  server.on("clientError", (error: Error, socket: Duplex) => {
    const before = answering.get(socket);
    // In the middle of another answer, a client would take this one for a part of it.
    const isFree = before === undefined || !before.headersSent || before.writableFinished;
    if (!socket.writable || !isFree) return void socket.destroy();
    socket.end(rawAnswer(others[systemCode(error) ?? ""] ?? malformed, headers), () => socket.destroy());
  });
}

function rawAnswer(refused: ProblemDocument, headers: Readonly<Record<string, string>>): string {
  const body = JSON.stringify(refused);
  const lines = Object.entries(headersOf(body, headers)).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${refused.status} ${STATUS_CODES[refused.status] ?? ""}\r\n${lines.join("")}\r\n${body}`;
}

function headersOf(body: string, more: Readonly<Record<string, string>>): Record<string, string> {
  const length = String(Buffer.byteLength(body));
  return { ...more, "content-type": problemType, "content-length": length, connection: "close" };
}
