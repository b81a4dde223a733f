// Whether telemetry is on, and where it goes. Owns: reading the variables that OpenTelemetry has standardized. They count only together
// with a yes of the user (agreement.ts).

import { isAgreed, type TelemetryEnvironment } from "./agreement.ts";

export type SignalExporter = "otlp" | "console";

/** null: this signal is not sent. */
export interface TelemetrySettings {
  readonly traces: SignalExporter | null;
  readonly metrics: SignalExporter | null;
  /** How often figures are sent. */
  readonly metricsEveryMs: number;
  /** Where each signal goes, for people: addresses without passwords and queries. */
  readonly places: readonly string[];
  /** What was asked for and is not possible. */
  readonly problems: readonly string[];
}

export type TelemetryState =
  | { readonly on: true; readonly settings: TelemetrySettings }
  | { readonly on: false; readonly isAgreed: boolean; readonly why: string };

/** `configured`: what `telemetry` in the user's configuration says. */
export function telemetryState(env: TelemetryEnvironment, configured: boolean): TelemetryState {
  if (!isAgreed(env, configured)) return { on: false, isAgreed: false, why: "off" };
  const off = (why: string) => ({ on: false, isAgreed: true, why }) as const;
  if (valueOf(env, "OTEL_SDK_DISABLED")?.toLowerCase() === "true") return off("OTEL_SDK_DISABLED is true");
  const problems: string[] = [];
  const traces = exporterOf(env, "TRACES", problems);
  const metrics = exporterOf(env, "METRICS", problems);
  if (traces === null && metrics === null)
    return off(problems[0] ?? "neither OTEL_EXPORTER_OTLP_ENDPOINT nor an exporter is set");
  const places = [
    ...(traces === null ? [] : [`traces to ${placeOf(env, "TRACES", traces)}`]),
    ...(metrics === null ? [] : [`metrics to ${placeOf(env, "METRICS", metrics)}`]),
  ];
  return { on: true, settings: { traces, metrics, metricsEveryMs: metricsEveryMs(env), places, problems } };
}

type Signal = "TRACES" | "METRICS";

function exporterOf(env: TelemetryEnvironment, signal: Signal, problems: string[]): SignalExporter | null {
  const variable = `OTEL_${signal}_EXPORTER`;
  const hasAddress = ["OTEL_EXPORTER_OTLP_ENDPOINT", `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`].some(
    (name) => valueOf(env, name) !== undefined,
  );
  const named = valueOf(env, variable)?.toLowerCase() ?? (hasAddress ? "otlp" : "none");
  if (named === "none") return null;
  if (named !== "otlp" && named !== "console") {
    problems.push(`${variable}=${named} is not known: otlp, console or none`);
    return null;
  }
  const protocol = valueOf(env, `OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`) ?? valueOf(env, "OTEL_EXPORTER_OTLP_PROTOCOL");
  if (named === "otlp" && protocol?.toLowerCase() === "grpc") {
    problems.push(`${signal.toLowerCase()} cannot be sent by grpc: set OTEL_EXPORTER_OTLP_PROTOCOL=http/json`);
    return null;
  }
  return named;
}

/** Where a collector listens unless told otherwise. */
const usualAddress = "http://localhost:4318";

function placeOf(env: TelemetryEnvironment, signal: Signal, exporter: SignalExporter): string {
  if (exporter === "console") return "stderr";
  const own = valueOf(env, `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`);
  const address = own ?? valueOf(env, "OTEL_EXPORTER_OTLP_ENDPOINT") ?? usualAddress;
  if (!URL.canParse(address)) return "an address that cannot be read";
  const { protocol, host, pathname } = new URL(address);
  return `${protocol}//${host}${pathname.replace(/\/$/, "")}`;
}

const usualEveryMs = 60_000;
const leastEveryMs = 100;

function metricsEveryMs(env: TelemetryEnvironment): number {
  const ms = Number(valueOf(env, "OTEL_METRIC_EXPORT_INTERVAL") ?? usualEveryMs);
  return Number.isFinite(ms) && ms > 0 ? Math.max(leastEveryMs, ms) : usualEveryMs;
}

/** An empty variable counts as none. */
function valueOf(env: TelemetryEnvironment, name: string): string | undefined {
  return env[name]?.trim() || undefined;
}
