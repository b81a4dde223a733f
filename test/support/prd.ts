// PRDs for tests: a repository with a PRD, an agent that runs the test's shell text for each story and step and keeps its prompts,
// and the files of the run.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Called, newSite, type Site } from "./pawl.ts";

/** The fields of a story beside its id; a missing title is generated. */
export type WrittenStory = { readonly id: string } & Readonly<Record<string, unknown>>;

/**
 * Shell text by its attempt; the most specific key wins: `US-001.step-002.1` (story, step, attempt), `US-001.step-002`, `US-001.coding`,
 * `step-002`, `coding`, `*`. In the text, `edits JSON` requests edits and `work` commits a file for the story.
 */
export type ShellActs = Readonly<Record<string, string>>;

export interface PrdSite extends Site {
  readonly prd: string;
  /** For `--executor`. */
  readonly executor: string;
  /** `pawl prd run prd.json` with that agent. */
  run(...args: readonly string[]): Promise<Called>;
  /** Adds acts, replacing those with the same keys. */
  act(acts: ShellActs): void;
  /** The prompt that the agent got. */
  prompt(story: string, step: string, attempt?: number): string;
  /** A path in the shared folder. */
  shared(...parts: readonly string[]): string;
  state(): StateFile;
  story(id: string): StateStory;
}

export interface StateFile {
  readonly version: number;
  readonly created_at: string;
  readonly prd_file: string;
  readonly stories: Readonly<Record<string, StateStory>>;
}

export interface StateStory {
  readonly story_id: string;
  readonly status: string;
  readonly agent_id: number | null;
  readonly steps: readonly StateStep[];
  readonly history: readonly StateEntry[];
  readonly [field: string]: unknown;
}

export interface StateStep {
  readonly id: string;
  readonly type: string;
  readonly status: string;
  readonly description: string;
  readonly restart_count: number;
  readonly [field: string]: unknown;
}

export interface StateEntry {
  readonly action: string;
  readonly step_id: string | null;
  readonly details: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

export interface PrdSiteOptions {
  readonly acts?: ShellActs;
  readonly site?: Site;
  /** The shared folder; by default `.pawl/ralph` in the repository. */
  readonly shared?: string;
}

export function prdSite(stories: readonly WrittenStory[], options: PrdSiteOptions = {}): PrdSite {
  const site = options.site ?? newSite();
  const prd = site.path("prd.json");
  writePrd(prd, stories);
  const agent = writeAgent(site);
  const dir = options.shared ?? join(site.repo, ".pawl/ralph");
  const executor = `command: bash ${agent}`;
  const state = () => JSON.parse(readFileSync(join(dir, "workflow_state.json"), "utf8")) as StateFile;
  const act = (acts: ShellActs) => {
    for (const [name, shell] of Object.entries(acts)) writeFileSync(site.path("acts", name), `${shell}\n`);
  };
  act({ coding: "work", ...options.acts });
  return {
    ...site,
    prd,
    executor,
    act,
    state,
    run: (...args) => site.pawl("prd", "run", prd, "--executor", executor, ...args),
    prompt: (story, step, attempt = 1) => readFileSync(site.path("prompts", `${story}.${step}.${attempt}.md`), "utf8"),
    shared: (...parts) => join(dir, ...parts),
    story: (id) => {
      const found = state().stories[id];
      if (!found) throw new Error(`the state file has no story ${id}`);
      return found;
    },
  };
}

export function writePrd(file: string, stories: readonly WrittenStory[], project = "Demo"): void {
  const userStories = stories.map((story) => ({
    title: `Title of ${story.id}`,
    acceptanceCriteria: [`${story.id} works`],
    ...story,
  }));
  writeFileSync(file, `${JSON.stringify({ project, userStories }, null, 2)}\n`);
}

/** How often the agent was called for a story. */
export function callsOf(site: Site): readonly string[] {
  const file = site.path("calls.log");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
}

/** A chain in a form that is easy to compare: `step-001:completed,step-002:skipped`. */
export function chainOf({ steps }: StateStory): string {
  return steps.map(({ id, status }) => `${id}:${status}`).join(",");
}

export function editsIn({ history }: StateStory): readonly StateEntry[] {
  return history.filter(({ action }) => action === "workflow_edit");
}

/** A shell script starts in a few milliseconds, much faster than Node. */
function writeAgent(site: Site): string {
  for (const name of ["acts", "prompts"]) mkdirSync(site.path(name), { recursive: true });
  const agent = site.path("agent.sh");
  writeFileSync(
    agent,
    `set -e
me="$PAWL_STORY.$PAWL_STEP.$PAWL_ATTEMPT"
cat > "${site.path("prompts")}/$me.md"
echo "$me $PAWL_STEP_TYPE" >> "${site.path("calls.log")}"
requests="$PAWL_SHARED/workflow_edits"
edits() { mkdir -p "$requests"; printf '%s' "$1" > "$requests/$PAWL_STORY.json.tmp"; mv "$requests/$PAWL_STORY.json.tmp" "$requests/$PAWL_STORY.json"; }
work() { echo "by $PAWL_STEP" >> "$PAWL_STORY.txt"; git add -A; git commit -qm "work on $PAWL_STORY"; }
for act in "$me" "$PAWL_STORY.$PAWL_STEP" "$PAWL_STORY.$PAWL_STEP_TYPE" "$PAWL_STEP" "$PAWL_STEP_TYPE" "*"; do
  if [ -f "${site.path("acts")}/$act" ]; then . "${site.path("acts")}/$act"; break; fi
done
echo SUMMARY
echo "notes of $me"
echo "STATUS: done"
`,
  );
  return agent;
}
