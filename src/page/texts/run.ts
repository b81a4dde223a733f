// Words of the page of a run.

export const runTexts = {
  run: (number: string) => `Run #${number}`,
  why: "Why",
  cost: (spent: string, cap: string) => `${spent} of ${cap}`,
  attempts: (count: number) => (count === 1 ? "1 attempt" : `${count} attempts`),
  stories: (done: number, all: number) => `${done} of ${all} stories`,
  slots: (count: number) => `${count} at work`,
  tabs: {
    chain: "Chain",
    lanes: "Lanes",
    stories: "Stories",
    events: "Events",
    cost: "Cost",
    recovery: "Recovery",
    changes: "Changes",
  },
  views: "Views of the run",
  answer: "Answer",
  questions: (count: number) => (count === 1 ? "1 question waits for you" : `${count} questions wait for you`),
  actions: { pause: "Pause", resume: "Resume", cancel: "Cancel", retry: "Retry" },
  surelyCancel: "Cancel this run?",
  cancelMeans: "Running agents are stopped. Their work is kept, and the run cannot be resumed.",
  doCancel: "Cancel the run",
  keep: "Keep it running",
  branch: (name: string) => `branch ${name}`,
  pastHint: "You look at the past. Actions are off until you are back at now.",
  noDriver: "No process drives this run. `pawl up --background` does.",
} as const;

export const changesTexts = {
  label: "What the run changed",
  of: "Whose changes",
  wholeRun: "The whole run",
  noRepository: "This run works without a repository: nobody keeps its changes.",
  ofNow: "These are the changes of now. The past of files is not kept.",
} as const;

export const timeTexts = {
  label: "Time in the run",
  back: "One event back",
  forward: "One event forward",
  now: "Now",
  place: (place: number, of: number) => `event ${place} of ${of}`,
} as const;

export const chainTexts = {
  label: "The chain of steps",
  each: (done: number, all: number) => `each story: ${done} of ${all} done`,
  noStories: "for each story",
  at: (names: string) => `at it: ${names}`,
  more: (count: number) => `and ${count} more`,
  wayBack: (key: string, to: string) => `${key} → ${to}`,
  times: (taken: number, limit: number | null) => (limit === null ? `×${taken}` : `×${taken} of ${limit}`),
  worst: (story: string) => `most in ${story}`,
  edits: "How the chain changed",
  before: "Before",
  after: "After",
  columns: { step: "Step", status: "Status", back: "Ways back", attempts: "Attempts", time: "Time", cost: "Cost" },
} as const;

export const eventTexts = {
  label: "Events",
  filter: "Filter",
  failedOnly: "Failed only",
  all: "All events",
  count: (shown: number, all: number) => (shown === all ? `${all} events` : `${shown} of ${all} events`),
  toEnd: "Jump to the end",
  json: "JSON of the event",
  goThere: "See the run at this moment",
  nothing: "No event has these words.",
} as const;
