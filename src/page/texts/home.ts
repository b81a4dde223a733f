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
  nothingFound: "No run has these words.",
  noRuns: "There is no run yet. Start one in a terminal, or look at the demo:",
  noRunsCommand: 'pawl demo\npawl run feature-dev "what should be built"',
  nothingWaits: "Nothing waits for you.",
  nothingRuns: "Nothing runs.",
  noDriver: "No process drives it. `pawl up --background` does.",
  answer: "Answer",
  look: "Look",
  run: (number: number) => `#${number}`,
  since: "Since you were here",
  sinceNothing: "Nothing changed since you were here.",
  sinceCounts: (done: number, failed: number, asked: number) =>
    [
      ...(done > 0 ? [`${done} done`] : []),
      ...(failed > 0 ? [`${failed} failed`] : []),
      ...(asked > 0 ? [`${asked} waiting for you`] : []),
    ].join(", "),
  columns: { run: "Run", task: "Task", workflow: "Workflow", status: "Status", cost: "Cost", age: "Started" },
} as const;
