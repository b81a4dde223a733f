// Random walks through random workflows. Each move is one that the run's state allows, so that walks go deep; the depth tests
// measure how deep. The checks of each move are in test/support/engine/invariants.ts and walker.ts.

import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { type IncludeShape, withInclude } from "../../test/support/engine/includes.ts";
import { randomStart } from "../../test/support/engine/random-requests.ts";
import { type StepShape, type WorkflowShape, workflowOf } from "../../test/support/engine/shapes.ts";
import { type Move, Walk } from "../../test/support/engine/walker.ts";
import { featureDev, ralph } from "../../test/support/engine/workflow.ts";
import { rounds } from "../../test/support/rounds.ts";
import { fixedSeed } from "../../test/support/seed.ts";
import type { Definition } from "../domain/definition.ts";
import type { MessageKind } from "../domain/effect.ts";
import type { Event } from "../domain/event.ts";
import { fixStoryPrefix } from "../domain/ids.ts";
import type { StorySpec } from "../domain/story.ts";

// The seed is fixed, so that a red suite means a change. Other seeds explore further.
const seed = fixedSeed ?? 20_260_101;
const walks = Number(process.env["PAWL_WALKS"] ?? rounds({ usual: 800, all: 1_500 }));

const digit = fc.nat(9);
const routes = fc.constantFrom(0, 2, 3, 4, 5, 2, 3, 4, 5, 6, 7, 8, 9, 9);
const steps: fc.Arbitrary<StepShape> = fc.record({
  kind: digit,
  passed: digit,
  rejected: routes,
  reasoned: routes,
  error: digit,
  target: digit,
  atMost: fc.constantFrom(0, 1, 2, 2, 3, 3),
  then: fc.nat(3),
  budget: fc.nat(5),
  spend: digit,
  deadline: digit,
  flags: fc.nat(63),
  condition: digit,
});

const shapes: fc.Arbitrary<WorkflowShape> = fc.record({
  steps: fc.array(steps, { minLength: 2, maxLength: 5 }),
  body: fc.option(fc.array(steps, { minLength: 1, maxLength: 3 }), { freq: 3 }),
  bodyAt: digit,
  concurrency: digit,
  storyBudget: digit,
  storyThen: digit,
  goOn: fc.boolean(),
  attempts: fc.oneof(
    { weight: 1, arbitrary: fc.integer({ min: 3, max: 9 }) },
    { weight: 4, arbitrary: fc.constant(60) },
  ),
  lost: fc.integer({ min: 1, max: 3 }),
  storySpend: digit,
  costUsd: fc.constantFrom(1_000, 1_000, 1_000, 1_000, 1.2),
  tokens: fc.constantFrom(1_000_000, 1_000_000, 1_000_000, 1_000_000, 200),
  capAsks: fc.boolean(),
  reset: fc.boolean(),
  trees: fc.boolean(),
  last: fc.boolean(),
  room: fc.constantFrom(0, 1, 2, 4, 4, 8, 8, 9),
  restarts: fc.nat(2),
});

const moves: fc.Arbitrary<Move> = fc.record({ kind: fc.nat(99), pick: fc.nat(99), words: fc.nat(9_999) });

const included: fc.Arbitrary<IncludeShape> = fc.record({
  from: digit,
  length: digit,
  condition: fc.nat(5),
  attempts: digit,
  spend: digit,
  repeat: digit,
});

const workflows = fc.oneof(
  { weight: 4, arbitrary: shapes.map((shape): Definition => workflowOf(shape)) },
  { weight: 1, arbitrary: fc.tuple(shapes, included).map(([shape, part]) => withInclude(workflowOf(shape), part)) },
  { weight: 1, arbitrary: fc.constantFrom(featureDev(), featureDev(), ralph()) },
);

const walk = fc.tuple(workflows, fc.nat(999), fc.array(moves, { minLength: 58, maxLength: 116, size: "max" }));

type Is = (event: Event, definition: Definition) => boolean;

