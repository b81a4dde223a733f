// Wires: the interface between the server and one API, and the helpers that all APIs share. Each API has its own file.

import type { Conversation, Move } from "./conversation.ts";

export interface Wire {
  /** Where agents of this API send a conversation. */
  readonly path: string;
  read(body: Json): Conversation;
  answer(move: Move, conversation: Conversation): Answer;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type Json = Readonly<Record<string, unknown>>;

export function objectOf(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

export function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}

export function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A text, or the joined texts of a list of parts. */
export function textIn(value: unknown): string {
  if (typeof value === "string") return value;
  return listOf(value)
    .map((part) => stringOf(part["text"]))
    .filter((text) => text !== "")
    .join("\n");
}

let made = 0;

export function newId(prefix: string): string {
  made += 1;
  return `${prefix}_${String(made).padStart(12, "0")}`;
}

/** All events in one response body. */
export function streamed(events: readonly string[]): Answer {
  return {
    status: 200,
    headers: { "content-type": "text/event-stream" },
    body: events.map((one) => `${one}\n\n`).join(""),
  };
}

export function refused(status: number, body: object, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) };
}
