// Whether the user agreed to telemetry. The variables of OpenTelemetry are no yes: many machines set them for other programs.

export type TelemetryEnvironment = Readonly<Record<string, string | undefined>>;

/** `configured`: what the user's configuration says. PAWL_TELEMETRY counts more than it, in both directions. */
export function isAgreed(env: TelemetryEnvironment, configured: boolean): boolean {
  const said = env["PAWL_TELEMETRY"]?.trim().toLowerCase();
  return said ? said === "1" || said === "true" : configured;
}
