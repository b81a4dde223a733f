// Finds the time at which a limit ends in the messages of agents and their APIs.

/** Later than any limit, and early enough for every date format. */
const latest = Date.UTC(9999, 0);

/** Takes seconds or milliseconds since 1970; the size of the number shows which. */
export function instantOf(value: number | null): number | null {
  return value === null ? null : sane(value < 1e11 ? value * 1000 : value);
}

/** `at` is when the message was printed. Null: it names no time. */
export function resetTimeIn(message: string, at: number): number | null {
  for (const read of forms) {
    const found = read(message, at);
    if (found !== null) return sane(found);
  }
  return null;
}

function sane(at: number): number | null {
  return at > 0 && at < latest ? Math.round(at) : null;
}

type Form = (message: string, at: number) => number | null;

/** `…limit reached|1893456000` */
const epoch: Form = (message) => {
  const found = /\|(\d{10}|\d{13})\b/.exec(message);
  return found ? instantOf(Number(found[1])) : null;
};

const verb = String.raw`(?:try again|retry|resets?|available(?: again)?)`;

/** `try again at 2030-01-07T07:06:00Z` */
const iso: Form = (message) => {
  const found = new RegExp(String.raw`\b${verb}\D{0,8}(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z)`, "i").exec(
    message,
  );
  return found ? Date.parse(found[1] ?? "") : null;
};

/** `try again in 1.5s`, `retry in 34.07s`, `will reset after 3h12m5s`, `try again in 2 days 4 hours`, `"retryDelay": "34s"` */
const inWhile: Form = (message, at) => {
  const found = span.exec(message);
  if (!found) return null;
  let ms = 0;
  for (const [, amount, unit = ""] of (found[1] ?? "").matchAll(/(\d+(?:\.\d+)?)\s*(ms|milli|[a-z])/gi))
    ms += Number(amount) * (unitMs[unit.toLowerCase()] ?? 0);
  return at + ms;
};

const unitMs: Readonly<Record<string, number>> = { ms: 1, milli: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const amount = String.raw`\d+(?:\.\d+)?\s*(?:ms|milliseconds?|days?|hours?|hrs?|minutes?|mins?|seconds?|secs?|[dhms])`;
const span = new RegExp(
  String.raw`(?:\b${verb} (?:in|after)\s+|"retryDelay"\W{1,4})((?:${amount}(?:,|\s|and\b)*){1,6})`,
  "i",
);

/** `try again at Jan 7th, 2030 7:06 AM`, `try again at 7:06 AM`, `resets Jan 1, 2030, 12am (UTC)`, `resets 3pm (Europe/Berlin)` */
const onClock: Form = (message, at) => {
  const found = clock.exec(message)?.groups;
  if (!found) return null;
  const zone = found["zone"] ?? null;
  const today = wallTime(at, zone);
  if (today === null) return null;
  const [hour, minute] = [
    (Number(found["hour"]) % 12) + (/p/i.test(found["half"] ?? "") ? 12 : 0),
    Number(found["minute"] ?? 0),
  ];
  const month = months.indexOf((found["month"] ?? "").slice(0, 3).toLowerCase());
  if (month === -1) {
    const later = toInstant({ ...today, hour, minute }, zone);
    return later >= at ? later : toInstant({ ...today, day: today.day + 1, hour, minute }, zone);
  }
  const day = { month, day: Number(found["day"]), hour, minute };
  if (found["year"] !== undefined) return toInstant({ ...day, year: Number(found["year"]) }, zone);
  const thisYear = toInstant({ ...day, year: today.year }, zone);
  return thisYear >= at ? thisYear : toInstant({ ...day, year: today.year + 1 }, zone);
};

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const clock = new RegExp(
  [
    String.raw`\b${verb}\s+(?:at\s+|on\s+)?`,
    String.raw`(?:(?<month>[A-Z][a-z]{2,8})\s+(?<day>\d{1,2})(?:st|nd|rd|th)?,?\s+(?:(?<year>\d{4}),?\s+)?(?:at\s+)?)?`,
    String.raw`(?<hour>\d{1,2})(?::(?<minute>\d\d))?\s*(?<half>[ap])\.?m\b`,
    String.raw`(?:\.?\s*\((?<zone>[\w/+-]{1,40})\))?`,
  ].join(""),
  "i",
);

const forms: readonly Form[] = [epoch, iso, inWhile, onClock];

interface WallTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
}

/** A time without a zone is local: the agent that printed it runs here. */
function toInstant(wall: WallTime, zone: string | null): number {
  const { year, month, day, hour, minute } = wall;
  if (zone === null) return new Date(year, month, day, hour, minute).getTime();
  const asUtc = Date.UTC(year, month, day, hour, minute);
  // Twice: the first guess may be on the other side of a clock change.
  const guess = asUtc - offsetAt(asUtc, zone);
  return asUtc - offsetAt(guess, zone);
}

function offsetAt(at: number, zone: string): number {
  const wall = wallTime(at, zone);
  if (wall === null) return 0;
  return Date.UTC(wall.year, wall.month, wall.day, wall.hour, wall.minute) - Math.floor(at / 60_000) * 60_000;
}

/** Null for a zone that does not exist. */
function wallTime(at: number, zone: string | null): WallTime | null {
  const shape = { year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric" } as const;
  try {
    const format = new Intl.DateTimeFormat("en-US", {
      ...shape,
      hourCycle: "h23",
      ...(zone === null ? {} : { timeZone: zone }),
    });
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = parts;
    return { year, month: month - 1, day, hour, minute };
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
