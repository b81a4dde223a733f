// Words of the page of an attempt.

import type { Outcome } from "../../domain/attempt.ts";

export const outcomeWords: Readonly<Record<Outcome, string>> = {
  completed: "completed",
  failed: "failed",
  timed_out: "timed out",
  lost: "lost",
  cancelled: "stopped",
  rate_limited: "refused: limit used up",
  invalid_output: "answer not readable",
};

export const attemptTexts = {
  number: (number: number, of: number) => (of > 1 ? `attempt ${number} of ${of}` : `attempt ${number}`),
  views: "Views of the attempt",
  tabs: { log: "Log", prompt: "Prompt", result: "Result", changes: "Changes" },
  phases: { dispatched: "waits to start", started: "running", stopping: "is being stopped" },
  passed: "passed",
  rejected: (reason: string | null) => (reason === null ? "rejected" : `rejected: ${reason}`),
  tokens: (count: string) => `${count} tokens`,
  tokensOf: (fresh: string, cached: string, out: string) => `${fresh} in, ${cached} from the cache, ${out} out`,
  unreported: "cost not reported",
  started: (time: string) => `since ${time}`,
  previous: "Previous attempt",
  next: "Next attempt",
  attempts: "Attempts of this step",
  open: "Open the agent's session in a terminal",
  copy: "Copy",
  copied: "Copied",
} as const;

export const promptTexts = {
  label: "What the agent was told",
  gone: "There is no prompt: Pawl performed this step itself, or `pawl clean` has removed the file.",
  size: (characters: string) => `${characters} characters`,
} as const;

export const resultTexts = {
  running: "The attempt has not ended yet. Its result stands here when it has.",
  verdict: "Verdict",
  led: (key: string) => `took the route ${key}`,
  checks: "Checks",
  checkPassed: "passed",
  checkFailed: "failed",
  tests: "Tests",
  testCounts: (pass: number, fail: number, skip: number) => `${pass} passed, ${fail} failed, ${skip} skipped`,
  failing: "Tests that fail",
  outputs: "Outputs for the steps after it",
  reported: "Outputs that it reported, and that did not count",
  said: "What was said",
  files: "Files that it changed",
  more: "More facts",
  nothing: "It left no outputs and no facts.",
} as const;

export const logTexts = {
  label: "What the agent did",
  rawLabel: "What the agent printed",
  raw: "As printed",
  search: "Search the log",
  matches: (at: number, of: number) => (of === 0 ? "nothing found" : `${at} of ${of}`),
  nextMatch: "Next match",
  previousMatch: "Previous match",
  firstError: "First error",
  noError: "No error in these lines.",
  toEnd: "Jump to the end",
  earlier: (size: string) => `${size} before this are not shown.`,
  loadEarlier: "Show earlier",
  kept: (count: string) => `The page keeps ${count} lines. \`pawl logs\` shows all.`,
  held: "The log goes on. These lines stay until you are back at the end.",
  running: "The log grows.",
  waiting: "Nothing was printed yet.",
  nothing: "The agent printed nothing.",
  gone: "There is no log. `pawl clean` removes the logs of runs that are over.",
} as const;
