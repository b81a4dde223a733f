// Facts about a protocol that a workflow file is checked against. The port itself is `protocols/protocol.ts`.

export interface ProtocolFacts {
  /** As a workflow file names it: `protocol: NAME`. */
  readonly name: string;
  /** Template keys that only runs of this protocol have. */
  readonly templateKeys: readonly string[];
  /** Its agents may request edits of their chain, so steps may be `editable`. */
  readonly takesEdits: boolean;
  /** Its files are about stories, so a workflow without a `stories` step is refused. */
  readonly needsStories: boolean;
  /** Its files have a place for the parts of a step, so steps may have `parts`; absent: no. */
  readonly showsParts?: boolean;
  /** Neighbouring steps that do not need each other are performed at once; absent: no. */
  readonly formsWaves?: boolean;
  /** It finds reports in files, so that the work of other programs can be awaited. */
  readonly canAwait: boolean;
  /** Its readers, for `decision: NAME`; absent: none. */
  readonly readers?: readonly ReaderFacts[];
}

interface ReaderFacts {
  readonly name: string;
  /** What it may answer besides `unknown`. */
  readonly values: readonly string[];
  /** It may give stories, so it can plan those of a `stories` step. */
  readonly plans: boolean;
}
