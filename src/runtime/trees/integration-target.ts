// Where the commits of a run's stories go. Owns: the branches, the permit that lets one story integrate at a time, and the files that
// are involved.

import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Run } from "../../domain/run.ts";
import type { IntegrationTarget } from "../../workspaces/integration/tip.ts";
import type { Parts } from "../parts.ts";

/** The branches that get the commits of a run's stories, one after the other. */
export function integrationTarget(run: Run): IntegrationTarget {
  const { place } = run.header;
  return {
    repo: place.repo ?? "",
    base: place.baseName ?? "",
    floor: place.base ?? "",
    side: place.branch ?? `pawl/${run.header.id}`,
  };
}

/** One integration at a time for each base branch, over all runs. */
export function integrationPermit(run: Run): string {
  const { repo, base } = integrationTarget(run);
  return `integrate:${repo}:${base}`;
}

/** The file that says that the user's checkout is being moved forward, so that a crash can be repaired. */
export function intentFile(
  parts: Pick<Parts, "home">,
  { repo, base }: Pick<IntegrationTarget, "repo" | "base">,
): string {
  const name = createHash("sha256").update(`${repo}\0${base}`).digest("hex").slice(0, 16);
  return join(parts.home.dir, "forwarding", `${name}.json`);
}

/** Files that Pawl itself writes in the user's checkout. They do not count as uncommitted changes. */
export function ownFiles({ protocols }: Pick<Parts, "protocols">, { header }: Run): readonly string[] {
  return protocols.of(header.definition).ownFiles(header);
}
