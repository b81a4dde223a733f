// Lowers `integrate`: its message, and where it leads after a conflict or a red check.

import type { IntegrateStep } from "../../domain/definition.ts";
import type { StepName } from "../../domain/ids.ts";
import { durationMs } from "../document/duration.ts";
import type { Path } from "../document/problem.ts";
import { type Reading, refuse } from "../document/reading.ts";
import { readBudget } from "./budget.ts";
import { readChecks } from "./checks.ts";
import { readVariables } from "./commands.ts";
import { againRule, plain, type Rules } from "./default-rules.ts";
import { readOnError } from "./on-error.ts";
import { readOn } from "./routes.ts";
import { readShares } from "./shares.ts";
import type { StepInput } from "./step-schema.ts";

/** Why an integration says no. */
const reasons = ["conflict", "checks"];
const usualMessage = "feat: {{story}} - {{title}}";
/** Git may find its files locked, or a disk full for a while; the work of a story is too dear to be given up for that. */
const errorsAtMost = 5;

export function readIntegrate(
  reading: Reading,
  written: StepInput,
  path: Path,
  base: Pick<IntegrateStep, "name" | "title" | "include">,
): IntegrateStep {
  const given = readOn(reading, written, path);
  refuseOtherReasons(reading, given, path, base.name);
  const refused = plain({ to: "fail", reason: `${base.name}: the story cannot be integrated` });
  const on: Rules = { passed: plain({ to: "next" }), rejected: refused, ...given };
  const timeout = typeof written.timeout === "object" ? written.timeout : { wall: written.timeout };
  if ("quiet" in timeout && timeout.quiet !== undefined) {
    refuse(reading, [...path, "timeout", "quiet"], {
      message: `Step '${base.name}': \`quiet\` has no effect on an integrate step, which prints nothing`,
      expected: "`timeout: TIME`",
      hint: "remove `quiet`",
    });
  }
  return {
    kind: "integrate",
    ...base,
    message: (typeof written.integrate === "object" ? written.integrate?.message : undefined) ?? usualMessage,
    input: "",
    produces: [],
    decide: null,
    expects: null,
    on,
    ...readOnError(reading, written, path, againRule(base.name, "still failing", errorsAtMost)),
    budget: readBudget(reading, written, path, on),
    checks: readChecks(reading, written, path),
    ...readVariables(reading, written, path),
    wallMs: timeout.wall === undefined ? null : durationMs(timeout.wall),
    quietMs: null,
    ...readShares(reading, written, path, true),
    ...(written.waits ? { waits: true } : {}),
  };
}

function refuseOtherReasons(reading: Reading, given: Rules, path: Path, step: StepName): void {
  for (const key of Object.keys(given)) {
    const reason = key.startsWith("rejected:") ? key.slice("rejected:".length) : null;
    if (reason === null || reasons.includes(reason)) continue;
    refuse(reading, [...path, "on", "rejected", reason], {
      message: `Step '${step}': an integration is never rejected for the reason "${reason}"`,
      expected: `default and ${reasons.join(", ")}`,
      hint: "conflict: the story does not fit on the base; checks: a check is red there",
    });
  }
}
