// Words of the first page.

export const home = {
  title: "Runs",
  needsYou: "Needs you",
  stuck: "Stuck or failed",
  running: "Running",
  recent: "Recent",
  search: "Search tasks and workflows, or a number",
  status: "Status",
  any: "Any",
  more: "Show more",
  nothingFound: "No run fits this filter.",
  noRuns: "There is no run yet. Start one in a terminal, or look at the demo:",
  noRunsCommand: 'pawl demo\npawl run feature-dev "what should be built"',
  nothingWaits: "Nothing waits for you.",
  noDriver: "No process drives it. `pawl up --background` does.",
  answer: "Answer",
  run: (number: number) => `#${number}`,
  since: "Since you were here",
  sinceSeen: "Mark as seen",
  sinceMore: (count: number) => `Show ${count} more`,
  sinceCounts: (done: number, failed: number, asked: number) =>
    [
      ...(done > 0 ? [`${done} done`] : []),
      ...(failed > 0 ? [`${failed} failed`] : []),
      ...(asked > 0 ? [`${asked} waiting for you`] : []),
    ].join(", "),
  ofCap: (spent: string, cap: string) => `${spent} of ${cap}`,
  compare: "Compare two runs",
  filters: {
    label: "Kept filters",
    keepThis: "Keep this filter",
    name: "Name of the filter",
    keep: "Keep",
    forget: (name: string) => `Forget the filter ${name}`,
    clear: "Show all",
  },
  retry: {
    button: "Retry",
    label: (number: number) => `Retry run #${number}`,
    cannot: (why: string) => `It cannot be retried: ${why}.`,
    step: (step: string) => `The step ${step} is tried again, then the steps after it.`,
    story: (story: string, step: string | null) =>
      step === null ? `The story ${story} is tried again.` : `The story ${story} is tried again from its step ${step}.`,
    freed: (stories: readonly string[]) =>
      `${stories.join(", ")} no longer ${stories.length === 1 ? "waits" : "wait"} for a story that failed.`,
    limits: "Its limits start again. The caps of the run stay, with what was spent.",
    kept: "Work that is done stays, and so do the feedback and the notes.",
  },
  columns: { run: "Run", task: "Task", workflow: "Workflow", status: "Status", cost: "Cost", age: "Started" },
} as const;
