// Telemetry by the SDK of OpenTelemetry. It registers nothing globally: a program that uses Pawl as a library may have an OpenTelemetry
// of its own. The SDK itself reads the standard variables for addresses and headers, but not those for certificates: Pawl gives it agents.

import type { Exporter } from "../exporter.ts";
import { openConnections } from "./connections.ts";
import { openFigures } from "./figures.ts";
import { loadPackages, type Packages } from "./packages.ts";
import type { OtelContext, OtelParts } from "./parts.ts";
import { openSpans } from "./spans.ts";

export async function openOtel(context: OtelContext): Promise<Exporter> {
  const packages = await loadPackages();
  const { settings, warn, version } = context;
  for (const problem of settings.problems) warn(`telemetry: ${problem}`);
  const connections = openConnections(context);
  const parts = { ...context, packages, connections, resource: resourceOf(packages, version) };
  const spans = settings.traces === null ? null : openSpans(parts, settings.traces);
  const figures = settings.metrics === null ? null : openFigures(parts, settings.metrics);
  return {
    span: (span) => spans?.send(span),
    figure: (figure) => figures?.add(figure),
    observe: (read) => figures?.observe(read),
    async close(withinMs) {
      const ended = Promise.allSettled([spans?.close(), figures?.close()]);
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, withinMs);
      });
      await Promise.race([ended, late]);
      clearTimeout(timer);
      connections.close();
    },
  };
}

/** Which program sends. The name of the machine and of its user are left out; OTEL_RESOURCE_ATTRIBUTES may add what its owner wants. */
function resourceOf({ resources }: Packages, version: string): OtelParts["resource"] {
  const { defaultResource, detectResources, resourceFromAttributes } = resources;
  const own = resourceFromAttributes({
    "service.name": "pawl",
    "service.version": version,
    // Several processes of Pawl count at the same time; without it their sums would overwrite each other.
    "service.instance.id": crypto.randomUUID(),
  });
  const { resourceAttributesEnvDetector, serviceNameEnvDetector } = resources;
  const named = detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] });
  return defaultResource().merge(own).merge(named);
}
