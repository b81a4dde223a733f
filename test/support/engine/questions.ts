// Checks that nothing gets past an open gate, and that each message is sent once, from states, events and effects alone.

import type { Accepted, Decision } from "../../../src/domain/decision.ts";
import type { Message, MessageKind } from "../../../src/domain/effect.ts";
import type { Event } from "../../../src/domain/event.ts";
import type { Gate } from "../../../src/domain/gate.ts";
import { repeats } from "../../../src/domain/route.ts";
import type { Run } from "../../../src/domain/run.ts";
import { type CommandInput, messagesOf } from "./driver.ts";
import { holds, performed, ruleOf, scopesOf } from "./invariants.ts";

/** An open gate ends by an answer for what it shows, by its deadline, or with its run; until then its step is held. */
export function checkGatesStand(before: Run, after: Run, decision: Decision, input: CommandInput, at: number): void {
  for (const { story, scope } of scopesOf(before)) {
    const now = story === null ? after.header : after.stories[story];
    for (const gate of scope.gates) {
      if (gate.state.status !== "open") continue;
      const then = now?.gates.find(({ id }) => id === gate.id);
      const answer = decision.events.find((event) => event.type === "gate_answered" && event.gate === gate.id);
      if (answer && decision.events.some((event) => event.type === "signal_taken" && event.gate === gate.id))
        holds(
          gate.signal !== undefined && input.type === "receive_signal",
          `${input.type} gave a signal to ${gate.id}`,
        );
      else if (answer) checkAnswer(gate, input, at);
      else if (input.type === "change_waits" && gate.cause === "waits" && then?.state.status === "void") {
        const step = now?.chain.find(({ id }) => id === gate.step);
        const isOpen = step?.state.status === "ready" || step?.state.status === "running";
        holds(isOpen, `${gate.id} is void and its step is not ready`);
      } else if (isDropped(gate, decision)) {
        holds(then?.state.status === "void", `${gate.id} is open, and its step was dropped`);
      } else if (input.type !== "cancel_run" && !isOfStopped(gate, decision)) {
        holds(then?.state.status === "open", `${input.type} ended gate ${gate.id}`);
        const step = now?.chain.find(({ id }) => id === gate.step);
        const { state } = step?.parts?.find(({ name }) => name === gate.part) ?? step ?? { state: null };
        holds(state?.status === "held" && state.gate === gate.id, `${input.type} bypassed ${gate.id}`);
        checkShown(gate, then, input);
      }
    }
  }
}

/** A question about a part that is not needed any more. */
function isOfStopped({ id, part }: Gate, { events }: Decision): boolean {
  return part !== undefined && events.some((event) => event.type === "gate_voided" && event.gate === id);
}

/** A person dropped its step, or with it its story. */
function isDropped(gate: Gate, { accepted, events }: Decision): boolean {
  return (
    accepted &&
    events.some((event) => event.type === "step_dropping" && event.step === gate.step && event.story === gate.story)
  );
}

function checkAnswer(gate: Gate, input: CommandInput, at: number): void {
  if (input.type === "answer_gate") {
    holds(gate.signal === undefined, `a person answered ${gate.id}, which waits for a signal`);
    holds(input.gate === gate.id, `an answer to ${input.gate} answered ${gate.id}`);
    holds(gate.tree === null || (input.tree ?? "") === gate.tree, `${gate.id} was answered for another tree`);
    return;
  }
  holds(input.type === "expire_gate" && input.gate === gate.id, `${input.type} answered ${gate.id}`);
  holds(gate.deadline !== null && gate.deadline.at <= at, `${gate.id} expired early`);
}

/** The tree of a gate changes only when an answer is for another tree, and is then that tree. */
function checkShown(gate: Gate, then: Gate | undefined, input: CommandInput): void {
  const answered = input.type === "answer_gate" && input.gate === gate.id;
  if (then?.tree === gate.tree) {
    holds(!answered || (input.tree ?? "") === gate.tree || gate.tree === null || isNoOption(gate, input), "not shown");
    return;
  }
  holds(answered && then?.tree === (input.tree ?? ""), `${gate.id} shows another tree after ${input.type}`);
}

