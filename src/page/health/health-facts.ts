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
export function troublesIn({ doctor, accounts, schedules, undriven, workers }: HealthDetails, now: number): number {
  return (
    (doctor?.findings.filter(({ needed, ok }) => needed && !ok).length ?? 0) +
    accounts.filter((account) => isRefusing(account, now)).length +
    schedules.filter(({ state }) => state === "broken").length +
    workers.filter(({ life }) => life === "dead").length +
    (undriven.length > 0 ? 1 : 0)
  );
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
