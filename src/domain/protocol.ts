// Facts about a protocol that a workflow file is checked against. The protocol itself is behind `protocols/protocol.ts`.

export interface ProtocolFacts {
  /** As a workflow file names it: `protocol: NAME`. */
  readonly name: string;
  /** Template keys that only runs of this protocol have. */
  readonly templateKeys: readonly string[];
  /** Its agents may ask for edits of their chain, so steps may be `editable`. */
  readonly takesEdits: boolean;
  /** Its files are about stories: a workflow without a `stories` step has no use for it. */
  readonly needsStories: boolean;
}
