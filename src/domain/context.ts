// The context. Owns: the keys that a run always has, whoever wrote its workflow. Templates may name them, and only Pawl sets them.

export const engineKeys: ReadonlySet<string> = new Set([
  "task",
  "repo",
  "run_id",
  "base",
  "feedback",
  "verify_feedback",
  "progress",
  "progress_file",
  "current_story",
  "current_story_id",
  "current_story_title",
  "completed_stories",
  "stories_remaining",
  "has_frontend_changes",
]);
