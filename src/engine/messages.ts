// Sends messages to people. They are effects: written with the commit and delivered after it.

import type { MessageKind } from "../domain/effect.ts";
import type { StoryId } from "../domain/ids.ts";
import type { Draft } from "./draft.ts";

export function sendMessage(
  draft: Draft,
  kind: MessageKind,
  about: { story: StoryId | null; step: string | null; text: string },
): void {
  draft.perform({ type: "notify", run: draft.run.header.id, message: { kind, ...about, at: draft.at } });
}
