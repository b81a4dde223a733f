// Words of the page of a gate.

import { longestNoteBytes } from "../../domain/answer-note.ts";
import { counted } from "../../domain/counted.ts";
import type { PersonGate } from "../../domain/gate.ts";

export const causeWords: Readonly<Record<PersonGate["cause"], string>> = {
  step: "The workflow asks here.",
  exhausted: "A limit is used up.",
  unreadable: "The answer of the agent could not be read.",
  route: "A route of the workflow leads to a person.",
  cap: "A cap of the run is reached.",
  asked: "The agent asks.",
  waits: "The run asks before this step starts.",
  stopped: "A person stopped the attempt.",
};

export const gateTexts = {
  run: (number: number) => `Run #${number}`,
  open: "needs you",
  answered: "answered",
  isVoid: "void",
  opened: (ago: string) => `asked ${ago}`,
  deadline: (option: string, span: string, at: string) => `without an answer: ${option} in ${span} (${at})`,
  deadlineOver: (option: string, at: string) => `without an answer: ${option} was due at ${at}`,
  tree: "Tree",
  said: "What the step before said",
  sentHere: "Why it was sent here",
  evidence: "Evidence",
  evidenceColumns: { step: "Step", outcome: "Outcome", checks: "Checks", at: "Ended" },
  attemptNumber: (number: number) => `attempt ${number}`,
  tests: (pass: number, fail: number, skip: number) =>
    [
      `${counted(pass, "test")} passed`,
      ...(fail > 0 ? [`${fail} failed`] : []),
      ...(skip > 0 ? [`${skip} skipped`] : []),
    ].join(", "),
  checkPassed: "passed",
  checkFailed: "failed",
  moreChecks: (count: number) => `and ${count} more`,
  changes: "Changes",
  sinceLabel: "Compare with",
  sinceBase: "Since the base",
  sinceShown: "Since last shown",
  shownBefore: (who: string, option: string, ago: string) => `${who} answered ${option} at this step ${ago}.`,
  readAgain: "Read again",
  moved:
    "The work has changed since this question was asked. The diff below is the work as it is now. Your comments are kept.",
  movedOnAnswer:
    "Your answer was not taken: the work changed while you looked. The diff below is the new one, and your comments are kept. Look again, then answer.",
  changedFiles: (changed: number, all: number) =>
    changed === 0
      ? "No file that is left changed."
      : `${changed} of ${counted(all, "file")} changed since you looked; the others are closed.`,
  past: "You look at the past: this question cannot be answered from here.",
  toNow: "Back to now",
  notYet: "At this moment the question was not asked yet.",
  pastDiff: "The diff is the one that the question has now.",
} as const;

export const answerTexts = {
  title: "Your answer",
  note: "Note",
  noteHint: "It goes into the next prompt, with your comments.",
  options: "Options",
  reason: "Reason",
  noReason: "No reason",
  send: (option: string) => `Send: ${option}`,
  choose: "Choose an option",
  sending: "Sending",
  unkept: "A comment is not kept yet. Keep it or leave it, then send.",
  sendKey: "Ctrl+Enter",
  sendChosen: "Send the chosen answer",
  choice: (option: string) => `Choose ${option}`,
  comments: (count: number) => counted(count, "line comment"),
  noComments: "Comments on lines of the diff appear here.",
  tooMany: (most: number) =>
    `At most ${most} comments can be sent with one answer. Remove some, or put them into the note.`,
  lost: "not in this diff any more",
  remove: "Remove",
  moreComments: (count: number) => `and ${count} more`,
  notKept: "This browser keeps no drafts: a reload loses what you wrote.",
  toAnswer: "To the answer",
  computing: "Reading the run to say where each answer leads",
} as const;

export const answeredTexts = {
  who: (by: string, option: string) => `${by} answered: ${option}`,
  isVoid: "This question does not apply any more.",
  voidAnswer: "Its step was reset since, and may be asked again.",
  asksAgain: "The run waits for a person again.",
  elsewhere: "Your answer was not taken: somebody else answered first.",
  already: "Your answer was not taken: you have answered in another window.",
  at: (time: string, ago: string) => `${time}, ${ago}`,
  reason: "Reason",
  note: "Note",
  now: "What happens now",
  toRun: (number: number) => `To run #${number}`,
  nextGate: "Next question",
  nothingElse: "Nothing else waits for you.",
  unsent: "What you wrote here was not sent",
  discard: "Discard it",
} as const;

/** An answer that the service would not take. */
export const sizeTexts = {
  tooLong: (bytes: number) =>
    `your note and comments have ${Math.ceil(bytes / 1024)} KiB together; an answer has at most ${longestNoteBytes / 1024} KiB`,
  shorten: "Nothing was sent, and they are kept here. Shorten them or remove some, then send again.",
} as const;

/** Where an answer leads. */
export const previewTexts = {
  refused: (why: string) => `refused: ${why}`,
  needsWords: "write your answer into the note first",
  runEnds: { done: "the run is done", failed: "the run fails", cancelled: "the run is cancelled" },
  because: (what: string, why: string) => (why === "" ? what : `${what}: ${why}`),
  startsAgain: (step: string, count: number) =>
    count === 1 ? `${step} starts again` : `${step} starts again, ${count} steps are reset`,
  starts: (step: string) => `${step} starts`,
  startsLater: (step: string, span: string) => `${step} starts in ${span}`,
  parts: (step: string, count: number) => `${step} starts with ${counted(count, "part")}`,
  added: (steps: string) => `${steps} is added`,
  skipped: (count: number) => `${counted(count, "step")} ${count === 1 ? "is" : "are"} skipped`,
  stepFails: (step: string, why: string) => (why === "" ? `${step} fails` : `${step} fails: ${why}`),
  asks: (question: string) => `asks next: ${question}`,
  storyIs: (story: string, status: string) => `story ${story} is ${status}`,
  storiesStart: (count: number) => `${counted(count, "story", "stories")} ${count === 1 ? "starts" : "start"}`,
  storiesEnd: (count: number, status: string) =>
    `${counted(count, "story", "stories")} ${count === 1 ? "is" : "are"} ${status}`,
  capRaised: "the cap is raised",
  limitsRenewed: "its limits count from zero again",
  paused: "the run stays paused",
  continues: "the run continues",
} as const;
