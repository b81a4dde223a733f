// Lowers what a step shares with others: its `lock`, the `labels` of its machine, and the `concurrency` of stories that are at it.

import type { PerformedDefinition } from "../../domain/definition.ts";
import { isSafeId } from "../../domain/ids.ts";
import type { Path } from "../document/problem.ts";
import { type Reading, refuse } from "../document/reading.ts";
import type { StepInput } from "./step-schema.ts";

export function readShares(
  reading: Reading,
  written: StepInput,
  path: Path,
  inBody: boolean,
): Pick<PerformedDefinition, "lock" | "labels" | "concurrency"> {
  const { id, lock, labels, concurrency } = written;
  if (lock !== undefined && !isSafeId(lock)) {
    refuse(reading, [...path, "lock"], {
      message: `Step '${id}': "${lock}" is not the name of a lock`,
      expected: "letters, digits, dots, dashes and underscores, at most 64, starting with a letter or digit",
      hint: "steps with the same name share the lock: `lock: test-database`",
    });
  }
  if (concurrency !== undefined && !inBody) {
    refuse(reading, [...path, "concurrency"], {
      message: `Step '${id}': \`concurrency\` has no effect: only stories are at a step at the same time`,
      expected: "`concurrency` on a step in the `body` of stories",
      hint: "remove it; `lock: NAME` lets one run at a time perform it",
    });
  }
  for (const [index, label] of (labels ?? []).entries()) {
    if (isSafeId(label)) continue;
    refuse(reading, [...path, "labels", index], {
      message: `Step '${id}': "${label}" is not a label`,
      expected: "letters, digits, dots, dashes and underscores, at most 64, starting with a letter or digit",
      hint: "a worker has labels by `pawl worker --labels gpu`, or by `worker.labels` of its configuration",
    });
  }
  return {
    ...(lock === undefined ? {} : { lock }),
    ...(labels === undefined ? {} : { labels }),
    ...(concurrency === undefined ? {} : { concurrency }),
  };
}
