// The times at which a schedule is due. Pure: each question names the time that it starts from.

import { Cron } from "croner";

/** All times are milliseconds since 1970. */
export interface TickTimes {
  /** The first tick after this time; null: there is none. */
  next(after: number): number | null;
  /** The last tick that is not after this time; null: there is none. */
  latest(notAfter: number): number | null;
}

export interface WrongSchedule {
  readonly field: "cron" | "zone";
  /** What is wrong, as the end of a sentence that names the field. */
  readonly wrong: string;
  readonly expected: string;
  readonly hint: string;
}

const longestCron = 200;

/** The times of a cron expression in a time zone, or what is wrong with one of the two. */
export function tickTimes(cron: string, zone: string): TickTimes | WrongSchedule {
  const wrongZone = isZone(zone) ? null : wrongZoneOf(zone);
  if (wrongZone !== null) return wrongZone;
  try {
    // Without a function to call, croner starts no timer.
    const pattern = new Cron(cron.trim(), { timezone: zone, mode: "5-part" });
    const times: TickTimes = {
      next: (after) => pattern.nextRun(new Date(after))?.getTime() ?? null,
      // croner counts whole seconds, and looks back from before the one that it is given.
      latest: (notAfter) => pattern.previousRuns(1, new Date(notAfter + 1_000))[0]?.getTime() ?? null,
    };
    // croner takes a date in place of a pattern, and puts the time of the machine where a field is `?`.
    if (!isPattern(cron)) return wrongCron("is not a cron expression");
    return times.next(anyTime) === null ? wrongCron(`never comes: no date fits \`${cron.trim()}\``) : times;
  } catch (error) {
    return wrongCron(reasonOf(error));
  }
}

/** The years before and after it have every date that there is. */
const anyTime = Date.UTC(2024, 0, 1);

function isPattern(cron: string): boolean {
  return cron.length <= longestCron && !cron.includes("?") && (cron.startsWith("@") || cron.trim().includes(" "));
}

function isZone(zone: string): boolean {
  try {
    // An offset such as +02:00 has no summer time, which is not what anybody means by a zone.
    return /^[A-Za-z]/.test(zone) && new Intl.DateTimeFormat("en", { timeZone: zone }).format(0) !== "";
  } catch {
    return false;
  }
}

function wrongZoneOf(zone: string): WrongSchedule {
  const near = Intl.supportedValuesOf("timeZone").find((known) =>
    known.toLowerCase().endsWith(`/${zone.trim().toLowerCase().replaceAll(" ", "_")}`),
  );
  return {
    field: "zone",
    wrong: `\`${zone}\` is not a time zone`,
    expected: "a name of the IANA time zones, such as Europe/Berlin or UTC",
    hint: near === undefined ? "write the continent and the city: `zone: Europe/Berlin`" : `did you mean \`${near}\`?`,
  };
}

function wrongCron(wrong: string): WrongSchedule {
  return {
    field: "cron",
    wrong,
    expected: "five fields: minute, hour, day of the month, month, day of the week",
    hint: 'for example `cron: "0 3 * * 1-5"`: at 03:00, Monday to Friday',
  };
}

/** croner names its own class first. */
function reasonOf(error: unknown): string {
  const text = (error instanceof Error ? error.message : String(error)).replace(/^[A-Za-z]+:\s*/, "");
  const reason = text.replace(/\.$/, "").replace(/^./, (letter) => letter.toLowerCase());
  return /parts/.test(reason) ? "does not have five fields" : `is not a cron expression: ${reason}`;
}
