// Why a step begins again, for its prompt: which attempt did not pass or who rejected it, with what reason, and what was said of it.

import type { EndedAttempt } from "../../domain/attempt.ts";
import { hasEnded } from "../../domain/attempt.ts";
import { answerOf, type Gate } from "../../domain/gate.ts";
import type { Note } from "../../domain/note.ts";
import type { Run } from "../../domain/run.ts";
import type { Story } from "../../domain/story.ts";
import { reasons } from "./aliases.ts";

/** What ended last in a story: an attempt, or the review of a person. Null: nothing yet. */
export type LastEnd =
  | { readonly kind: "attempt"; readonly attempt: EndedAttempt; readonly hasPassed: boolean }
  | { readonly kind: "review"; readonly gate: Gate; readonly reason: string | null; readonly hasPassed: boolean };

export function lastEndOf(scope: Story | undefined): LastEnd | null {
  const attempt = scope === undefined ? null : lastAttempt(scope);
  const gate = scope?.gates.findLast((each) => each.cause === "step" && answerOf(each) !== null);
  const answer = gate === undefined ? null : answerOf(gate);
  // Going back over a gate voids its answer, and it was the last thing that was said all the same.
  if (gate !== undefined && answer !== null && answer.at >= (attempt?.state.endedAt ?? 0))
    return { kind: "review", gate, reason: answer.reason, hasPassed: answer.took === "next" };
  if (attempt === null) return null;
  const { outcome, verdict } = attempt.state;
  return { kind: "attempt", attempt, hasPassed: outcome === "completed" && verdict?.kind === "passed" };
}

/** Of a team, a role that did not pass says more than one that did. */
function lastAttempt({ attempts }: Story): EndedAttempt | null {
  const last = attempts.findLast(hasEnded) ?? null;
  if (last?.part === undefined) return last;
  const team = attempts.filter(hasEnded).filter(({ step, visit }) => step === last.step && visit === last.visit);
  const newest = new Map(team.map((each) => [each.part, each]));
  return [...newest.values()].findLast(({ state }) => state.verdict?.kind === "rejected") ?? last;
}

/** The reason of the protocol with which it ended; null: none of them. */
export function endReason(end: LastEnd | null): (typeof reasons)[number] | null {
  if (end === null || end.hasPassed) return null;
  const verdict = end.kind === "attempt" ? end.attempt.state.verdict : null;
  const reason = end.kind === "review" ? end.reason : verdict?.kind === "rejected" ? verdict.reason : null;
  return reasons.find((known) => known === reason) ?? null;
}

/** `feedback`: of the step that begins again. Empty: it does not begin again. */
export function cameBack(scope: Story | undefined, feedback: string): string {
  const end = lastEndOf(scope);
  if (end?.kind === "review" && !end.hasPassed) {
    const name = scope?.chain.find(({ id }) => id === end.gate.step)?.name ?? "review";
    return joined([`A person rejected the ${name}.${reasonText(end)}`, end.gate.feedback]);
  }
  return end === null || end.hasPassed ? feedback : joined([endSentence(end), feedback]);
}

/** `impl attempt 2 did not pass. Reason: scope_warning` */
export function endSentence(end: LastEnd): string {
  return end.kind === "review" ? "" : `${endText(end.attempt)}${reasonText(end)}`;
}

function reasonText(end: LastEnd): string {
  const reason = endReason(end);
  return reason === null ? "" : ` Reason: ${reason}`;
}

function endText({ name, part, number, state }: EndedAttempt): string {
  const which = `${name}${part === undefined ? "" : ` (${part})`} attempt ${number}`;
  if (state.taken?.key === "asked") return `${which} asked a person.`;
  switch (state.outcome) {
    case "completed":
      return `${which} did not pass.`;
    case "timed_out":
      return `${which} did not end in its time.`;
    case "invalid_output":
      return `${which} left no report that counts.`;
    case "cancelled":
      return `${which} was stopped.`;
    case "failed":
    case "lost":
    case "rate_limited":
      return `${which} broke off.`;
  }
}

/** What a person wrote. The reason of a rejection is not among it: it has a field of its own. */
export function personsWords({ header, stories }: Run, note: Note): string {
  const gates = note.story === null ? header.gates : (stories[note.story]?.gates ?? []);
  const gate = gates.find(({ id }) => (id as string) === (note.id as string));
  const answer = gate === undefined ? null : answerOf(gate);
  if (answer === null || answer.reason === null || gate?.cause === "asked") return note.text;
  return answer.note;
}

function joined(texts: readonly string[]): string {
  return texts.filter((text) => text.trim() !== "").join("\n\n");
}
