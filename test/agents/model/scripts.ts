// Simple scripted models: one that makes its moves in order, and one whose API refuses requests at first.

import { type Conversation, callsIn, completeIn, type Move, type Refusal, type ScriptedModel } from "./conversation.ts";

export const saysDone: Move = { does: "say", text: "STATUS: done" };

/** Makes one move after the other in a conversation; then it says that it is done. */
export function inOrder(...moves: readonly Move[]): ScriptedModel {
  return (conversation) => moves[callsIn(conversation)] ?? saysDone;
}

/** The same, but at the end it reports by Pawl's tool if the agent has it. */
export function inOrderAndReport(...moves: readonly Move[]): ScriptedModel {
  const reports: Move = { does: "complete", given: { outcome: "done" } };
  return (conversation) => inOrder(...moves, ...(completeIn(conversation) === null ? [] : [reports]))(conversation);
}

export interface RefusingModel {
  readonly model: ScriptedModel;
  accept(): void;
}

/** Refuses the matching conversations until `accept` is called. */
export function refuseAtFirst(
  as: Refusal,
  model: ScriptedModel,
  isMeant: (one: Conversation) => boolean = () => true,
): RefusingModel {
  let isAccepting = false;
  return {
    model: (conversation) => (isAccepting || !isMeant(conversation) ? model(conversation) : { does: "refuse", as }),
    accept() {
      isAccepting = true;
    },
  };
}
