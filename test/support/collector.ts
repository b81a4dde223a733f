// A collector of telemetry for tests: a real HTTP server on loopback that reads OTLP in JSON, and can also refuse requests, or accept
// them and never answer.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished } from "vitest";

export interface SentSpan {
  readonly name: string;
  readonly trace: string;
  readonly id: string;
  /** null: the root of its trace. */
  readonly parent: string | null;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly isFailure: boolean;
  readonly attributes: SentAttributes;
}

export interface SentPoint {
  readonly name: string;
  /** Of a histogram: its sum. */
  readonly value: number;
  /** Of a histogram: how many values it has. */
  readonly count: number;
  readonly attributes: SentAttributes;
}

export type SentAttributes = Readonly<Record<string, string | number | boolean>>;

export class Collector {
  readonly url: string;
  /** Every body that came, with the attributes of resources. */
  readonly bodies: string[] = [];
  readonly paths: string[] = [];
  connections = 0;
  answers = true;
  /** What it answers; from 400 on it refuses what was sent. */
  status = 200;

  constructor(url: string) {
    this.url = url;
  }

  take(path: string, body: string): void {
    this.paths.push(path);
    this.bodies.push(body);
  }

  /** What a process needs to send here. */
  get env(): Readonly<Record<string, string>> {
    return { PAWL_TELEMETRY: "1", OTEL_EXPORTER_OTLP_ENDPOINT: this.url };
  }

  get resources(): readonly SentAttributes[] {
    return this.#documents().flatMap(({ resourceSpans = [], resourceMetrics = [] }) =>
      [...resourceSpans, ...resourceMetrics].map(({ resource }) => attributesOf(resource.attributes)),
    );
  }

  get spans(): readonly SentSpan[] {
    const scopes = this.#documents().flatMap(({ resourceSpans = [] }) =>
      resourceSpans.flatMap((one) => one.scopeSpans),
    );
    return scopes.flatMap(({ spans }) =>
      spans.map((span) => ({
        name: span.name,
        trace: span.traceId,
        id: span.spanId,
        parent: span.parentSpanId || null,
        startedAt: Number(BigInt(span.startTimeUnixNano) / 1_000_000n),
        endedAt: Number(BigInt(span.endTimeUnixNano) / 1_000_000n),
        isFailure: span.status.code === 2,
        attributes: attributesOf(span.attributes),
      })),
    );
  }

  /** Of all that were sent: sums grow from one to the next. */
  get points(): readonly SentPoint[] {
    const scopes = this.#documents().flatMap(({ resourceMetrics = [] }) =>
      resourceMetrics.flatMap((one) => one.scopeMetrics),
    );
    return scopes.flatMap(({ metrics }) =>
      metrics.flatMap(
        ({ name, sum, gauge, histogram }) =>
          (sum ?? gauge ?? histogram)?.dataPoints.map((point) => ({
            name,
            value: Number(point.asInt ?? point.asDouble ?? point.sum),
            count: Number(point.count ?? 1),
            attributes: attributesOf(point.attributes),
          })) ?? [],
      ),
    );
  }

  #documents(): readonly Document[] {
    return this.bodies.map((body) => JSON.parse(body) as Document);
  }
}

/** `path`: `run › story US-001 › attempt coding 1`, one for each span, so that a tree can be compared. */
export function treeOf(spans: readonly SentSpan[]): readonly string[] {
  const known = new Map(spans.map((span) => [span.id, span]));
  expect(known.size).toBe(spans.length);
  expect(new Set(spans.map(({ trace }) => trace)).size).toBe(1);
  const wordsOf = ({ name, attributes }: SentSpan) =>
    [name, attributes["pawl.kind"] === "story" ? attributes["pawl.story"] : attributes["pawl.attempt.number"]]
      .filter((word) => word !== undefined)
      .join(" ");
  const pathOf = (span: SentSpan): string => {
    if (span.parent === null) return wordsOf(span);
    const parent = known.get(span.parent);
    return `${parent === undefined ? "(missing)" : pathOf(parent)} › ${wordsOf(span)}`;
  };
  return spans.map(pathOf).toSorted();
}

export async function startCollector(): Promise<Collector> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      expect(request.headers["content-type"]).toBe("application/json");
      collector.take(request.url ?? "", Buffer.concat(chunks).toString());
      if (collector.answers) response.writeHead(collector.status, { "content-type": "application/json" }).end("{}");
    });
  });
  server.on("connection", () => {
    collector.connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const collector = new Collector(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return collector;
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, string | number | boolean>>;
}

function attributesOf(list: readonly Attribute[] = []): SentAttributes {
  return Object.fromEntries(
    list.map(({ key, value }) => [
      key,
      value["intValue"] === undefined ? (Object.values(value)[0] ?? "") : Number(value["intValue"]),
    ]),
  );
}

interface Resourced {
  readonly resource: { readonly attributes?: readonly Attribute[] };
}

interface Points {
  readonly dataPoints: readonly {
    readonly attributes?: readonly Attribute[];
    readonly asInt?: number | string;
    readonly asDouble?: number;
    readonly sum?: number;
    readonly count?: number | string;
  }[];
}

interface Document {
  readonly resourceSpans?: readonly (Resourced & {
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        readonly name: string;
        readonly traceId: string;
        readonly spanId: string;
        readonly parentSpanId?: string;
        readonly startTimeUnixNano: string;
        readonly endTimeUnixNano: string;
        readonly status: { readonly code?: number };
        readonly attributes?: readonly Attribute[];
      }[];
    }[];
  })[];
  readonly resourceMetrics?: readonly (Resourced & {
    readonly scopeMetrics: readonly {
      readonly metrics: readonly {
        readonly name: string;
        readonly sum?: Points;
        readonly gauge?: Points;
        readonly histogram?: Points;
      }[];
    }[];
  })[];
}
