// The files of `.ai/`: where they are, in the project and in the tree that an executor works in.

import { dirname, join } from "node:path";
import type { StoryId } from "../../domain/ids.ts";
import { folderPatterns } from "../files/folder.ts";
import type { RunFacts } from "../protocol.ts";

/** Nothing in the folder is larger, except what is no report. */
export const largestFile = 1024 * 1024;

export interface AiFolder {
  /** The project, or the tree. The folder is in reach of executors, so a link in its place is not followed. */
  readonly root: string;
  readonly dir: string;
  readonly state: string;
  /** A STATE.json that was not JSON. */
  readonly broken: string;
  readonly handoff: string;
  readonly result: string;
  readonly log: string;
  /** The STATE.json that the run found when it started. */
  readonly found: string;
  /** STATE.json as Pawl wrote it last. */
  readonly written: string;
}

export function aiFolder(dir: string): AiFolder {
  return {
    root: dirname(dir),
    dir,
    state: join(dir, "STATE.json"),
    broken: join(dir, "STATE.json.broken"),
    handoff: join(dir, "HANDOFF.md"),
    result: join(dir, "executor-result"),
    log: join(dir, "hook.log"),
    found: join(dir, ".pawl.found.json"),
    written: join(dir, ".pawl.state.json"),
  };
}

export const storyState = ({ dir }: AiFolder, story: StoryId) => join(dir, "states", `${story}.json`);
export const storyHandoff = ({ dir }: AiFolder, story: StoryId) => join(dir, "handoffs", `${story}.md`);

/** What a role of a team left, apart from the others. */
export const roleHandoff = ({ dir }: AiFolder, story: StoryId, role: string) =>
  join(dir, "handoffs", story, `${role}.md`);
/** The same file as a session of that role finds it. */
export const ownHandoff = ({ dir }: AiFolder, role: string) => join(dir, "handoffs", `${role}.md`);
/** What happened in the teams of a story: one JSON object a line. */
export const teamEvents = ({ dir }: AiFolder, story: StoryId) => join(dir, "teams", `${story}.jsonl`);
/** The tasks of an Agent Team, as its lead writes them. */
export const teamTasks = ({ dir }: AiFolder) => join(dir, "TASKS.md");

/** The folder that the executor of an attempt reads and writes: the project's own where it works in place. */
export function sessionFolder(run: Pick<RunFacts, "place">, workspace: string): AiFolder {
  const { shared } = run.place;
  return aiFolder(worksInPlace(run) && shared !== undefined ? shared : join(workspace, ".ai"));
}

export function worksInPlace({ place }: Pick<RunFacts, "place">): boolean {
  return place.kind === "in_place";
}

const patterns = [
  "STATE.json*",
  "states/",
  "HANDOFF.md*",
  "handoffs/",
  "executor-result*",
  "hook.log*",
  "TASKS.md*",
  "teams/",
  ".pawl.*",
];

/** What git never commits. The rules and documents of a project that are in the folder are its own. */
export function excludedIn({ place }: RunFacts): readonly string[] {
  const { shared, repo } = place;
  if (shared === undefined || repo === null) return [];
  const [own] = folderPatterns(shared, repo, ["/"]);
  const folders = own === undefined || own === "/.ai/" ? ["/.ai/"] : [own, "/.ai/"];
  return folders.flatMap((folder) => patterns.map((pattern) => `${folder}${pattern}`));
}
