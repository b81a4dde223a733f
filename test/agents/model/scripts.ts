// Minds of few thoughts. Owns: a model that does one thing after the other, and one that can be turned away for a while.

import { type Conversation, callsIn, completeIn, type Mind, type Move, type Refusal } from "./conversation.ts";

export const saysDone: Move = { does: "say", text: "STATUS: done" };

/** One move for each that went before in the same conversation; at the end it says that it is done. */
export function inOrder(...moves: readonly Move[]): Mind {
  return (conversation) => moves[callsIn(conversation)] ?? saysDone;
}

/** The same, and at the end it reports by our own tool, where the agent has that. */
export function inOrderAndReport(...moves: readonly Move[]): Mind {
  const reports: Move = { does: "complete", given: { outcome: "done" } };
  return (conversation) => inOrder(...moves, ...(completeIn(conversation) === null ? [] : [reports]))(conversation);
}

export interface Door {
  readonly mind: Mind;
  open(): void;
}

/** Whoever is meant is turned away until the door is opened. */
export function behindDoor(as: Refusal, mind: Mind, isMeant: (one: Conversation) => boolean = () => true): Door {
  let isOpen = false;
  return {
    mind: (conversation) => (isOpen || !isMeant(conversation) ? mind(conversation) : { does: "refuse", as }),
    open() {
      isOpen = true;
    },
  };
}
