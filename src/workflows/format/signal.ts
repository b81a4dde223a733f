// Lowers a step that waits for a signal. It becomes a gate that a program answers, so that deadlines, holding and going back are those
// of gates.

import type { GateStep } from "../../domain/definition.ts";
import { isSafeId } from "../../domain/ids.ts";
import { foldValue } from "../../domain/route.ts";
import { lateOption, receivedOption } from "../../domain/signal.ts";
import { durationMs, formatDuration } from "../document/duration.ts";
import type { Path } from "../document/problem.ts";
import { from, type Reading, refuse } from "../document/reading.ts";
import { refuseUnprintable } from "./commands.ts";
import { readBare } from "./routes.ts";
import type { StepInput } from "./step-schema.ts";

type Base = Pick<GateStep, "name" | "title" | "if">;

export function readSignal(reading: Reading, written: StepInput, path: Path, base: Base): GateStep {
  const name = written.signal ?? "";
  if (!isSafeId(name)) {
    refuse(reading, [...path, "signal"], {
      message: `Step '${base.name}': "${name}" is not the name of a signal`,
      expected: "letters, digits, dots, dashes and underscores, at most 64, starting with a letter or digit",
      hint: "programs send it as `pawl signal RUN NAME`: `signal: deploy-done`",
    });
  }
  refuseUnprintable(reading, written, path);
  return {
    kind: "gate",
    ...base,
    question: `waits for the signal ${name}`,
    ...readLate(reading, written, path, name),
    signal: { name, produces: (written.produces ?? []).map(foldValue) },
    ...(written.spare ? { spare: true } : {}),
  };
}

/** What happens when the signal does not come in time. */
function readLate(
  reading: Reading,
  { id, timeout, on_timeout: onTimeout }: StepInput,
  path: Path,
  name: string,
): Pick<GateStep, "options" | "deadline"> {
  const received = { to: "next" } as const;
  if (timeout === undefined) {
    if (onTimeout !== undefined) {
      refuse(reading, [...path, "on_timeout"], {
        message: `Step '${id}': \`on_timeout\` without \`timeout\``,
        expected: "`timeout: TIME` beside it",
        hint: "without a time the step waits for its signal for ever",
      });
    }
    return { options: { [receivedOption]: received } };
  }
  if (typeof timeout === "object") {
    refuse(reading, [...path, "timeout"], {
      message: `Step '${id}': a signal has one time limit`,
      expected: "`timeout: TIME`",
      hint: "`wall` and `quiet` are for programs",
    });
    return { options: { [receivedOption]: received } };
  }
  const afterMs = durationMs(timeout);
  const reason = `the signal ${name} did not come within ${formatDuration(afterMs)}`;
  const late =
    onTimeout === undefined || onTimeout === "fail"
      ? ({ to: "fail", reason } as const)
      : readBare(reading, onTimeout, [...path, "on_timeout"], { of: "answer", step: id });
  return {
    options: { [receivedOption]: received, [lateOption]: late },
    deadline: from(reading, [...path, "timeout"], { afterMs, option: lateOption }),
  };
}
