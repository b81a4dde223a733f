// Lowers the flags of a step (`spare`, `summary`, `waits`, `barrier`, `dependent`, `editable`,
// `mandatory`, `last`, `follows`) and refuses flags that contradict each other.

import type { AgentStep } from "../../domain/definition.ts";
import { stepName } from "../../domain/ids.ts";
import type { Path } from "../document/problem.ts";
import { type Reading, refuse } from "../document/reading.ts";
import type { StepInput } from "./step-schema.ts";

const words = ["spare", "summary", "waits", "barrier", "dependent", "editable", "mandatory", "last"] as const;

type Flags = Pick<AgentStep, (typeof words)[number] | "follows">;

/** What cannot stand beside a flag, and why not. */
const contradictions = [
  ["spare", "mandatory", "a spare step is not in the chain at its start, so no edit can skip it"],
  ["barrier", "dependent", "a step that runs alone is in no wave"],
  ["spare", "last", "a spare step stands wherever a route puts it, so it cannot be the last"],
] as const;

/** Only what is true: a flag that is not set is not there. */
export function readFlags(reading: Reading, written: StepInput, path: Path): Flags {
  for (const field of ["spare", "last", "mandatory"] as const) {
    if (written.repeat_for === undefined || !written[field]) continue;
    refuse(reading, [...path, field], {
      message: `Step '${written.id}': \`${field}\` has no effect beside \`repeat_for\``,
      expected: "one of the two",
      hint: "what is repeated stands in the chain several times, and is left out when its list is read again",
    });
  }
  for (const [flag, field, why] of contradictions) {
    if (!written[flag] || !written[field]) continue;
    refuse(reading, [...path, field], {
      message: `Step '${written.id}': \`${field}\` has no effect beside \`${flag}\``,
      expected: `one of the two`,
      hint: why,
    });
  }
  return {
    ...Object.fromEntries(words.flatMap((word) => (written[word] ? [[word, true]] : []))),
    ...(written.follows ? { follows: written.follows.map(stepName) } : {}),
  };
}