/** Events that deep walks contain, and the smallest share of a hundred walks that must contain each. */
const depths: Record<string, { readonly share: number; readonly is: Is }> = {
  "a third attempt": { share: 50, is: (event) => event.type === "attempt_dispatched" && event.number >= 3 },
  "a route back": { share: 24, is: (event) => "taken" in event && event.taken?.to === "back_to" },
  "an inserted step": { share: 20, is: ({ type }) => type === "steps_inserted" },
  "a step that its condition skips": {
    share: 20,
    is: (event) => event.type === "steps_skipped" && event.reason.startsWith("it runs if"),
  },
  "a step that a vote of stories skips": {
    share: 0.5,
    is: (event) => event.type === "steps_skipped" && event.reason.includes("loop.*."),
  },
  "a majority of stories": {
    share: 1,
    is: (event) => event.type === "attempt_ended" && (event.taken?.key === "=no" || event.taken?.key === "=unknown"),
  },
  "an early end of a run": {
    share: 3,
    is: (event) => event.type === "steps_skipped" && event.reason.includes("ended the run early"),
  },
  "an early end of a story": {
    share: 2,
    is: (event) => event.type === "steps_skipped" && event.reason.includes("ended the story early"),
  },
  "an early end of an included workflow": {
    share: 0.5,
    is: (event) => event.type === "steps_skipped" && event.reason.includes("ended inc early"),
  },
  "an included workflow that is skipped": {
    share: 0.5,
    is: (event) =>
      event.type === "steps_skipped" && event.reason.startsWith("it runs if o_s0") && event.steps.length > 1,
  },
  "caps of an included workflow that are used up": {
    share: 0.5,
    is: (event) => event.type === "step_failed" && event.reason.includes("inc: its"),
  },
  "a list with several entries": { share: 1, is: (event) => event.type === "items_taken" && event.item.of > 1 },
  "a list that is read again": {
    share: 0.1,
    is: (event) => event.type === "steps_skipped" && event.reason.includes("was read again"),
  },
  "a skipped step": { share: 15, is: ({ type }) => type === "steps_skipped" },
  "a used-up limit": { share: 15, is: (event) => event.type === "attempt_ended" && event.why.includes("limit of") },
  "an answer": { share: 40, is: ({ type }) => type === "gate_answered" },
  "a void gate": { share: 15, is: ({ type }) => type === "gate_voided" },
  "a retry": { share: 40, is: ({ type }) => type === "run_reopened" },
  "parts of a step": { share: 8, is: ({ type }) => type === "parts_opened" },
  "a step with parts that is performed as a whole": {
    share: 0.2,
    is: (event, definition) => event.type === "step_readied" && mayHaveParts(definition).includes(event.step),
  },
  "a round of parts that goes back": {
    share: 1,
    is: (event) => event.type === "parts_ended" && event.taken.to === "back_to",
  },
  "a part that was not needed": {
    share: 2,
    is: (event) =>
      event.type === "part_ended" && event.end.status === "stopped" && event.end.reason.includes("decided"),
  },
  "parts that are joined": { is: ({ type }) => type === "join_opened", share: 1 },
  "a part that a conflict sends back": { is: ({ type }) => type === "join_refused", share: 0.5 },
  "a retry that keeps a part": {
    share: 0.2,
    is: (event) => event.type === "parts_opened" && (event.keeps ?? []).length > 0,
  },
  "a done story": { share: 25, is: (event) => event.type === "story_changed" && event.status === "done" },
  "a blocked story": { share: 5, is: (event) => event.type === "story_changed" && event.status === "blocked" },
  "a fix story": { share: 0.2, is: (event) => event.type === "stories_planned" && event.stories.some(isFix) },
  "a done run": { share: 15, is: (event) => event.type === "run_ended" && event.status === "done" },
  "a failed run": { share: 25, is: (event) => event.type === "run_ended" && event.status === "failed" },
  "a cancelled run": { share: 5, is: (event) => event.type === "run_ended" && event.status === "cancelled" },
  "a refused report": { share: 90, is: ({ type }) => type === "report_refused" },
  "work that changed": { share: 12, is: ({ type }) => type === "gate_shown" },
  "an answer with a reason": {
    share: 5,
    is: (event) =>
      event.type === "gate_answered" &&
      event.took !== "fail" &&
      event.reason === "unclear" &&
      event.option === "reject",
  },
  "a deadline": { share: 10, is: (event) => event.type === "gate_answered" && event.author === "deadline" },
  "a question before a start": {
    share: 30,
    is: (event) => event.type === "gate_opened" && event.gate.cause === "waits",
  },
  "a question after a stop": {
    share: 10,
    is: (event) => event.type === "gate_opened" && event.gate.cause === "stopped",
  },
  "a changed level": { share: 30, is: ({ type }) => type === "waits_changed" },
  "a question that was withdrawn": {
    share: 1,
    is: (event) => event.type === "gate_voided" && event.reason.includes("does not ask"),
  },
  "a time-out with its own rule": {
    share: 10,
    is: (event) => event.type === "attempt_ended" && event.taken?.key === "error:timed_out",
  },
  "a signal that a step takes": { share: 3, is: ({ type }) => type === "signal_taken" },
  "a dropped step": { share: 10, is: ({ type }) => type === "step_dropping" },
  "a dropped story": {
    share: 3,
    is: (event) => event.type === "story_changed" && event.reason.startsWith("dropped as"),
  },
  "a story that was not needed": {
    share: 1,
    is: (event) => event.type === "story_changed" && event.reason === "enough stories are done",
  },
  "a story that was stopped at work": {
    share: 1,
    is: (event) => event.type === "step_dropping" && event.as === "stopped",
  },
  "stories of which too few can be done": {
    share: 1,
    is: (event) => event.type === "story_changed" && event.reason === "too few stories can be done",
  },
  "a stopped story that is retried": {
    share: 0.2,
    is: (event) => event.type === "steps_reset" && event.reason === "too few stories can be done",
  },
  "a second round of stories": {
    share: 0.1,
    is: (event) => event.type === "step_opened" && (event.round?.without ?? []).length > 0,
  },
  "a raised cap": { share: 5, is: ({ type }) => type === "caps_raised" },
  "an edit by a step": { share: 30, is: (event) => event.type === "chain_edited" && event.by !== null },
  "an edit by a person": { share: 25, is: (event) => event.type === "chain_edited" && event.by === null },
  "a refused edit": { share: 40, is: ({ type }) => type === "edit_refused" },
  "a restart": { share: 12, is: (event) => editLedTo(event, "again") },
  "one restart too many": { share: 1, is: (event) => editLedTo(event, "fail") },
  "a step after steps that it inserted": { share: 5, is: (event) => editLedTo(event, "insert") },
  "a split": { share: 8, is: ({ type }) => type === "steps_removed" },
  "a new order": { share: 4, is: ({ type }) => type === "steps_reordered" },
  "a full chain": { share: 0.5, is: (event) => event.type === "step_failed" && event.reason.includes("must insert") },
  "a conflict": { share: 2, is: (event) => event.type === "steps_inserted" && event.steps[0]?.name === "bx" },
  "a third slot": { share: 5, is: (event) => event.type === "story_changed" && (event.slot ?? 0) >= 3 },
  "an adopted story": { share: 10, is: ({ type }) => type === "story_adopted" },
  "an added story": { share: 10, is: (event) => event.type === "stories_planned" && event.stories.some(isAdded) },
  "a note that was delivered": { share: 40, is: ({ type }) => type === "notes_delivered" },
  "work that is rolled back": { share: 40, is: (event) => event.type === "attempt_ended" && event.discards },
};

