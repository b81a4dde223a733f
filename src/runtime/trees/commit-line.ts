// The line of commits. Owns: where the commits of a run's stories go, and what guards it.

import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Run } from "../../domain/run.ts";
import type { Line } from "../../workspaces/integration/tip.ts";
import type { Parts } from "../parts.ts";

/** The line of commits that the stories of a run are put on, one after the other. */
export function integrationOf(run: Run): Line {
  const { place } = run.header;
  return {
    repo: place.repo ?? "",
    base: place.baseName ?? "",
    floor: place.base ?? "",
    side: place.branch ?? `pawl/${run.header.id}`,
  };
}

/** Serial per base branch, whichever run it is for. */
export function integrationPermit(run: Run): string {
  const { repo, base } = integrationOf(run);
  return `integrate:${repo}:${base}`;
}

/** Where a half-done forwarding of the user's checkout is written down. */
export function intentFile(parts: Pick<Parts, "home">, { repo, base }: Pick<Line, "repo" | "base">): string {
  const name = createHash("sha256").update(`${repo}\0${base}`).digest("hex").slice(0, 16);
  return join(parts.home.dir, "forwarding", `${name}.json`);
}

/** Files that Pawl itself writes in the user's checkout: they do not make it dirty. */
export function ownFiles({ protocols }: Pick<Parts, "protocols">, { header }: Run): readonly string[] {
  return protocols.of(header.definition).ownFiles(header);
}
