// JSON-RPC. Owns: messages in, answers out, and the answers to invalid messages. Does not own: any method.

import { errorText } from "../domain/error.ts";

/** An error of the caller, with a code of JSON-RPC. */
export class RpcError extends Error {
  readonly code: number;

  constructor(code: keyof typeof rpcCodes, message: string) {
    super(message);
    this.code = rpcCodes[code];
  }
}

export const rpcCodes = {
  parse: -32_700,
  request: -32_600,
  method: -32_601,
  params: -32_602,
  internal: -32_603,
} as const;

export type Params = Readonly<Record<string, unknown>>;
export type Handle = (method: string, params: Params) => Promise<object>;

type Id = string | number | null;

type Answer = { readonly jsonrpc: "2.0"; readonly id: Id } & (
  | { readonly result: object }
  | { readonly error: { readonly code: number; readonly message: string } }
);

export interface RpcReply {
  /** Null: notifications and answers get no answer. */
  readonly answer: Answer | readonly Answer[] | null;
  /** False: it was not a valid message. */
  readonly wasMessage: boolean;
}

/** `batches`: whether a text may have several messages. Never rejects. */
export async function answerText(text: string, batches: boolean, handle: Handle): Promise<RpcReply> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return noMessage("parse", "this is not JSON");
  }
  if (!Array.isArray(value)) return await answerOne(value, handle);
  if (!batches) return noMessage("request", "one message at a time: this version of the protocol has no batches");
  if (value.length === 0) return noMessage("request", "the batch is empty");
  const answers = (await Promise.all(value.map((each) => answerOne(each, handle)))).flatMap(
    ({ answer }) => answer ?? [],
  );
  return { answer: answers.length === 0 ? null : answers, wasMessage: true };
}

async function answerOne(value: unknown, handle: Handle): Promise<RpcReply> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return noMessage("request", "a message is an object");
  const { jsonrpc, id, method, params = {} } = value as Readonly<Record<string, unknown>>;
  if (jsonrpc !== "2.0") return noMessage("request", 'a message has "jsonrpc": "2.0"');
  if (method === undefined && ("result" in value || "error" in value)) return { answer: null, wasMessage: true };
  if (typeof method !== "string") return noMessage("request", "a request has a method");
  // A notification gets no answer.
  if (id === undefined) return { answer: null, wasMessage: true };
  if (typeof id !== "string" && typeof id !== "number") return noMessage("request", "an id is a string or a number");
  return { answer: await answerRequest(id, method, params, handle), wasMessage: true };
}

async function answerRequest(id: string | number, method: string, params: unknown, handle: Handle): Promise<Answer> {
  try {
    if (typeof params !== "object" || params === null || Array.isArray(params))
      throw new RpcError("params", "params is an object");
    return { jsonrpc: "2.0", id, result: await handle(method, params as Params) };
  } catch (error) {
    if (error instanceof RpcError) return { jsonrpc: "2.0", id, error: { code: error.code, message: error.message } };
    const message = errorText(error);
    return { jsonrpc: "2.0", id, error: { code: rpcCodes.internal, message } };
  }
}

function noMessage(code: "parse" | "request", message: string): RpcReply {
  return { answer: { jsonrpc: "2.0", id: null, error: { code: rpcCodes[code], message } }, wasMessage: false };
}
