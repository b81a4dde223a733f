// The state file of a project, where it can be understood. Loads no reader of result files: every command loads this.

import type { ProjectFolder } from "./project-folder.ts";
import { type LifecycleState, readProjectState, StateUnclear } from "./project-state.ts";

export const projectStateFile = ".workflow/state.json";

/** Null: it is missing or cannot be understood. */
export function stateOf(folder: ProjectFolder): LifecycleState | null {
  try {
    const text = folder.text(projectStateFile);
    return text === null ? null : readProjectState(text);
  } catch (error) {
    if (error instanceof StateUnclear) return null;
    throw error;
  }
}
