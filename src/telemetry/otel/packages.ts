// The packages of OpenTelemetry. They are optional peers: people who want telemetry install them beside Pawl, and nothing else loads them.

import { errorText } from "../../domain/error.ts";

/** With the versions that this Pawl was tried with. */
const installed = [
  "@opentelemetry/api@1",
  "@opentelemetry/resources@3",
  "@opentelemetry/sdk-trace@3",
  "@opentelemetry/sdk-metrics@3",
  "@opentelemetry/exporter-trace-otlp-http@0.301",
  "@opentelemetry/exporter-metrics-otlp-http@0.301",
];

export const installCommand = `npm install --global ${installed.join(" ")}`;

/** Throws where one of them is missing. */
export async function loadPackages() {
  try {
    const [api, resources, traces, metrics, { OTLPTraceExporter }, { OTLPMetricExporter }] = await Promise.all([
      import("@opentelemetry/api"),
      import("@opentelemetry/resources"),
      import("@opentelemetry/sdk-trace"),
      import("@opentelemetry/sdk-metrics"),
      import("@opentelemetry/exporter-trace-otlp-http"),
      import("@opentelemetry/exporter-metrics-otlp-http"),
    ]);
    return { api, resources, traces, metrics, OTLPTraceExporter, OTLPMetricExporter };
  } catch (error) {
    throw new MissingPackages(error);
  }
}

/** Its message is for people: no run fails because of it. */
class MissingPackages extends Error {
  constructor(cause: unknown) {
    const why = errorText(cause).split("\n", 1)[0] ?? "";
    super(`nothing is sent by telemetry: ${why}. Install its packages beside Pawl: \`${installCommand}\``, { cause });
    this.name = "MissingPackages";
  }
}

export type Packages = Awaited<ReturnType<typeof loadPackages>>;
