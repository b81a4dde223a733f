// Spans by OpenTelemetry: made whole when they have ended, with ids and times of their own, sent in batches from a bounded queue.

import type { SpanStatusCode } from "@opentelemetry/api";
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace";
import type { EndedSpan } from "../exporter.ts";
import type { SignalExporter } from "../settings.ts";
import { requestMs } from "./connections.ts";
import type { OtelParts } from "./parts.ts";
import { printLine } from "./print-line.ts";

/** What waits longer is lost when this process is killed. */
const batchMs = 500;
const mostWaiting = 2_048;
const batchSize = 256;

export interface Spans {
  send(span: EndedSpan): void;
  close(): Promise<void>;
}

export function openSpans(parts: OtelParts, exporter: SignalExporter): Spans {
  const { api, traces, OTLPTraceExporter } = parts.packages;
  const sending: SpanExporter =
    exporter === "otlp" ? new OTLPTraceExporter(parts.connections.options) : printing(api.SpanStatusCode.ERROR);
  parts.connections.watch("traces", sending);
  const next = { trace: "", id: "" };
  const provider = new traces.TracerProvider({
    resource: parts.resource,
    // Of a run all spans are sent or none; a collector can choose better which runs to keep.
    sampler: new traces.AlwaysOnSampler(),
    idGenerator: { generateTraceId: () => next.trace, generateSpanId: () => next.id },
    spanProcessors: [
      new traces.BatchSpanProcessor({
        exporter: sending,
        scheduledDelayMillis: batchMs,
        exportTimeoutMillis: requestMs,
        maxQueueSize: mostWaiting,
        maxExportBatchSize: batchSize,
      }),
    ],
  });
  const tracer = provider.getTracer("pawl", parts.version);
  return {
    send({ name, trace, id, parent, startedAt, endedAt, isFailure, attributes }) {
      Object.assign(next, { trace, id });
      const traceFlags = api.TraceFlags.SAMPLED;
      const root = api.ROOT_CONTEXT;
      const above =
        parent === null ? root : api.trace.setSpanContext(root, { traceId: trace, spanId: parent, traceFlags });
      // As dates: a number may be taken for a time since this process began.
      const made = tracer.startSpan(name, { startTime: new Date(startedAt), attributes }, above);
      if (isFailure) made.setStatus({ code: api.SpanStatusCode.ERROR });
      made.end(new Date(endedAt));
    },
    close: async () => await provider.shutdown(),
  };
}

/** On stderr: the output of a command is for programs. */
function printing(failure: SpanStatusCode): SpanExporter {
  return {
    export(spans, done) {
      for (const span of spans) printLine({ span: shown(span, failure) });
      done({ code: 0 });
    },
    forceFlush: async () => undefined,
    shutdown: async () => undefined,
  };
}

function shown(span: ReadableSpan, failure: SpanStatusCode): object {
  const { name, parentSpanContext, startTime, endTime, status, attributes } = span;
  const { traceId, spanId } = span.spanContext();
  const parent = parentSpanContext?.spanId ?? null;
  const [start, end] = [startTime, endTime].map(([seconds, nanoseconds]) =>
    new Date(seconds * 1_000 + nanoseconds / 1e6).toISOString(),
  );
  return { name, traceId, spanId, parent, start, end, isFailure: status.code === failure, attributes };
}
