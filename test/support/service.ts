// A service for tests: `pawl up` on a free port, and what it says in its record.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { readRecord, type ServiceRecord } from "../../src/system/service-file.ts";
import { type RunningPawl, type Site, startPawl, writeAt } from "./pawl.ts";
import { until } from "./until.ts";

export interface RunningService extends RunningPawl {
  readonly url: string;
  readonly pid: number;
}

/** Resolves when it is ready. */
export async function startService(
  { home, repo }: Pick<Site, "home" | "repo">,
  env: Readonly<Record<string, string>> = {},
): Promise<RunningService> {
  const running = startPawl(["up", "--port", "0", "--json"], { home, cwd: repo, env });
  onTestFinished(async () => {
    running.child.kill("SIGKILL");
    await running.ended;
  });
  await until(() => running.stdout().includes("\n") || running.child.exitCode !== null);
  const { url, pid } = JSON.parse(running.stdout()) as { readonly url: string; readonly pid: number };
  return { ...running, url, pid };
}

export function recordOf({ home }: Pick<Site, "home">): ServiceRecord | null {
  return readRecord(join(home, "service.json"));
}

/** A workflow of two steps, performed by a shell script that waits while `hold` exists, and says in `done` what it did. */
export function slowWork(site: Site, steps: readonly string[] = ["first", "second"]): readonly string[] {
  const chain = steps.map((id) => `  - { id: ${id}, agent: worker, input: "{{task}}" }`).join("\n");
  const workflow = writeAt(site, "slow.yml", `pawl: 1\nid: slow\nagents: { worker: {} }\nsteps:\n${chain}\n`);
  const agent = `echo "$PAWL_STEP $$" >> ${site.path("begun")}
n=0
while [ -e ${site.path("hold")} ] && [ $n -lt 2400 ]; do sleep 0.05; n=$((n+1)); done
echo "$PAWL_STEP" >> ${site.path("done")}
echo "STATUS: done"
`;
  return [workflow, "do it", "--executor", `command: sh ${writeAt(site, "agent.sh", agent)}`];
}

export function linesOf(site: Site, name: string): readonly string[] {
  const file = site.path(name);
  return existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line !== "")
    : [];
}
