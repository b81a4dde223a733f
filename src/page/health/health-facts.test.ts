// What the page about the service says.

import { expect, test } from "vitest";
import type { HealthDetails } from "../../contracts/http-documents.ts";
import { heardText, isGone, isRefusing, resetText, sizeText, troublesIn } from "./health-facts.ts";

const now = Date.parse("2026-01-02T12:00:00Z");
type Worker = HealthDetails["workers"][number];
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

const worker = (life: Worker["life"], heardAt: string | null): Worker => {
  const nothing = { runs: [], attempts: [], drives: [], performs: [] };
  return { worker: "process 1", life, host: "here", pid: 1, since: null, heardAt, ...nothing };
};
const queue = (waiting: number, attended: boolean): HealthDetails["queues"][number] => {
  const figures = { waiting, deferred: 0, active: 0, lost: 0, ended: null, waitingSince: null };
  return { queue: null, attended, ...figures };
};

test("[PG95] a worker on another machine that was not heard of for longer than it may be is gone; one of this machine when its process is", () => {
  const quiet = worker("unknown", "2026-01-02T11:59:00Z");
  expect([isGone(quiet, now), heardText(quiet, now)]).toEqual([true, "not heard of for 1 min"]);
  const there = worker("unknown", "2026-01-02T11:59:50Z");
  expect([isGone(there, now), heardText(there, now)]).toEqual([false, "heard of 10 s ago"]);
  // An agent that pulls says nothing before its step is over.
  expect(isGone(worker("unknown", null), now)).toBe(false);
  const alive = worker("alive", "2026-01-02T11:59:00Z");
  expect([isGone(alive, now), heardText(alive, now)]).toEqual([false, "alive"]);
  expect([isGone(worker("dead", null), now), heardText(worker("dead", null), now)]).toEqual([true, "dead"]);
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
    workers: [worker("alive", null)],
    machines: [],
    queues: [queue(2, true)],
    undriven: [],
    accounts: [account("quota", "2026-01-02T11:30:00Z")],
    schedules: [],
  };
  expect(troublesIn(good, now)).toBe(0);
  const undriven = [1, 2].map((number) => ({ run: String(number), number, task: "", since: "2026-01-02T11:00:00Z" }));
  const bad: HealthDetails = {
    ...good,
    doctor: { ok: false, findings: [{ name: "git", needed: true, ok: false, detail: "", hint: "" }] },
    workers: [worker("dead", null)],
    undriven,
    accounts: [account("auth", "2026-01-02T11:30:00Z")],
  };
  expect(troublesIn(bad, now)).toBe(4);
  expect(troublesIn({ ...good, doctor: null }, now)).toBe(0);
  // Runs that nothing drives and steps that nobody takes are one trouble.
  expect(troublesIn({ ...bad, queues: [queue(2, false)] }, now)).toBe(4);
  expect(troublesIn({ ...good, queues: [queue(2, false)] }, now)).toBe(1);
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
