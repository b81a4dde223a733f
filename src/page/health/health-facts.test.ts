// What the page about the service says.

import { expect, test } from "vitest";
import type { HealthDetails } from "../../contracts/http-documents.ts";
import { isRefusing, resetText, sizeText, troublesIn } from "./health-facts.ts";

const now = Date.parse("2026-01-02T12:00:00Z");
const account = (cause: "quota" | "auth", until: string): HealthDetails["accounts"][number] => ({
  account: "claude",
  cause,
  since: "2026-01-02T11:00:00Z",
  until,
  times: 1,
  why: "",
});

test("[PG86] an account at its quota says when it resets, and is no trouble after that; one that is not logged in stays one", () => {
  const later = account("quota", "2026-01-02T14:30:00Z");
  expect(isRefusing(later, now)).toBe(true);
  expect(resetText(later, now)).toMatch(/^resets at .*, in 2 h 30 min$/);
  const over = account("quota", "2026-01-02T11:30:00Z");
  expect(isRefusing(over, now)).toBe(false);
  expect(resetText(over, now)).toMatch(/^is tried again since /);
  const loggedOut = account("auth", "2026-01-02T11:30:00Z");
  expect(isRefusing(loggedOut, now)).toBe(true);
  expect(resetText(loggedOut, now)).toContain("Log in");
});

test("[PG85] what needs a person is counted; what is optional and missing is not", () => {
  const good: HealthDetails = {
    service: { version: "1", pid: 1, startedAt: "2026-01-02T11:00:00Z", streams: 0 },
    store: { name: "", bytes: 0, runs: { running: 0, held: 0, paused: 0, done: 0, failed: 0, cancelled: 0 } },
    doctor: {
      ok: true,
      findings: [
        { name: "git", needed: true, ok: true, detail: "", hint: "" },
        { name: "gh", needed: false, ok: false, detail: "not found", hint: "" },
      ],
    },
    workers: [{ worker: "w", life: "alive", runs: [], attempts: [] }],
    undriven: [],
    accounts: [account("quota", "2026-01-02T11:30:00Z")],
    schedules: [],
  };
  expect(troublesIn(good, now)).toBe(0);
  const undriven = [1, 2].map((number) => ({ run: String(number), number, task: "", since: "2026-01-02T11:00:00Z" }));
  const bad: HealthDetails = {
    ...good,
    doctor: { ok: false, findings: [{ name: "git", needed: true, ok: false, detail: "", hint: "" }] },
    workers: [{ worker: "w", life: "dead", runs: [], attempts: [] }],
    undriven,
    accounts: [account("auth", "2026-01-02T11:30:00Z")],
  };
  expect(troublesIn(bad, now)).toBe(4);
  expect(troublesIn({ ...good, doctor: null }, now)).toBe(0);
});

test("[PG85] sizes are in units that people read", () => {
  expect([0, 870, 1_000, 1_234_567, 520_192, 999_999, 7e15].map(sizeText)).toEqual([
    "0 B",
    "870 B",
    "1.0 KB",
    "1.2 MB",
    "520 KB",
    "1.0 MB",
    "7000 TB",
  ]);
});
