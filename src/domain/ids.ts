// Branded id types, which cannot be mixed up, and the check for ids from outside.

declare const brand: unique symbol;
type Brand<Name extends string> = string & { readonly [brand]: Name };

export type RunId = Brand<"RunId">;
/** A story's id as its author wrote it (`US-001`); it becomes part of paths and branches, so it is validated first. */
export type StoryId = Brand<"StoryId">;
/** Unique in its chain, never reused. */
export type StepId = Brand<"StepId">;
/** The name that routes use; it may repeat in a chain. */
export type StepName = Brand<"StepName">;
/** Unique in its step; it becomes part of paths, branches and variables, so it is validated first. */
export type PartName = Brand<"PartName">;
export type AgentName = Brand<"AgentName">;
export type AttemptId = Brand<"AttemptId">;
export type GateId = Brand<"GateId">;
export type NoteId = Brand<"NoteId">;
export type Token = Brand<"Token">;

const wordPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** True for a word that is safe in a path, a branch name and a shell command on every platform. */
export function isSafeId(text: string): boolean {
  // Names that every object has (`constructor`) would be found in any record that is keyed by id.
  if (text in Object.prototype) return false;
  return wordPattern.test(text) && !text.includes("..") && !text.endsWith(".") && !text.endsWith(".lock");
}

export const runId = (text: string) => text as RunId;
export const storyId = (text: string) => text as StoryId;
export const stepId = (text: string) => text as StepId;
export const stepName = (text: string) => text as StepName;
export const partName = (text: string) => text as PartName;
export const agentName = (text: string) => text as AgentName;
export const attemptId = (text: string) => text as AttemptId;
export const gateId = (text: string) => text as GateId;
export const noteId = (text: string) => text as NoteId;
export const token = (text: string) => text as Token;

/** The prefix of stories that the engine adds when work is sent back to a finished `stories` step. A plan may use it, too. */
export const fixStoryPrefix = "FIX-";
