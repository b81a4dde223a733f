// What the machines of a store tell each other. A store on a server has one host, whose home has the repositories and the runs, and may
// have guests: workers of other homes. Here is who they are, which of them has the newest state of a tree, what agents on guests have
// printed, and the texts that all agents of a run share.

import type { AttemptId, RunId, StoryId } from "../domain/ids.ts";

export interface Machine {
  /** Of its home. */
  readonly id: string;
  /** Its name. */
  readonly host: string;
  readonly dir: string;
  readonly isHost: boolean;
  /** The labels of each of its workers that live. */
  readonly workers: readonly (readonly string[])[];
  readonly version: string;
  /** Since a worker of it was heard of, by the clock of the server; null: none lives. */
  readonly silentMs: number | null;
}

/** A transaction of the store. */
interface Within {
  query(words: string, values: readonly unknown[]): Promise<readonly unknown[]>;
}

/** A tree is the one of a story, or of the chain of a run. */
export interface TreeOf {
  readonly run: RunId;
  readonly story: StoryId | null;
}

/** The state of a tree after an attempt, which its machine has put into the repository of the run. */
export interface HandOver extends TreeOf {
  readonly attempt: AttemptId;
  /** The home of the machine that has the tree. */
  readonly machine: string;
  readonly snapshot: string;
  /** The commit that the branch was made from, where that is known. */
  readonly start: string | null;
}

/** What an agent on a guest was told and has printed, in order, and the work that it left and that was discarded, whole. */
export interface LogPart {
  readonly attempt: AttemptId;
  readonly kind: "prompt" | "output" | "diff";
  readonly bytes: Uint8Array;
}

export interface ArrivedLog extends LogPart {
  readonly number: number;
}

export interface Machines {
  /** The home of this process. */
  readonly own: string;
  /** By which others know its processes and attempts. Two machines may have the same host name; a guest has this one for itself. */
  readonly name: string;
  readonly isGuest: boolean;
  /** Those with a worker that was heard of within `deadAfterMs`, and the host. */
  live(within?: Within): Promise<readonly Machine[]>;
  /** The names of all guests, also of those that are gone. */
  guests(within: Within): Promise<readonly string[]>;
  /** This worker performs attempts. */
  tellAlive(worker: string, labels: readonly string[]): Promise<void>;
  /** It performs no more. After the last one of its machine, what that has handed over may go to others. */
  leave(worker: string): Promise<void>;

  lastHandOver(within: Within | null, tree: TreeOf): Promise<HandOver | null>;
  /** Part of the commit that ends its attempt. */
  handOver(tx: Within, handed: HandOver): Promise<void>;

  /** False: the run is over and closed, and takes none. */
  sendLog(run: RunId, part: LogPart): Promise<boolean>;
  /** What has come of a run, the oldest first: as much as is written down at once. */
  logsOf(run: RunId): Promise<readonly ArrivedLog[]>;
  /** They are written down. */
  dropLogs(logs: readonly ArrivedLog[]): Promise<void>;

  /** null: nobody has written one yet. */
  sharedText(run: RunId, name: string): Promise<string | null>;
  /** Changes it as `change` says, one after the other. Returns what it is then. */
  changeShared(run: RunId, name: string, change: (text: string) => string): Promise<string>;

  /** Open runs with a tree whose newest state is not on the host, or that a guest works in. */
  runsAway(): Promise<readonly RunId[]>;
  /** The run is over, and nothing of it moves any more. */
  forget(run: RunId): Promise<void>;
}

/** A machine that was not heard of for this long is dead: its trees are made again elsewhere from what it had handed over. */
export const deadAfterMs = 30_000;
