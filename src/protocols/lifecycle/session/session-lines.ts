// What a session says while it runs: decisions and what they inserted, stops, escalations and codes. One event at a time.

import type { Definition } from "../../../domain/definition.ts";
import type { Event } from "../../../domain/event.ts";
import type { Messages } from "../locale/messages.ts";
import { type PhaseStory, phaseOf } from "../standing/phase-story.ts";
import { executeCommand, outcomeText } from "./display.ts";
import { SessionLog } from "./session-log.ts";
import { retriesOf, shownType } from "./shown-steps.ts";
import type { Visit } from "./visit.ts";

type Of<T extends Event["type"]> = Extract<Event, { type: T }>;

export class SessionLines {
  readonly #messages: Messages;
  /** What continues the session. */
  readonly #execute: string;
  readonly #log = new SessionLog();
  #definition: Definition | null = null;
  /** How often each decision of a scope has sent the work back. */
  readonly #retries = new Map<string, number>();
  /** The last phase that a story began, and the decision that waits for the next milestone. */
  #phase: PhaseStory | null = null;
  #advancing: string | null = null;

  constructor(messages: Messages, execute = executeCommand) {
    this.#messages = messages;
    this.#execute = execute;
  }

  /** Must be called for every event of the log, in order; the lines for those that are already known can be thrown away. */
  linesOf(event: Event): readonly string[] {
    const known = this.#log.codes.length;
    this.#log.apply(event);
    const codes = this.#log.codes.slice(known);
    const lines = this.#told(event);
    return [
      ...lines,
      ...codes.map(({ code, name, why, steps }) => {
        const what = code === "W002" ? "" : steps.length === 0 ? why : steps.join(", ");
        return `[${code}] ${name}: ${this.#messages.codes[code]}${what === "" ? "" : `: ${what.replace(/\s+/g, " ")}`}`;
      }),
    ];
  }

  #told(event: Event): readonly string[] {
    if (event.type === "run_started") this.#definition = event.definition;
    if (event.type === "story_opened") this.#phase = phaseOf(event.story);
    if (event.type === "attempt_ended") return this.#decided(event);
    if (event.type === "stories_planned") return this.#advanced(event);
    return event.type === "gate_opened" ? this.#asked(event) : [];
  }

  #decided({ attempt, verdict, taken, facts }: Of<"attempt_ended">): readonly string[] {
    const visit = this.#log.visitOf(attempt);
    const definition = visit === null ? undefined : this.#log.define(visit.story, visit.name);
    if (visit === null || verdict?.kind !== "value" || definition?.kind !== "decision") return [];
    if (shownType(definition) === null) return [];
    const { name } = visit;
    const outcome = this.#outcome(name, verdict.value, facts);
    const first = this.#messages.decided(name, outcome);
    const retries = retriesOf(definition);
    if (retries !== null && taken?.key === retries.key)
      return taken.draws === null
        ? [first, this.#messages.escalated(name)]
        : [first, this.#messages.inserted(name, outcome, this.#count(visit), retries.atMost)];
    if (definition.reader !== "milestone") return [first];
    if (verdict.value === "complete") return [first, this.#messages.allComplete(name)];
    this.#advancing = verdict.value === "more" ? name : null;
    return [first];
  }

  #outcome(name: string, value: string, facts: Of<"attempt_ended">["facts"]): string {
    const decision = facts?.["decision"];
    const why = typeof decision === "object" && decision !== null && "why" in decision ? decision["why"] : "";
    const summary = typeof why === "string" && why !== "" ? `${value}: ${why}` : value;
    return this.#definition === null ? summary : outcomeText(this.#definition, name, summary, this.#messages);
  }

  #count({ story, name }: Visit): number {
    const key = `${story ?? ""}/${name}`;
    const count = (this.#retries.get(key) ?? 0) + 1;
    this.#retries.set(key, count);
    return count;
  }

  #advanced({ stories }: Of<"stories_planned">): readonly string[] {
    const next = phaseOf(stories[0]?.id ?? null);
    const decision = this.#advancing;
    this.#advancing = null;
    if (decision === null || next === null) return [];
    const { milestone = "", phase = "" } = this.#phase ?? {};
    // A milestone with several phases may continue with the next of them.
    const done = milestone === next.milestone ? `${milestone} ${this.#messages.phase} ${phase}` : milestone;
    return [this.#messages.advanced(decision, done, next.milestone, next.phase)];
  }

  /** A gate that a step of the workflow is comes behind the last repair. */
  #asked({ gate }: Of<"gate_opened">): readonly string[] {
    if (gate.cause === "waits") return [this.#messages.stop(nameIn(gate.step), this.#execute)];
    return gate.cause === "step" ? this.#messages.paused(this.#execute) : [];
  }
}

/** The name of a step that was inserted, too. */
function nameIn(step: string): string {
  return step.replace(/~\d+$/, "");
}
