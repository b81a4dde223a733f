// Wishes. Owns: what somebody says who wants a run.

import type { Definition } from "../domain/definition.ts";
import type { RunId } from "../domain/ids.ts";
import type { WaitsLevel } from "../domain/run.ts";
import type { AdoptedStory, StorySpec } from "../domain/story.ts";
import type { Transaction } from "../store/store.ts";
import type { ProjectConfig } from "./config/config-file.ts";
import type { OpenedWorkflow } from "./runs/workflow-library.ts";

export interface RunRequest {
  /** The id of the run; absent: a new one. */
  readonly run?: RunId;
  readonly workflow: OpenedWorkflow;
  readonly task: string;
  readonly repo: string;
  readonly base: string | null;
  readonly inPlace: boolean;
  /** Work in the folder itself, which is no repository or has no commit yet; absent: it needs one. */
  readonly plainFolder?: boolean;
  readonly context: Readonly<Record<string, string>>;
  readonly executor: string | null;
  /** Before which steps it asks; absent: as the workflow says. */
  readonly waits?: WaitsLevel;
  readonly author: string;
  /** What the configuration says of budgets and concurrency; it only ever tightens. */
  readonly tighten: (definition: Definition) => Definition;
  /** How the project is linted and tested. */
  readonly project: ProjectConfig;
  /** How many stories at once; null: as many as the workflow says. */
  readonly agents?: number | null;
  /** This process drives it: no other one may begin to, not even in its first moment. */
  readonly reserves?: boolean;
  /** Stories that are known already; absent: a step will plan them. */
  readonly given?: GivenStories;
  /** Is recorded together with the run. */
  readonly alongside?: Alongside;
}

/** Recorded in the transaction of a run. If it throws, neither is recorded. It may be called more than once. */
export type Alongside = (tx: Transaction, run: { readonly id: RunId; readonly number: number }) => Promise<void>;

export interface GivenStories {
  readonly stories: readonly StorySpec[];
  readonly adopted: readonly AdoptedStory[];
  /** The file that they came from; null: there is none. */
  readonly source: string | null;
  /** The shared folder; null: one in Pawl's home, which is removed when the run is done. */
  readonly shared: string | null;
}
