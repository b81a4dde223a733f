// The tasks of an Agent Team in `.ai/TASKS.md`, as its lead writes them: `- [ ] [P] ROLE: task`, and `- [x]` once it is complete.

/** Open tasks of a role, and those that name none. Only tasks that can be worked on at the same time have the mark. */
export function openTasks(text: string, role: string): readonly string[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const [, task] = /^\s*[-*]\s+\[ \]\s+\[P\]\s*(.*\S)\s*$/.exec(line) ?? [];
    if (task === undefined) return [];
    const [, of, rest = ""] = /^([\w.-]{1,64})\s*:\s+(.*)$/.exec(task) ?? [];
    if (of === undefined) return [task];
    return of.toLowerCase() === role.toLowerCase() ? [rest] : [];
  });
}
