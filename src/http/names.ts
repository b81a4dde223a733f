// Names of the service. Owns: under which it answers: the addresses that it listens on, `localhost`, and the public address of a proxy
// in front of it. A browser can be made to take any other name for this machine.

import { networkInterfaces } from "node:os";
import type { ServiceNames } from "./guards.ts";

const loopbacks = new Set(["127.0.0.1", "::1", "localhost"]);
const wildcards = new Set(["0.0.0.0", "::"]);

export function isLoopback(host: string): boolean {
  return loopbacks.has(host);
}

/** `host` is the address that the server is bound to. */
export function serviceNames(host: string, port: number, publicUrl: string | null): ServiceNames {
  const own = [
    "127.0.0.1",
    "localhost",
    ...(host === "::1" ? ["::1"] : []),
    ...(isLoopback(host) ? [] : addressesOf(host)),
  ];
  const names = new Map<string, string>();
  for (const name of own) {
    const spelt = `${name.includes(":") ? `[${name}]` : name}:${port}`;
    names.set(spelt, `http://${spelt}`);
    // Browsers leave the usual port out.
    if (port === 80) names.set(spelt.slice(0, -3), `http://${spelt.slice(0, -3)}`);
  }
  if (publicUrl !== null) {
    const { host: name, origin } = new URL(publicUrl);
    names.set(name, origin);
  }
  return names;
}

/** Numbers, never names: only a name can be made to point elsewhere. */
function addressesOf(host: string): readonly string[] {
  if (!wildcards.has(host)) return [host];
  return Object.values(networkInterfaces()).flatMap((found) => found?.map(({ address }) => address) ?? []);
}
