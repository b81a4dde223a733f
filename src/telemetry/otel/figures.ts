// Metrics by OpenTelemetry: counters and histograms of attempts, and gauges of the store that are read when they are sent.

import type { PushMetricExporter } from "@opentelemetry/sdk-metrics";
import type { RunStatus } from "../../domain/run.ts";
import type { Figure } from "../exporter.ts";
import type { SignalExporter } from "../settings.ts";
import type { Gauges } from "../telemetry.ts";
import { requestMs } from "./connections.ts";
import type { OtelParts } from "./parts.ts";
import { printLine } from "./print-line.ts";

export interface Figures {
  add(figure: Figure): void;
  observe(read: () => Promise<Gauges>): void;
  close(): Promise<void>;
}

/** In seconds: agents work for minutes or hours, and a ready step waits for moments or for a permit. */
const durations = [1, 5, 15, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600, 7_200, 14_400];
const waits = [0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600];

/** One that no run has is sent as zero: it may have had some before. */
const statuses: readonly RunStatus[] = ["running", "held", "paused", "done", "failed", "cancelled"];

export function openFigures(parts: OtelParts, exporter: SignalExporter): Figures {
  const { metrics, OTLPMetricExporter } = parts.packages;
  const sending = exporter === "otlp" ? new OTLPMetricExporter(parts.connections.options) : printing();
  parts.connections.watch("metrics", sending);
  const { metricsEveryMs } = parts.settings;
  const reader = new metrics.PeriodicExportingMetricReader({
    exporter: sending,
    exportIntervalMillis: metricsEveryMs,
    exportTimeoutMillis: Math.min(requestMs, metricsEveryMs),
  });
  const provider = new metrics.MeterProvider({ resource: parts.resource, readers: [reader] });
  const meter = provider.getMeter("pawl", parts.version);
  const attempts = meter.createCounter("pawl.attempts", { unit: "{attempt}", description: "attempts that have ended" });
  const tokens = meter.createCounter("pawl.tokens", { unit: "{token}", description: "tokens that agents reported" });
  const cost = meter.createCounter("pawl.cost", { unit: "USD", description: "what ended attempts cost" });
  const duration = meter.createHistogram("pawl.attempt.duration", {
    unit: "s",
    description: "from the claim of an attempt to its end",
    advice: { explicitBucketBoundaries: durations },
  });
  const wait = meter.createHistogram("pawl.attempt.wait", {
    unit: "s",
    description: "from a step that is ready to its attempt",
    advice: { explicitBucketBoundaries: waits },
  });
  return {
    add(figure) {
      const { labels } = figure;
      if (figure.type === "began") return wait.record(figure.waitedMs / 1_000, labels);
      const { inputTokens, outputTokens, cacheReadTokens = 0, costUsd } = figure.usage;
      attempts.add(1, labels);
      duration.record(figure.ms / 1_000, labels);
      const used = { input: inputTokens, output: outputTokens, cache_read: cacheReadTokens };
      for (const [type, count] of Object.entries(used))
        if (count > 0) tokens.add(count, { ...labels, "pawl.token.type": type });
      if (costUsd > 0) cost.add(costUsd, labels);
    },
    observe(read) {
      const gauge = (name: string, unit: string) => meter.createObservableGauge(name, { unit });
      const runs = gauge("pawl.runs", "{run}");
      const readySteps = gauge("pawl.steps.ready", "{step}");
      const runningAttempts = gauge("pawl.attempts.running", "{attempt}");
      const openGates = gauge("pawl.gates.open", "{gate}");
      const heldAccounts = gauge("pawl.accounts.held", "{account}");
      meter.addBatchObservableCallback(
        async (result) => {
          const seen = await read();
          for (const status of statuses) result.observe(runs, seen.runs.get(status) ?? 0, { "pawl.status": status });
          result.observe(readySteps, seen.readySteps);
          result.observe(runningAttempts, seen.runningAttempts);
          result.observe(openGates, seen.openGates);
          result.observe(heldAccounts, seen.heldAccounts);
        },
        [runs, readySteps, runningAttempts, openGates, heldAccounts],
      );
    },
    close: async () => await provider.shutdown(),
  };
}

function printing(): PushMetricExporter {
  return {
    export({ scopeMetrics }, done) {
      for (const { descriptor, dataPoints } of scopeMetrics.flatMap((scope) => scope.metrics)) {
        const { name, unit } = descriptor;
        const points = dataPoints.map(({ attributes, value }) => ({ attributes, value }));
        printLine({ metric: { name, unit, points } });
      }
      done({ code: 0 });
    },
    forceFlush: async () => undefined,
    shutdown: async () => undefined,
  };
}
