// Lowers routes (`next`, `{ back_to: …, at_most: … }`, …) to the engine's routes, with the options of every gate filled in.
// Whether a target exists is checked later, on the finished chain.

import { stepName } from "../../domain/ids.ts";
import type { GateDeadline, GateOptions, Limit, Route, RouteRule, VerdictKey } from "../../domain/route.ts";
import { anyOtherValue, foldValue, repeats } from "../../domain/route.ts";
import { durationMs } from "../document/duration.ts";
import { nearest, type Path } from "../document/problem.ts";
import { from, mountAt, type Reading, refuse } from "../document/reading.ts";
import { type Asker, askerOf, type Occasion, optionsFor, questionFor, reasonFor, stillWords } from "./occasion.ts";
import type { DeadlineInput, OptionInput, RouteInput, RouteMap } from "./route-schema.ts";
import { readSpend, spendText } from "./spend.ts";
import type { LimitInput } from "./step-field-schema.ts";
import type { StepInput } from "./step-schema.ts";

const verbs = ["next", "again", "back_to", "go_to", "insert", "end", "gate", "fail"] as const;

/** Fields that only say something beside one of the verbs. */
const fieldHomes = [
  ["options", "gate"],
  ["deadline", "gate"],
  ["before", "insert"],
] as const;

/** A map with one of these is a route; any other map under `rejected` or an option lists reasons. */
const routeFields: readonly string[] = [...verbs, "before", "options", "deadline", "at_most", "then"];

/** A route with its limit. */
export function readRule(reading: Reading, written: RouteInput, path: Path, occasion: Occasion): RouteRule {
  const route = readRoute(reading, written, path, occasion);
  if (typeof written === "string" || (written.at_most === undefined && written.then === undefined)) {
    return { route, limit: null };
  }
  if (written.at_most === undefined) {
    refuse(reading, [...path, "then"], {
      message: `Step '${occasion.step}': \`then\` without \`at_most\``,
      expected: "`at_most: N` beside `then`",
      hint: "say how often the route may be taken before `then`",
    });
    return { route, limit: { atMost: 1, then: { to: "fail", reason: "" } } };
  }
  if (!repeats(route)) {
    refuse(reading, [...path, "at_most"], {
      message: `Step '${occasion.step}': \`at_most\` has no effect on \`${route.to}\`, which repeats nothing`,
      expected: "`at_most` with again, back_to or insert",
      hint: "remove `at_most` and `then`",
    });
    return { route, limit: null };
  }
  const limit = { at_most: written.at_most, ...(written.then === undefined ? {} : { then: written.then }) };
  return { route, limit: readLimit(reading, limit, path, occasion, { limited: { continue: route }, atMost: 1 }) };
}

export interface Usual {
  /** What a person may have once more when the limit leads to a gate. */
  readonly limited: GateOptions;
  /** How often, where only money, tokens or time are limited. */
  readonly atMost: number;
}

export function readLimit(reading: Reading, written: LimitInput, path: Path, on: Occasion, usual: Usual): Limit {
  const spend = readSpend(reading, written, path, on.step);
  if (spend === null && written.at_most === undefined) {
    refuse(reading, path, {
      message: `Step '${on.step}': a budget that limits nothing`,
      expected: "at_most, usd, tokens or wall",
      hint: "for example `{ at_most: 3, usd: 5, then: gate }`",
    });
  }
  const often = `${stillWords[on.of]} after ${written.at_most} ${written.at_most === 1 ? "retry" : "retries"}`;
  const why = [
    ...(written.at_most === undefined ? [] : [often]),
    ...(spend ? [`the budget of ${spendText(spend)} is used up`] : []),
  ].join(", or ");
  const reason = spend ? "" : `${on.step}: ${why}`;
  const { step, integrates = false } = on;
  // A crash is not a verdict, so `accept` is not offered.
  const occasion: Occasion =
    on.of === "error" ? on : { of: "exhausted", step, integrates, limited: usual.limited, why, reason };
  const at = [...path, "then"];
  const then: Route =
    written.then === undefined ? { to: "fail", reason } : readBare(reading, written.then, at, occasion);
  return { atMost: written.at_most ?? usual.atMost, then, ...(spend ? { spend } : {}) };
}

/**
 * A gate's options as they are written; each is a route without a limit, since a person answers each time. An option with
 * reasons becomes one entry for each: `reject`, `reject:unclear`.
 */
