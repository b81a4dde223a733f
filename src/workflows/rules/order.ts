// The order of a table's steps: by `next_on_pass`, from the one step that nothing leads to. Whatever cannot be put in one line is
// refused with the key that is wrong.

import { nearest } from "../document/problem.ts";
import { type Reading, refuse } from "../document/reading.ts";
import type { StepRules } from "./rules-schema.ts";

/** Not a step: where a story ends. */
const end = "done";

/** The names in order; empty when something was refused. */
export function orderOf(reading: Reading, steps: Readonly<Record<string, StepRules>>): readonly string[] {
  const names = Object.keys(steps);
  if (refuseNames(reading, names) || refuseTargets(reading, steps, names)) return [];
  const roots = names.filter((name) => !names.some((other) => steps[other]?.next_on_pass === name));
  const [first] = roots;
  const order: string[] = [];
  for (
    let name = first ?? names[0] ?? "";
    name !== end && !order.includes(name);
    name = steps[name]?.next_on_pass ?? end
  )
    order.push(name);
  const last = order.at(-1) ?? "";
  if (steps[last]?.next_on_pass !== end) {
    const from = order.indexOf(steps[last]?.next_on_pass ?? "");
    refuse(reading, ["steps", last, "next_on_pass"], {
      message: `Step '${last}': \`next_on_pass\` leads in a circle: ${[...order.slice(from), order[from]].join(" → ")}`,
      expected: `a step that is not before it, or ${end}`,
      hint: "a step goes back by `on_fail`, never by `next_on_pass`",
    });
    return [];
  }
  const left = names.filter((name) => !order.includes(name));
  for (const name of left) {
    refuse(reading, ["steps", name], {
      message: `Step '${name}' is reached by no \`next_on_pass\``,
      expected: "one step whose next_on_pass names it; only the first has none",
      hint: `let a step before it lead there: \`next_on_pass: ${name}\`; a table of its own begins with \`pawl_rules: 1\``,
    });
  }
  return left.length === 0 ? order : [];
}

function refuseNames(reading: Reading, names: readonly string[]): boolean {
  if (names.length === 0) {
    refuse(reading, ["steps"], { message: "`steps` is empty", expected: "at least one step", hint: "add a step" });
  }
  if (names.includes(end)) {
    refuse(reading, ["steps", end], {
      message: `no step can be called \`${end}\`: it is where a story ends`,
      expected: "another name",
      hint: `a step leads there with \`next_on_pass: ${end}\``,
    });
  }
  return names.length === 0 || names.includes(end);
}

function refuseTargets(
  reading: Reading,
  steps: Readonly<Record<string, StepRules>>,
  names: readonly string[],
): boolean {
  const before = reading.problems.length;
  const reachedFrom = new Map<string, string>();
  for (const [name, rules] of Object.entries(steps)) {
    const { next_on_pass: next, next_on_fail, on_fail } = rules;
    const targets = [
      ["next_on_pass", next] as const,
      ...(next_on_fail === undefined ? [] : [["next_on_fail", next_on_fail] as const]),
      ...Object.entries(on_fail ?? {}).map(([reason, target]) => [`on_fail.${reason}`, target] as const),
    ];
    for (const [key, target] of targets) {
      if (names.includes(target) || (key === "next_on_pass" && target === end)) continue;
      const near = nearest(target, names);
      refuse(reading, ["steps", name, ...key.split(/\.(.*)/s).filter((part) => part !== "")], {
        message:
          target === end
            ? `Step '${name}': \`${key}\` cannot lead to ${end}: a failure ends no story`
            : `Step '${name}': \`${key}\` names \`${target}\`, which is not a step`,
        expected: `one of: ${names.join(", ")}${key === "next_on_pass" ? `, ${end}` : ""}`,
        hint: near ? `did you mean \`${near}\`?` : "name a step of the table",
      });
    }
    const other = reachedFrom.get(next);
    if (other !== undefined) {
      refuse(reading, ["steps", name, "next_on_pass"], {
        message: `Step '${next}' is reached from two places: \`next_on_pass\` of '${other}' and of '${name}'`,
        expected: "each step after one other step",
        hint: "put the steps in one line: each leads to the next one",
      });
    }
    reachedFrom.set(next, name);
  }
  return reading.problems.length > before;
}