function isNoOption(gate: Gate, input: { readonly option: string }): boolean {
  return !Object.hasOwn(gate.options, input.option);
}

/** Each message reports something that happened, and each such event has one message. */
export function checkMessages(run: Run, decision: Accepted, input: CommandInput): void {
  const sent = messagesOf(decision.effects);
  const expected = decision.events.flatMap((event) => messageFor(run, event));
  const missed = input.type === "start_attempt" && !decision.events.some(({ type }) => type === "attempt_dispatched");
  const wanted = [...expected, ...(missed ? [{ kind: "budget" as const, about: input.story }] : [])];
  const words = (list: readonly { kind: MessageKind; about: string | null }[]) =>
    list
      .map(({ kind, about }) => `${kind} ${about ?? "run"}`)
      .toSorted()
      .join(", ");
  const said = words(sent.map((message: Message) => ({ kind: message.kind, about: message.story })));
  holds(said === words(wanted), `sent: ${said}; expected: ${words(wanted)}`);
  holds(
    sent.every(({ text, at }) => text !== "" && at === decision.events[0]?.at),
    "a message without text or time",
  );
}

function messageFor(run: Run, event: Event): { kind: MessageKind; about: string | null }[] {
  if (event.type === "gate_opened" && event.gate.signal !== undefined) return [];
  if (event.type === "gate_opened") return [{ kind: "needs_you", about: event.story }];
  // A story that was done elsewhere has a reason.
  if (event.type === "story_changed")
    return event.status === "done" && event.reason === "" ? [{ kind: "story_done", about: event.of }] : [];
  // A full chain counts as a limit.
  if (event.type === "step_failed" && event.reason.includes("must insert"))
    return [{ kind: "stuck", about: event.story }];
  if (event.type === "attempt_ended") return isExhausted(run, event) ? [{ kind: "stuck", about: event.story }] : [];
  if (event.type === "parts_ended") {
    const scope = event.story === null ? run.header : run.stories[event.story];
    const name = scope?.chain.find(({ id }) => id === event.step)?.name ?? "";
    const { route } = ruleOf(performed(run, event.story, name), event.taken.key);
    return repeats(route) && route.to !== event.taken.to ? [{ kind: "stuck", about: event.story }] : [];
  }
  if (event.type !== "run_ended" || event.status === "cancelled") return [];
  return [{ kind: event.status === "done" ? "run_done" : "run_failed", about: null }];
}

/** The rule repeats, but another route was taken. */
function isExhausted(run: Run, event: Extract<Event, { type: "attempt_ended" }>): boolean {
  if (event.taken === null || event.outcome === "lost" || event.outcome === "rate_limited") return false;
  const scope = event.story === null ? run.header : run.stories[event.story];
  const name = scope?.attempts.find(({ id }) => id === event.attempt)?.name ?? "";
  const step = performed(run, event.story, name);
  const { key, to } = event.taken;
  if (key === "edit") return to === "fail";
  if (key === "asked") return false;
  const rule = ruleOf(step, key);
  // A question about an error counts where the budget covers errors; the limit may ask, too.
  const asks = rule.route.to === "gate" && (key.startsWith("error") || key === "unreadable");
  if (asks && step.budget?.errors === true) return event.taken.draws === null;
  return repeats(rule.route) && rule.route.to !== to;
}

/** A signal is kept only while nothing waits for it, and each is used once. */
export function checkSignals(run: Run, events: readonly Event[]): void {
  const { signals = [], end } = run.header;
  for (const { name, story } of signals) {
    const scope = story === null ? run.header : run.stories[story];
    const waits = scope?.gates.some(({ state, signal }) => state.status === "open" && signal === name) === true;
    holds(!waits || end !== null, `a step waits for ${name}, which is kept`);
  }
  const count = (type: Event["type"]) => events.filter((event) => event.type === type).length;
  holds(count("signal_received") === count("signal_taken") + signals.length, "a signal was lost or used twice");
}
