// Words that several pages share.

import type { RunStatus } from "../../domain/run.ts";
import type { StepStatus } from "../../domain/step.ts";
import type { StoryStatus } from "../../domain/story.ts";

export type AnyStatus = RunStatus | StepStatus | StoryStatus | "rejected";

export const statusWords: Readonly<Record<AnyStatus, string>> = {
  running: "running",
  held: "needs you",
  paused: "paused",
  done: "done",
  failed: "failed",
  cancelled: "cancelled",
  waiting: "waiting",
  ready: "ready",
  skipped: "skipped",
  blocked: "blocked",
  rejected: "rejected",
};

export const common = {
  product: "Pawl",
  skip: "Skip to the content",
  navigation: "Pages",
  home: "Home",
  runs: "Runs",
  workflows: "Workflows",
  projects: "Projects",
  sessions: "Lifecycles",
  health: "Health",
  newRun: "New run",
  needsYou: "Needs you",
  you: "You",
  deadline: "The deadline",
  runTitle: (number: string) => `Run #${number}`,
  question: "Question",
  attempt: "Attempt",
  compare: "Compare",
  live: "Live",
  connecting: "Connecting",
  lost: "Connection lost",
  past: "In the past",
  lostSince: (time: string) =>
    `The service does not answer. What you see is from ${time}; the page tries again by itself.`,
  refused: (why: string) => `The service answers with an error: ${why}. The page tries again by itself.`,
  loading: "Loading",
  nowhere: "There is nothing at this address.",
  toHome: "Go to the first page",
  close: "Close",
  keys: "Keys",
} as const;

export const signInTexts = {
  title: "Sign in",
  how: "Type this in a terminal on the machine where Pawl runs. It opens this page, signed in:",
  command: "pawl open",
  orPrint: "From another machine, `pawl open --print` shows an address to copy. A token works, too:",
  token: "Token",
  submit: "Sign in",
  problem: (why: string) => `Not signed in: ${why}.`,
} as const;
