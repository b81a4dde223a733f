// Replaces a running service by a newer version. A newer command line leaves its request in the home and signals the service; the
// service lets its running attempts end, ends itself, and starts the program of the request, or leaves that to its supervisor.

import { statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import type { Application } from "../application/application.ts";
import { serviceHere } from "../application/driving/hand-over.ts";
import { isNewer } from "../domain/version.ts";
import { readJson, writeJson } from "../system/files/json-file.ts";
import { hostName } from "../system/home.ts";
import { packageFile, packageVersion } from "../system/package-root.ts";
import { signal } from "./stop.ts";

/** What should run instead. */
export interface Successor {
  readonly node: string;
  readonly program: string;
}

/** Asks an older service to make room for this version; the words for a person, or null: there is none. */
export function replaceOlder(app: Application): string | null {
  const service = serviceHere(app);
  const version = packageVersion();
  if (service === null || service.host !== hostName() || !isNewer(version, service.version)) return null;
  const program = packageFile("bin", "pawl");
  const older = `the service (process ${service.pid}) is version ${service.version}, this is ${version}`;
  if (service.supervisor !== null && service.program !== program)
    return `${older}; \`pawl up --install\` lets ${service.supervisor} start this one`;
  writeJson(requestFile(app), { node: process.execPath, program } satisfies Successor);
  signal(service, "SIGUSR2");
  return `${older}; it restarts as ${version} when its running attempts have ended`;
}

/** What the newest request names; null: there is none that can be started. */
export function successorOf(app: Application): Successor | null {
  const wanted = readJson(requestFile(app));
  if (typeof wanted !== "object" || wanted === null) return null;
  const { node, program } = wanted as Partial<Successor>;
  if (!isProgram(node) || !isProgram(program)) return null;
  return { node, program };
}

function requestFile({ home }: Application): string {
  return join(home.dir, "service-restart.json");
}

function isProgram(path: unknown): path is string {
  return typeof path === "string" && isAbsolute(path) && statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
