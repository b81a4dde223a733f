// Lowers the flags of a step (`spare`, `summary`, `editable`, `mandatory`, `last`,
// `follows`) and refuses flags that contradict each other.

import type { AgentStep } from "../../domain/definition.ts";
import { stepName } from "../../domain/ids.ts";
import type { Path } from "../document/problem.ts";
import { type Reading, refuse } from "../document/reading.ts";
import type { StepInput } from "./schema.ts";

type Flags = Pick<AgentStep, "spare" | "summary" | "editable" | "mandatory" | "last" | "follows">;

const words = ["spare", "summary", "editable", "mandatory", "last"] as const;

/** What cannot stand beside a flag, and why not. */
const contradictions = [
  ["summary", "decide", "a step with `summary` has passed when it has run to its end; nothing in its answer decides"],
  ["summary", "expects", "a step with `summary` has passed when it has run to its end; its answer is not compared"],
  ["summary", "produces", "the answer of a step with `summary` sets no keys; the summary is what it hands on"],
  ["spare", "mandatory", "a spare step is not in the chain at its start, so no edit can skip it"],
  ["spare", "last", "a spare step stands wherever a route puts it, so it cannot be the last"],
] as const;

/** Only what is true: a flag that is not set is not there. */
export function readFlags(reading: Reading, written: StepInput, path: Path): Flags {
  for (const [flag, field, why] of contradictions) {
    if (!written[flag] || !written[field]) continue;
    refuse(reading, [...path, field], {
      message: `Step '${written.id}': \`${field}\` has no effect beside \`${flag}\``,
      expected: `one of the two`,
      hint: why,
    });
  }
  if (written.summary && written.on?.rejected !== undefined && !written.checks?.length) {
    refuse(reading, [...path, "on", "rejected"], {
      message: `Step '${written.id}': \`on.rejected\` can never happen: only a red check rejects a step with \`summary\``,
      expected: "`checks` beside it, or no `rejected`",
      hint: "what does not run to its end is routed by `on_error`",
    });
  }
  return {
    ...Object.fromEntries(words.flatMap((word) => (written[word] ? [[word, true]] : []))),
    ...(written.follows ? { follows: written.follows.map(stepName) } : {}),
  };
}
