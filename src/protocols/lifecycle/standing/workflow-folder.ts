// Where the `.workflow` of a run is: always in the folder that its skills work in, beside the code that its results are about.

import type { RunPlace } from "../../../domain/run.ts";
import { folderPatterns } from "../../files/folder.ts";
import type { RunFacts } from "../../protocol.ts";
import { projectAbove, sessionsFolder } from "../session/session-folder.ts";

/** The project of a run: the folder that has the `.workflow` with the run's session; null: it has no such session. */
export function projectOf({ shared }: Pick<RunPlace, "shared">): string | null {
  return shared === undefined ? null : projectAbove(shared);
}

/** The files of sessions are never committed. */
export function excludedFiles({ place }: Pick<RunFacts, "place">): readonly string[] {
  const { kind, repo, shared } = place;
  if (kind === "directory") return [];
  const isElsewhere = projectOf(place) === null && repo !== null && shared !== undefined;
  const own = isElsewhere ? folderPatterns(shared, repo, ["/status.json", "/wave-*.csv", "/.pawl.*"]) : [];
  return [`/${sessionsFolder}/`, ...own];
}
