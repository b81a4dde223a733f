// Times and spans as people read them.

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** `4 s`, `12 min`, `3 h 5 min`, `2 d 4 h`. */
export function spanText(ms: number): string {
  const value = Math.max(0, ms);
  if (value < minute) return `${Math.min(59, Math.round(value / second))} s`;
  if (value < hour) return `${Math.floor(value / minute)} min`;
  if (value < day) return joined(value, hour, "h", minute, "min");
  return joined(value, day, "d", hour, "h");
}

function joined(ms: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)} ${largeName}${rest === 0 ? "" : ` ${rest} ${smallName}`}`;
}

/** `3 min ago`. */
export function agoText(at: number, now: number): string {
  const ms = now - at;
  return ms < 5 * second ? "just now" : `${spanText(ms)} ago`;
}

/** `14:03:07`, and with its day where that is another one. */
export function clockText(at: number, now = Date.now()): string {
  const date = new Date(at);
  const time = date.toLocaleTimeString("en-GB");
  if (date.toDateString() === new Date(now).toDateString()) return time;
  return `${date.toLocaleDateString("en-GB", { day: "numeric", month: "short" })} ${time}`;
}
