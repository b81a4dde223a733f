// Sends messages to people. They are effects: written with the commit and delivered after it.

import type { Message, MessageKind } from "../domain/effect.ts";
import type { Draft } from "./draft.ts";

export function sendMessage(draft: Draft, kind: MessageKind, about: Omit<Message, "kind" | "at">): void {
  draft.perform({ type: "notify", run: draft.run.header.id, message: { kind, ...about, at: draft.at } });
}
