// What the page about the service says of its documents: sizes, what needs a person, and when an account can be used again.

import type { HealthDetails } from "../../contracts/http-documents.ts";
import { clockText, spanText } from "../parts/time-text.ts";
import { healthTexts as texts } from "../texts/health.ts";

const units = ["B", "KB", "MB", "GB", "TB"] as const;

/** `870 B`, `1.2 MB`. */
export function sizeText(bytes: number): string {
  // 999,950 would round to 1000.0 KB.
  const step = units.findIndex((_, i) => bytes < 999.5 * 1_000 ** i || i === units.length - 1);
  const value = bytes / 1_000 ** step;
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[step]}`;
}

/** How many things a person should do something about. */
export function troublesIn(health: HealthDetails, now: number): number {
  const { doctor, accounts, schedules, undriven, workers, queues } = health;
  return (
    (doctor?.findings.filter(({ needed, ok }) => needed && !ok).length ?? 0) +
    accounts.filter((account) => isRefusing(account, now)).length +
    schedules.filter(({ state }) => state === "broken").length +
    workers.filter((worker) => isGone(worker, now)).length +
    // Steps wait where no process is: that is one thing.
    (undriven.length > 0 || queues.some(({ attended }) => !attended) ? 1 : 0)
  );
}

type LifeOf = Pick<HealthDetails["workers"][number], "life" | "heardAt">;

/** A worker renews what it has every 5 seconds, and loses it after 20 to 30. */
const quietAfterMs = 30_000;

/** It is dead, or on another machine and not heard of for longer than it may be. */
export function isGone({ life, heardAt }: LifeOf, now: number): boolean {
  if (life !== "unknown") return life === "dead";
  return heardAt !== null && now - Date.parse(heardAt) > quietAfterMs;
}

export function heardText({ life, heardAt }: LifeOf, now: number): string {
  if (life !== "unknown" || heardAt === null) return texts.life[life];
  const span = spanText(now - Date.parse(heardAt));
  return isGone({ life, heardAt }, now) ? texts.quiet(span) : texts.heard(span);
}

type Account = HealthDetails["accounts"][number];

/** An account that hit its quota works again after its time; one that is not logged in needs a person whatever the time. */
export function isRefusing({ cause, until }: Account, now: number): boolean {
  return cause === "auth" || Date.parse(until) > now;
}

export function resetText(account: Account, now: number): string {
  if (account.cause === "auth") return texts.logIn;
  const until = Date.parse(account.until);
  if (until <= now) return texts.tried(clockText(until, now));
  return texts.resets(clockText(until, now), spanText(until - now));
}
