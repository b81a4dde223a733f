import { expect, test } from "vitest";
import { noUsage } from "../domain/attempt.ts";
import type { Event } from "../domain/event.ts";
import { attemptId, type RunId, runId } from "../domain/ids.ts";
import type { EndedSpan, Exporter } from "./exporter.ts";
import { closeMs, Recorder } from "./recorder.ts";
import type { TelemetryPorts } from "./telemetry.ts";

const run = runId("k3xabc");

class Log {
  readonly events: Event[] = [];
  readonly warned: string[] = [];
  readonly logged: string[] = [];
  reads = 0;
  fails = false;
  readonly ports: TelemetryPorts = {
    number: async () => 1,
    events: async (_: RunId, after: number, limit: number) => {
      this.reads += 1;
      if (this.fails) throw new Error("the store is busy");
      return this.events.slice(after, after + limit).map((event, index) => ({ seq: after + index + 1, event }));
    },
    gauges: async () => ({ runs: new Map(), readySteps: 0, runningAttempts: 0, openGates: 0, heldAccounts: 0 }),
    redact: (text) => text.replaceAll("hunter2", "[secret]"),
    log: (event) => this.logged.push(event),
    warn: (text) => this.warned.push(text),
  };

  /** Appends to the log, and returns what was appended. */
  add(...events: readonly Readonly<Record<string, unknown>>[]): readonly Event[] {
    const whole = events.map((event) => ({ at: 1_000, story: null, author: "driver", ...event }) as unknown as Event);
    this.events.push(...whole);
    return whole;
  }
}

function attempt(id: string, name = "work") {
  const step = { step: name, name, number: 1, visit: 1, executor: "claude" };
  return [
    { type: "attempt_dispatched", attempt: attemptId(id), ...step },
    { type: "attempt_ended", attempt: attemptId(id), outcome: "completed", verdict: null, taken: null, usage: noUsage },
  ];
}

const started = { type: "run_started", definition: { id: "small" } };

function listening(): { readonly spans: EndedSpan[]; readonly exporter: Exporter; closed(): number | null } {
  const spans: EndedSpan[] = [];
  let within: number | null = null;
  const exporter: Exporter = {
    span: (span) => spans.push(span),
    figure: () => undefined,
    observe: () => undefined,
    close: async (ms) => {
      within = ms;
    },
  };
  return { spans, exporter, closed: () => within };
}

test("[TL11] a process sends what it has committed, and nothing that another one has", async () => {
  const log = new Log();
  const { spans, exporter, closed } = listening();
  const recorder = new Recorder(log.ports, { sendsTraces: true, load: async () => exporter });
  log.add(started, ...attempt("at-theirs"));
  recorder.committed(run, log.add(...attempt("at-ours")));
  await recorder.close();
  expect(spans.map(({ attributes }) => attributes["pawl.attempt.id"])).toEqual(["at-ours"]);
  expect(closed()).toBeLessThanOrEqual(closeMs);
  // Nothing is read or sent once it is closed.
  const { reads } = log;
  recorder.committed(run, log.add(...attempt("at-late")));
  await recorder.close();
  expect([log.reads, spans.length]).toEqual([reads, 1]);
});

test("[TL11] a long log is read in pages, each event once, and a commit that comes meanwhile is not forgotten", async () => {
  const log = new Log();
  const { spans, exporter } = listening();
  const recorder = new Recorder(log.ports, { sendsTraces: true, load: async () => exporter });
  log.add(started, ...Array.from({ length: 1_000 }, () => ({ type: "run_paused" })));
  recorder.committed(run, log.add(...attempt("at-0")));
  for (let n = 1; n <= 20; n += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    recorder.committed(run, log.add(...attempt(`at-${n}`)));
  }
  await recorder.close();
  expect(spans.map(({ attributes }) => attributes["pawl.attempt.id"])).toEqual(
    Array.from({ length: 21 }, (_, n) => `at-${n}`),
  );
});

test("[TL5] a store that cannot be read now is read with the next commit, and the run does not notice", async () => {
  const log = new Log();
  const { spans, exporter } = listening();
  const recorder = new Recorder(log.ports, { sendsTraces: true, load: async () => exporter });
  log.fails = true;
  recorder.committed(run, log.add(started, ...attempt("at-1")));
  await expect.poll(() => log.logged).toEqual(["telemetry.not_read"]);
  log.fails = false;
  recorder.committed(run, log.add(...attempt("at-2")));
  await recorder.close();
  expect(spans).toHaveLength(2);
});

test("[TL5] the end of a process waits for telemetry for a bounded time, also where nothing of it answers", async () => {
  const log = new Log();
  const recorder = new Recorder(log.ports, { sendsTraces: true, load: async () => await new Promise(() => undefined) });
  recorder.committed(run, log.add(started, ...attempt("at-1")));
  const began = performance.now();
  await recorder.close();
  expect(performance.now() - began).toBeLessThan(closeMs + 3_000);
});

test("[TL4] packages that are missing are said once", async () => {
  const log = new Log();
  let loads = 0;
  const load = async () => {
    loads += 1;
    throw new Error("install them");
  };
  const recorder = new Recorder(log.ports, { sendsTraces: true, load });
  for (const id of ["at-1", "at-2"]) recorder.committed(run, log.add(started, ...attempt(id)));
  recorder.observe();
  await recorder.close();
  expect([loads, log.warned]).toEqual([1, ["install them"]]);
});

test("[TL14] every text that leaves is redacted and short", async () => {
  const log = new Log();
  const { spans, exporter } = listening();
  const recorder = new Recorder(log.ports, { sendsTraces: true, load: async () => exporter });
  recorder.committed(run, log.add(started, ...attempt("at-1", `hunter2${"x".repeat(1_000)}`)));
  await recorder.close();
  expect(spans[0]?.name).toMatch(/^attempt \[secret\]x+$/);
  expect(spans[0]?.attributes["pawl.step"]).toHaveLength(200);
  expect(JSON.stringify(spans)).not.toContain("hunter2");
});

test("[TL15] programs of attempts are told of the trace only where spans are sent", () => {
  const { ports } = new Log();
  const load = async () => listening().exporter;
  const variables = (sendsTraces: boolean) =>
    new Recorder(ports, { sendsTraces, load }).variablesFor(run, attemptId("at-1"));
  expect(variables(true)).toEqual({ TRACEPARENT: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/) });
  expect(variables(false)).toEqual({});
});