/** The same for messages to people. */
const messageShares: Record<MessageKind, number> = {
  needs_you: 40,
  stuck: 15,
  budget: 20,
  story_done: 25,
  run_done: 15,
  run_failed: 25,
};

const isAdded = ({ id }: StorySpec) => id.startsWith("V");
const editLedTo = (event: Event, to: string) =>
  event.type === "attempt_ended" && event.taken?.key === "edit" && event.taken.to === to;
/** Steps whose parts have a condition. The first step of a name has that name as its id. */
const mayHaveParts = ({ steps }: Definition): readonly string[] =>
  steps
    .flatMap((step) => (step.kind === "stories" ? step.body : [step]))
    .flatMap((step) => ("parts" in step && step.parts?.if !== undefined ? [step.name as string] : []));
const isFix = ({ id }: StorySpec) => id.startsWith(fixStoryPrefix);
const met: Record<string, number> = {};

describe(`${walks} walks from seed ${seed}`, () => {
  let walked: fc.RunDetails<[[Definition, number, Move[]]]>;

  beforeAll(() => {
    const property = fc.property(walk, ([definition, beginning, moves]) => {
      const walk = new Walk(definition, randomStart(definition, beginning)).through(moves);
      const { driver } = walk;
      for (const [what, { is }] of Object.entries(depths)) {
        if (driver.events.some((event) => is(event, definition))) met[what] = (met[what] ?? 0) + 1;
      }
      for (const kind of new Set(driver.messages().map((message) => message.kind))) met[kind] = (met[kind] ?? 0) + 1;
      walk.toItsEnd();
    });
    walked = fc.check(property, { seed, numRuns: walks });
  }, 600_000);

  test("[CH1 CH2 CH6 RT17 IN5 IN6 RF1 RF5 IF1 IF2 IF3 IF6 RU5 RU6 RU8 LI1 LI2 LI5 LI7 LI8 LI11 LI12 LI13] the invariants of chains, runs and limits hold after every command", () => {
    expectToHold();
  });

  test("[PT1 PT2 PT3 PT5 PT6 PT7 PT8 PT9 PT10 PT11 PT14 PT15 PT16 PT18 PT19 AT2 AT3 AT4 AT5 AT6 AT19 WT1 WT2 WT5 LI22 RT16 GA2 GA4 GA5 GA11 GA12 GA13 ME1 ME2 ME3 ME4 ME5 ST3 ST5 ND1 ND3 ND4 ND6 ND7 OU5 OU6 LC8 RE1 RE2 SG1 SG2 SG3 X5 X8] so do the invariants of everything else", () => {
    expectToHold();
  });

  test("[ED7 ED8 ED12 ED14 ED20 ED21 LI15 LI16 RT13 ST3 ST14 ST19 CH5 C6 C33 C39 C48 C55 C57 C58 C61 C86] so do the invariants of edited chains and of stories in parallel", () => {
    expectToHold();
  });

  test.each(Object.entries(depths))("[X5] they are deep: %s", (what, { share }) => {
    expect(((met[what] ?? 0) * 100) / walks).toBeGreaterThanOrEqual(share);
  });

  test.each(Object.entries(messageShares))("[X5] people get messages: %s", (kind, share) => {
    expect(((met[kind] ?? 0) * 100) / walks).toBeGreaterThanOrEqual(share);
  });

  function expectToHold(): void {
    if (walked.failed) throw new Error(fc.defaultReportMessage(walked), { cause: walked.errorInstance });
  }
});
