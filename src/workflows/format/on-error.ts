// Lowers `on_error`: one route for every attempt that did not complete, or routes by outcome with a `default`.

import type { PerformedDefinition } from "../../domain/definition.ts";
import type { ErrorOutcome, RouteRule } from "../../domain/route.ts";
import type { Path } from "../document/problem.ts";
import { type Reading, refuse } from "../document/reading.ts";
import { plain } from "./default-rules.ts";
import { isRoute, readReasons, readRule } from "./routes.ts";
import type { StepInput } from "./step-schema.ts";

type ErrorRules = Pick<PerformedDefinition, "onError" | "onErrorBy">;

const outcomes: readonly ErrorOutcome[] = ["failed", "timed_out"];

/** `usual`: where the file says nothing. A budget that counts errors is the limit then. */
export function readOnError(reading: Reading, written: StepInput, path: Path, usual: RouteRule): ErrorRules {
  const { on_error: given, id: step } = written;
  const at = [...path, "on_error"];
  const occasion = { of: "error", step } as const;
  if (given === undefined) return { onError: written.budget?.errors ? plain({ to: "again" }) : usual };
  if (isRoute(given)) return { onError: readRule(reading, given, at, occasion) };
  const words = { step, what: "an attempt that did not complete", hint: "`default: { again, at_most: 2 }`" };
  const rules = readReasons(reading, given, at, words).map(([outcome, route, where]) => {
    if (outcome !== null && !isOutcome(outcome)) refuseOutcome(reading, where, step, outcome);
    return [outcome, readRule(reading, route, where, occasion)] as const;
  });
  return {
    onError: rules.find(([outcome]) => outcome === null)?.[1] ?? usual,
    onErrorBy: Object.fromEntries(rules.filter(([outcome]) => outcome !== null)),
  };
}

function isOutcome(word: string): boolean {
  return outcomes.some((outcome) => outcome === word);
}

function refuseOutcome(reading: Reading, path: Path, step: string, word: string): void {
  const elsewhere: Readonly<Record<string, string>> = {
    lost: "what a dead driver loses starts again by itself",
    rate_limited: "what an account refuses starts again by itself",
    cancelled: "what a person stops waits for that person",
    invalid_output: "`on_unreadable` is the route of an answer that cannot be read",
    unreadable: "`on_unreadable` is the route of an answer that cannot be read",
  };
  refuse(reading, path, {
    message: `Step '${step}': on_error has no outcome "${word}"`,
    expected: `default and ${outcomes.join(", ")}`,
    hint: elsewhere[word] ?? "default: every outcome that is not listed",
  });
}
