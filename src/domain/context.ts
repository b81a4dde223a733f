// The keys that a template may name in any workflow. A protocol declares its own keys in `templateKeys`.

/** Keys of a step that works on a story. */
const storyKeys = [
  "current_story",
  "current_story_id",
  "current_story_title",
  "completed_stories",
  "stories_remaining",
  "verify_feedback",
  "retry_feedback",
  "progress",
] as const;

/** Keys of every step. */
const runKeys = [
  "task",
  "repo",
  "run_id",
  "attempt",
  "base",
  "feedback",
  "verify_feedback",
  "retry_feedback",
  "progress",
  "progress_file",
  "has_frontend_changes",
  "item",
  "reads",
  "writes",
  "part",
] as const;

/** Keys from the configuration of the project; empty if it does not set them. */
const projectKeys = ["lint_command", "test_command", "layer_rule", "tool_hints"] as const;

/** The context of every run has them. */
export const projectValueKeys: readonly string[] = projectKeys;

/** Keys that a run always has. Only Pawl sets them. */
export const engineKeys: ReadonlySet<string> = new Set([...runKeys, ...storyKeys]);

/** Keys that a template may name in any workflow even if no step has set them yet. */
export const generalKeys: readonly string[] = [...engineKeys, "branch", ...projectKeys];

/** Typed, so that a key that is listed here but never set does not compile. */
export type StoryValues = Readonly<Record<(typeof storyKeys)[number], string>>;
export type RunValues = Readonly<Record<(typeof runKeys)[number], string>>;
export type ProjectKey = (typeof projectKeys)[number];
