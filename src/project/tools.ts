// The tools of a project. Owns: what Pawl wants to know of a tool that a project uses, such as npm or cargo.

export interface Tools {
  /** The program that installs its packages: `npm`, `uv`, `cargo`. */
  readonly manager: string;
  readonly languages: readonly string[];
  /** True if the project defines these commands itself, as scripts or targets; false for the usual ones. */
  readonly isOwn: boolean;
  readonly test: string | null;
  readonly lint: string | null;
  readonly types: string | null;
  /** The command that makes a fresh tree ready, and the files whose change makes it necessary again. */
  readonly setup: string | null;
  readonly setupWhen: readonly string[];
  readonly notes: readonly string[];
}

export const noTools = { isOwn: false, test: null, lint: null, types: null, setup: null, setupWhen: [], notes: [] };

export const makeTools = "make";