export function readOptions(
  reading: Reading,
  written: Record<string, OptionInput>,
  path: Path,
  asker: Asker,
): GateOptions {
  const { step } = asker;
  const options = Object.entries(written).flatMap(([name, input]): [string, Route][] => {
    if (!/^[A-Za-z][\w-]{0,39}$/.test(name)) {
      refuse(reading, [...path, name], {
        message: `Step '${step}': "${name}" cannot be the name of an option`,
        expected: "a word that starts with a letter: letters, digits, `_` and `-`",
        hint: name.includes(":")
          ? "reasons stand below their option: `reject: { default: ROUTE, unclear: ROUTE }`"
          : "people type it to answer",
      });
    }
    const at = [...path, name];
    const read = (route: RouteInput, where: Path) => readBare(reading, route, where, { of: "answer", ...asker });
    if (isRoute(input)) return [[name, read(input, at)]];
    const byReason = readReasons(reading, input, at, { step, what: `the answer "${name}"`, hint: "`default: fail`" });
    return byReason.map(([reason, route, where]) => [reason === null ? name : `${name}:${reason}`, read(route, where)]);
  });
  if (options.length === 0) {
    refuse(reading, path, {
      message: `Step '${step}': a gate without options cannot be answered`,
      expected: "at least one option with its route",
      hint: "remove `options` to get the usual ones",
    });
  }
  return Object.fromEntries(options);
}

/** The option that is taken when no answer comes. Whether it exists and where it leads is checked on the finished chain. */
export function readDeadline(reading: Reading, written: DeadlineInput, path: Path): GateDeadline {
  return from(reading, path, { afterMs: durationMs(written.after), option: written.then });
}

/** The rules of `on`, by verdict. Without `decide` the keys are verdicts, with it they are values. */
export function readOn(reading: Reading, step: StepInput, path: Path): Partial<Record<VerdictKey, RouteRule>> {
  const rules = new Map<VerdictKey, RouteRule>();
  for (const [word, written] of Object.entries(step.on ?? {})) {
    if (written === undefined) continue;
    const at = [...path, "on", word];
    if (step.decide !== undefined || step.decision !== undefined) {
      const key = valueKey(word);
      if (rules.has(key)) refuseTwice(reading, at, step.id, word);
      rules.set(key, readRule(reading, written, at, { of: "decided", step: step.id }));
    } else if (word === "passed") {
      rules.set("passed", readRule(reading, written, at, { of: "passed", step: step.id }));
    } else if (word === "rejected") {
      readRejected(reading, written, at, { step: step.id, integrates: step.integrate !== undefined }, rules);
    } else {
      refuse(reading, at, {
        message: `Step '${step.id}': \`on.${word}\` can never happen, since the step has no \`decide\``,
        expected: "passed or rejected",
        hint: "name the output key that decides: `decide: decision`",
      });
    }
  }
  return Object.fromEntries(rules);
}

/** The rule's key of a value as the file has it: `default` is every value that the file does not list. */
export function valueKey(word: string): VerdictKey {
  const folded = foldValue(word);
  return folded === "default" ? anyOtherValue : `=${folded}`;
}

function readRejected(
  reading: Reading,
  written: RouteInput | Record<string, RouteInput>,
  path: Path,
  asker: Asker,
  rules: Map<VerdictKey, RouteRule>,
): void {
  const occasion: Occasion = { of: "rejected", ...asker };
  if (isRoute(written)) {
    rules.set("rejected", readRule(reading, written, path, occasion));
    return;
  }
  const words = { step: asker.step, what: "a rejection", hint: "`default: { again, at_most: 2, then: gate }`" };
  for (const [reason, route, at] of readReasons(reading, written, path, words)) {
    rules.set(reason === null ? "rejected" : `rejected:${reason}`, readRule(reading, route, at, occasion));
  }
}

export function isRoute(written: OptionInput): written is RouteInput {
  return typeof written === "string" || routeFields.some((field) => Object.hasOwn(written, field));
}

/** Routes by reason, folded, with the path of each; null is the `default`, which has to be there. */
export function readReasons(
  reading: Reading,
  written: Record<string, RouteInput>,
  path: Path,
  words: { readonly step: string; readonly what: string; readonly hint: string },
): (readonly [string | null, RouteInput, Path])[] {
  const seen = new Set<string | null>();
  const entries = Object.entries(written).map(([name, route]) => {
    const reason = foldValue(name) === "default" ? null : foldValue(name);
    const at = [...path, name];
    if (seen.has(reason)) refuseTwice(reading, at, words.step, name);
    seen.add(reason);
    return [reason, route, at] as const;
  });
  if (!seen.has(null)) {
    refuse(reading, path, {
      message: `Step '${words.step}': ${words.what} for any other reason has no route`,
      expected: "`default: ROUTE` beside the reasons",
      hint: `add ${words.hint}`,
    });
  }
  return entries;
}

