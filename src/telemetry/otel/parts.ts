// What traces and metrics by OpenTelemetry are made with.

import type { TelemetrySettings } from "../settings.ts";
import type { TelemetryPorts } from "../telemetry.ts";
import type { Connections } from "./connections.ts";
import type { Packages } from "./packages.ts";

export interface OtelContext extends Pick<TelemetryPorts, "log" | "warn"> {
  readonly settings: TelemetrySettings;
  /** Of Pawl. */
  readonly version: string;
}

/** What each signal is made with. */
export interface OtelParts extends OtelContext {
  readonly packages: Packages;
  readonly resource: ReturnType<Packages["resources"]["emptyResource"]>;
  readonly connections: Connections;
}
