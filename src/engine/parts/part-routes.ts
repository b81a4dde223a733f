// Takes a route from a part: it starts again, asks, or ends. No part leads anywhere else: its step does, once all parts have ended.

import type { GateCause } from "../../domain/gate.ts";
import type { StoryId } from "../../domain/ids.ts";
import type { Part, PartEnd } from "../../domain/part.ts";
import type { GateOptions, Route } from "../../domain/route.ts";
import type { Step } from "../../domain/step.ts";
import type { Draft } from "../draft.ts";
import { openGate } from "../gates/gates.ts";
import { renderQuestion } from "../gates/words-before.ts";
import { readyPart } from "../readying.ts";

export interface PartRouting {
  readonly story: StoryId | null;
  readonly step: Step;
  readonly part: Part;
  readonly route: Route;
  readonly feedback: string;
  readonly cause: GateCause;
  readonly notBefore?: number | null;
}

export function takePartRoute(draft: Draft, routing: PartRouting): void {
  const { story, step, part, route, feedback, notBefore } = routing;
  switch (route.to) {
    case "again":
      return readyPart(draft, story, step, part, { notBefore, feedback });
    case "gate":
      return openGate(draft, story, step, {
        question: `${part.name}: ${renderQuestion(draft, story, { step, question: route.question, feedback })}`,
        options: optionsOfPart(route.options),
        deadline: route.deadline ?? null,
        cause: routing.cause,
        feedback,
        part: part.name,
      });
    case "next":
      return endPart(draft, story, step, part, { status: "stopped", reason: "a person left it out" });
    case "fail":
      return endPart(draft, story, step, part, { status: "failed", reason: route.reason });
    case "back_to":
    case "go_to":
    case "insert":
    case "end":
      // The check of workflows refuses these; a run from elsewhere must not pass by them.
      return endPart(draft, story, step, part, { status: "failed", reason: `a part cannot lead to ${route.to}` });
  }
}

/** A limit of the whole step may ask where to go on. For one part that is no answer. */
function optionsOfPart(options: GateOptions): GateOptions {
  return Object.fromEntries(Object.entries(options).filter(([, { to }]) => staysInPart.includes(to)));
}

const staysInPart: readonly Route["to"][] = ["again", "next", "fail", "gate"];

export function endPart(draft: Draft, story: StoryId | null, step: Step, part: Part, end: PartEnd): void {
  draft.emit(story, { type: "part_ended", step: step.id, part: part.name, end });
}