/** A route where no limit may stand: after `then`, and as an option. */
/** A route that has no limit of its own. */
export function readBare(reading: Reading, written: RouteInput, path: Path, occasion: Occasion): Route {
  if (typeof written !== "string" && (written.at_most !== undefined || written.then !== undefined)) {
    refuse(reading, path, {
      message: `Step '${occasion.step}': a route ${occasion.of === "answer" ? "of an option" : "after `then`"} cannot have a limit of its own`,
      expected: "a route without `at_most` and `then`",
      hint: occasion.of === "answer" ? "a person answers each time, so no limit is needed" : "end with fail or a gate",
    });
  }
  return readRoute(reading, written, path, occasion);
}

function readRoute(reading: Reading, written: RouteInput, path: Path, occasion: Occasion): Route {
  const map: RouteMap = typeof written === "string" ? { [written]: null } : written;
  refuseForeignKeys(reading, map, path, occasion);
  const given = verbs.filter((verb) => map[verb] !== undefined);
  const verb = given[0];
  if (verb === undefined || given.length > 1) {
    refuse(reading, path, {
      message: `Step '${occasion.step}': ${verb === undefined ? "the route leads nowhere" : `the route leads to ${given.join(" and to ")}`}`,
      expected: `exactly one of ${verbs.join(", ")}`,
      hint: "for example `{ back_to: implement, at_most: 2, then: fail }`",
    });
    return { to: "fail", reason: "" };
  }
  for (const [field, home] of fieldHomes) {
    if (map[field] === undefined || verb === home) continue;
    refuse(reading, [...path, field], {
      message: `Step '${occasion.step}': \`${field}\` has no effect on \`${verb}\``,
      expected: `\`${field}\` beside \`${home}\``,
      hint: `remove \`${field}\``,
    });
  }
  if (occasion.of === "error" && verb !== "again" && verb !== "gate" && verb !== "fail") {
    refuse(reading, path, {
      message: `Step '${occasion.step}': ${path.includes("on_unreadable") ? "on_unreadable" : "on_error"} cannot lead to \`${verb}\`: a crash decides nothing`,
      expected: "again, gate or fail",
      hint: "routes by what a step said belong into `on`",
    });
  }
  return from(
    reading,
    typeof written === "string" ? path : [...path, verb],
    routeOf(reading, map, verb, path, occasion),
  );
}

function routeOf(reading: Reading, map: RouteMap, verb: (typeof verbs)[number], path: Path, occasion: Occasion): Route {
  switch (verb) {
    case "next":
    case "again":
      return { to: verb };
    case "end": {
      const of = includeEndedAt(reading, path);
      return of === null ? { to: verb } : { to: verb, of };
    }
    case "back_to":
    case "go_to":
      return { to: verb, step: stepName(firstOf(reading, map[verb] ?? "")) };
    case "insert":
      return {
        to: "insert",
        steps: (map.insert ?? []).map(stepName),
        ...(map.before === undefined ? {} : { before: stepName(firstOf(reading, map.before)) }),
      };
    case "fail":
      return { to: "fail", reason: typeof map.fail === "string" ? map.fail : reasonFor(occasion) };
    case "gate": {
      const question = typeof map.gate === "string" ? map.gate : questionFor(occasion);
      const written = map.options && readOptions(reading, map.options, [...path, "options"], askerOf(occasion));
      const deadline = map.deadline && readDeadline(reading, map.deadline, [...path, "deadline"]);
      return { to: "gate", question, options: written ?? optionsFor(occasion), ...(deadline ? { deadline } : {}) };
    }
  }
}

/** `end` in an included file is the end of that file, but in the body of its stories the end of a story. */
function includeEndedAt(reading: Reading, path: Path): string | null {
  const mount = mountAt(reading, path);
  return mount === null || path.slice(mount.path.length).includes("body") ? null : mount.inclusion.id;
}

/** A route to an included workflow leads to its first step. */
function firstOf({ included }: Reading, name: string): string {
  return included.firsts.get(name) ?? name;
}

function refuseForeignKeys(reading: Reading, map: RouteMap, path: Path, occasion: Occasion): void {
  for (const key of Object.keys(map)) {
    if (routeFields.includes(key)) continue;
    const meant = nearest(key, routeFields);
    refuse(reading, [...path, key], {
      message: `Step '${occasion.step}': unknown key \`${key}\` in a route`,
      expected: `one of: ${routeFields.join(", ")}`,
      hint: meant ? `did you mean \`${meant}\`?` : "reasons stand beside `default`, not beside a route",
    });
  }
}

function refuseTwice(reading: Reading, path: Path, step: string, word: string): void {
  refuse(reading, path, {
    message: `Step '${step}': "${word}" has two routes`,
    expected: "each value once, whatever its case",
    hint: "remove one of the two",
  });
}
