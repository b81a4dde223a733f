// The site of a machine that performs attempts and has not got the repositories. Where they are, there is none.

import type { Attempt } from "../domain/attempt.ts";
import type { Run } from "../domain/run.ts";

/** An attempt of a run: a claim, with whatever else it knows. */
interface Claimed {
  readonly run: Run;
  readonly attempt: Attempt;
}

export interface Site {
  /** The claim with the places of this machine: its clone, brought up to date, and its folder for shared files. Waits a minute for the repository, unless `isStopped`. */
  localise<C extends Claimed>(claim: C, isStopped: () => boolean): Promise<C>;
  /** Puts commits into the repository of the run, under refs of Pawl. Waits while it cannot be reached, until `isStopped`. */
  push(run: Run, refs: readonly (readonly [ref: string, commit: string])[], isStopped: () => boolean): Promise<void>;
  /** Why something failed in a run as it lies here: the error itself, or what is wrong with this machine. */
  explain(run: Run, error: unknown): Promise<unknown>;
  /** Everything that the agent has printed is on its way, before the attempt ends. */
  settle(claim: Claimed): Promise<void>;
}

/** On a guest, its clone may be damaged: the step is as good as it was, and so is the story. */
export async function explained(site: Site | null, run: Run, error: unknown): Promise<unknown> {
  return site === null ? error : await site.explain(run, error);
}
