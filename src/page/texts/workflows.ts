// Words of the pages of workflows, and of a chain that no run is in.

export const workflowTexts = {
  title: "Workflows",
  none: "There is no workflow. `pawl workflow install PATH` adds one.",
  start: "Start a run",
  chain: "Steps",
  runs: "Runs",
  origins: { bundled: "bundled", installed: "installed", path: "from a file" },
  noRuns: "It has no run yet.",
  newest: (shown: number, all: number) =>
    shown < all ? `The newest ${shown} of ${all} runs` : all === 1 ? "1 run" : `${all} runs`,
  counted: (count: number) =>
    count === 1 ? "Figures of 1 run" : `Figures of ${count.toLocaleString("en-US")} runs, of all their attempts`,
  countedOf: (count: number, all: number) =>
    `Figures of the newest ${count.toLocaleString("en-US")} of ${all.toLocaleString("en-US")} runs`,
  compare: "Compare the newest two",
  columns: { workflow: "Workflow", origin: "Origin", steps: "Steps", runs: "Runs", rate: "Runs done" },
  figures: {
    attempts: "Attempts",
    rate: "Passed",
    rejected: "Rejected",
    failed: "Failed",
    median: "Median time",
    cost: "Cost",
    lost: "Not passed",
  },
  done: (rate: string) => `${rate} of those that ended are done`,
  rate: (good: number, all: number) => `${Math.round((good / all) * 100)} %`,
  ofEnded: (good: number, all: number) => `${good} of ${all}`,
  /** Steps that runs had, but that the workflow has no more. */
  gone: "no longer in the workflow",
} as const;

export const staticChainTexts = {
  label: "The chain of the workflow",
  columns: { step: "Step", does: "Performed by", back: "Ways back" },
  agent: (name: string) => `agent ${name}`,
  command: "a command",
  integrate: "integrates the story",
  decision: "reads a decision",
  person: "asks a person",
  signal: (name: string) => `waits for the signal ${name}`,
  stories: (atOnce: number) => (atOnce === 1 ? "each story, one at a time" : `each story, ${atOnce} at a time`),
  spare: "only when a route inserts it",
  conditional: "only if its condition holds",
  waits: "asks before it starts",
  checks: (count: number) => (count === 1 ? "1 check" : `${count} checks`),
  parts: "in parts, at the same time",
  repeated: (key: string) => `for each of ${key}`,
  way: (key: string, to: string) => `${key} → ${to}`,
  limit: (limit: number) => (limit === 1 ? "at most once" : `at most ${limit} times`),
  storyLimit: (limit: number) =>
    limit === 1 ? "at most 1 way back in a story" : `at most ${limit} ways back in a story`,
} as const;
