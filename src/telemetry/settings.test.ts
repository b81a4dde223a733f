import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { installCommand } from "./otel/packages.ts";
import { telemetryState } from "./settings.ts";

const yes = { PAWL_TELEMETRY: "1" };
const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" };

function signals(env: Readonly<Record<string, string>>, configured = false): string {
  const state = telemetryState(env, configured);
  return state.on ? `traces ${state.settings.traces}, metrics ${state.settings.metrics}` : state.why;
}

test("[TL1 TL2] telemetry needs a yes and an exporter", () => {
  expect(signals(endpoint)).toBe("off");
  expect(signals({ ...endpoint, PAWL_TELEMETRY: "perhaps" }, true)).toBe("off");
  expect(signals({ ...endpoint, PAWL_TELEMETRY: "" }, true)).toBe("traces otlp, metrics otlp");
  expect(signals({ ...endpoint, PAWL_TELEMETRY: "true" })).toBe("traces otlp, metrics otlp");
  expect(signals({ ...endpoint, PAWL_TELEMETRY: "false" }, true)).toBe("off");
  expect(signals({ ...endpoint, ...yes, OTEL_SDK_DISABLED: "TRUE" })).toBe("OTEL_SDK_DISABLED is true");
  expect(signals({}, true)).toContain("neither OTEL_EXPORTER_OTLP_ENDPOINT nor an exporter is set");
  expect(signals({ OTEL_EXPORTER_OTLP_ENDPOINT: " " }, true)).toContain("neither");
});

test("[TL3] each signal has its exporter", () => {
  expect(signals({ ...yes, OTEL_TRACES_EXPORTER: "otlp" })).toBe("traces otlp, metrics null");
  expect(signals({ ...yes, ...endpoint, OTEL_METRICS_EXPORTER: "none" })).toBe("traces otlp, metrics null");
  expect(signals({ ...yes, ...endpoint, OTEL_TRACES_EXPORTER: "Console" })).toBe("traces console, metrics otlp");
  expect(signals({ ...yes, OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "http://m" })).toBe("traces null, metrics otlp");
  expect(signals({ ...yes, ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf" })).toContain("traces otlp");
});

test("[TL3] an exporter or a protocol that is not known is said, and the other signal is sent", () => {
  const state = telemetryState({ ...yes, ...endpoint, OTEL_TRACES_EXPORTER: "zipkin" }, false);
  expect(state).toMatchObject({
    on: true,
    settings: { traces: null, metrics: "otlp", problems: [expect.stringContaining("OTEL_TRACES_EXPORTER=zipkin")] },
  });
  expect(signals({ ...yes, ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" })).toContain("http/json");
});

test("[TL30] people see addresses without passwords and queries", () => {
  const env = {
    ...yes,
    OTEL_EXPORTER_OTLP_ENDPOINT: "https://ann:hunter2@collector.example.org/otlp/?key=hunter2",
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "no address hunter2",
    OTEL_METRIC_EXPORT_INTERVAL: "0",
  };
  expect(telemetryState(env, false)).toMatchObject({
    settings: {
      places: ["traces to https://collector.example.org/otlp", "metrics to an address that cannot be read"],
      metricsEveryMs: 60_000,
    },
  });
  expect(telemetryState({ ...yes, OTEL_TRACES_EXPORTER: "otlp" }, false)).toMatchObject({
    settings: { places: ["traces to http://localhost:4318"] },
  });
});

test("[TL4] what people are told to install are the optional peers of the package", () => {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  const { peerDependencies, peerDependenciesMeta } = JSON.parse(text) as {
    readonly peerDependencies: Readonly<Record<string, string>>;
    readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>;
  };
  const peers = Object.entries(peerDependencies).filter(([name]) => name.startsWith("@opentelemetry/"));
  const named = installCommand
    .split(" ")
    .flatMap((word) => /^(@opentelemetry\/[\w-]+)@([\d.]+)$/.exec(word)?.slice(1, 3) ?? []);
  expect(named.toSorted()).toEqual(peers.flatMap(([name, range]) => [name, majorOf(range)]).toSorted());
  expect(peers.every(([name]) => peerDependenciesMeta[name]?.optional)).toBe(true);
});

/** What `^` keeps: `^3.1.0` is 3, `^0.301.0` is 0.301. */
function majorOf(range: string): string {
  return /^\^(0\.\d+|\d+)/.exec(range)?.[1] ?? range;
}
