// Reads `schedule` of a file: when it is due, what it is given.

import { engineKeys } from "../../domain/context.ts";
import type { Schedule } from "../../domain/schedule.ts";
import { type Reading, refuse } from "../document/reading.ts";
import { tickTimes } from "../schedule/tick-times.ts";
import type { WorkflowInput } from "./schema.ts";

/** `required`: the inputs without a default, which nobody else gives a value. */
export function readSchedule(
  reading: Reading,
  { cron, zone = "UTC", task, missed = "once", context = {} }: NonNullable<WorkflowInput["schedule"]>,
  required: readonly string[],
): Schedule {
  const times = tickTimes(cron, zone);
  if ("wrong" in times) {
    const message = times.field === "zone" ? `\`schedule\`: ${times.wrong}` : `\`schedule.cron\` ${times.wrong}`;
    refuse(reading, ["schedule", times.field], { message, expected: times.expected, hint: times.hint });
  }
  if (task.trim() === "") {
    refuse(reading, ["schedule", "task"], {
      message: "`schedule.task` is empty",
      expected: "what should be done, as in `pawl run WORKFLOW TASK`",
      hint: 'for example `task: "Audit the code base"`',
    });
  }
  return { cron: cron.trim(), zone, task, missed, context: readContext(reading, context, required) };
}

function readContext(
  reading: Reading,
  written: NonNullable<NonNullable<WorkflowInput["schedule"]>["context"]>,
  required: readonly string[],
): Schedule["context"] {
  const given = Object.entries(written).map(([key, value]) => [key, key.toLowerCase(), String(value ?? "")] as const);
  for (const [written, key] of given) {
    const isOwn = engineKeys.has(key) && key !== "branch";
    if (!isOwn && /^[a-z_][a-z0-9_]*$/.test(key)) continue;
    refuse(reading, ["schedule", "context", written], {
      message: `\`schedule.context\`: ${isOwn ? `Pawl itself sets ${key}` : `"${written}" cannot be a key`}`,
      expected: "keys of letters, digits and `_` that Pawl does not set itself",
      hint: "choose a name such as `ticket`",
    });
  }
  const context = Object.fromEntries(given.map(([, key, value]) => [key, value]));
  const missing = required.filter((name) => !Object.hasOwn(context, name));
  if (missing.length > 0) {
    refuse(reading, ["schedule"], {
      message: `\`schedule\` gives no value for the input ${missing.join(", ")}`,
      expected: "a value for each input without a default",
      hint: `write \`context: { ${missing.map((name) => `${name}: …`).join(", ")} }\` in \`schedule\``,
    });
  }
  return context;
}
