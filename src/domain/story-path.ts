// Paths with `{story}` in them, as a table of rules has them.

/** `US-{story}` of the story US-007 is US-007, not US-US-007. */
export function storyPath(pattern: string, story: string): string {
  return pattern.replaceAll("US-{story}", `US-${story.replace(/^US-/i, "")}`).replaceAll("{story}", story);
}
