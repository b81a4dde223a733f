// The schema of a step: every field that some kind of step has. Which kind has which is in steps.ts.

import * as z from "zod";
import { alone, deadline, duration, id, option, options, route, wholeNumber } from "./route-schema.ts";
import {
  atLeast,
  check,
  condition,
  decision,
  include,
  integration,
  need,
  on,
  others,
  ownLimit,
  parts,
  saidName,
  stepLimit,
} from "./step-field-schema.ts";

const stories = z
  .union([
    z.strictObject({
      concurrency: z
        .int()
        .min(1)
        .optional()
        .describe("Stories at the same time; more than 1 needs `workspace: worktree`. Default: 1."),
      workspace: z
        .enum(["worktree"])
        .optional()
        .describe("worktree: each story has a tree and a branch of its own. Default: all work in the run's tree."),
      branch_prefix: z
        .string()
        .min(1)
        .max(100)
        .optional()
        .describe("What a story's branch is called, before the story's id: `story/` gives story/US-001."),
      ids: z
        .enum(["numbers"])
        .optional()
        .describe("numbers: steps are called step-001, step-002 … Default: as the file calls them."),
      sent_back: z
        .enum(["fix", "nothing"])
        .optional()
        .describe(
          "What going back to this step adds when all stories are done. fix: one more story, with the feedback as its task. nothing: only what was planned anew is worked on. Default: fix.",
        ),
      max_steps: z.int().min(1).optional().describe("How many steps the chain of one story may have."),
      restarts: wholeNumber.optional().describe("How often a step may start anew by its own wish. Default: 3."),
    }),
    alone,
  ])
  .describe("This step runs its `body` once for each story.");

export const step = z
  .strictObject({
    id: id.describe("Unique in its chain; routes use it."),
    title: z.string().optional().describe("A short text for people. Default: the id."),
    if: condition.optional(),
    repeat_for: id
      .optional()
      .describe(
        "The key of a list, one entry a line or as JSON: the step runs once for each, in order, with {{item}}. An empty list skips it.",
      ),
    workflow: include.workflow.optional(),
    inputs: include.inputs.optional(),
    outputs: include.outputs.optional(),
    agents: include.agents.optional(),
    agent: id.optional().describe("This step is performed by that agent."),
    command: z
      .string()
      .min(1)
      .optional()
      .describe("This step runs that shell command, or project.lint or project.test; exit code 0 passes."),
    gate: z
      .union([z.string().min(1), z.null()])
      .optional()
      .describe("This step asks a person that question."),
    options: options.optional(),
    deadline: deadline.optional(),
    signal: id.optional().describe("This step waits until a program sends that signal: pawl signal RUN NAME."),
    on_timeout: route
      .optional()
      .describe("Of a signal: where it leads when the signal has not come within `timeout`. Default: fail."),
    stories: stories.optional(),
    integrate: integration.optional(),
    decision: decision.optional(),
    of: saidName.optional(),
    at_least: atLeast,
    get body(): z.ZodOptional<z.ZodArray<typeof step>> {
      return z.array(step).min(1).optional().describe("The steps that each story goes through, in order.");
    },
    story_budget: ownLimit
      .optional()
      .describe(
        "What one story may use: how often it is tried again, money, tokens, time. Default: once more, then fail.",
      ),
    on_story_failed: z
      .enum(["stop", "continue"])
      .optional()
      .describe(
        "After a failed story: stop (start no other) or continue with the others. Default: stop; with a number in `need`, continue.",
      ),
    input: z.string().optional().describe("The prompt. {{key}} is replaced by the value of that key."),
    produces: z
      .array(id)
      .optional()
      .describe(
        "Only these output keys are kept; default: all. Of a command: the keys that it prints, each as a line `KEY: value` or all in one JSON object; default: none.",
      ),
    decide: id.optional().describe("The output key whose value decides; then `on` lists its values."),
    expects: z.string().min(1).optional().describe("Text that the output must contain to pass."),
    on: on.optional(),
    on_error: option
      .optional()
      .describe(
        "When an attempt did not complete: again, gate or fail; or by outcome: `default`, `failed`, `timed_out`. Default: again at most 2 times, then fail.",
      ),
    on_unreadable: route
      .optional()
      .describe("When the answer of an agent cannot be read: again, gate or fail. Default: as on_error."),
    budget: stepLimit
      .optional()
      .describe(
        "What this step may use: all its routes that repeat together, and money, tokens, time of its attempts.",
      ),
    checks: z
      .array(z.union([z.string().min(1), check]))
      .optional()
      .describe(
        "Commands that must succeed after the step says it is done; a red one rejects it. `project.lint` and `project.test` stand for the configured ones.",
      ),
    env: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
      .optional()
      .describe(
        'Variables for the step\'s command and checks; {{key}} in a value is replaced, and no shell runs it: VERSION: "{{version}}".',
      ),
    timeout: z
      .union([
        duration,
        z.strictObject({
          wall: duration.optional().describe("The longest an attempt may take."),
          quiet: duration.optional().describe("The longest it may print nothing."),
        }),
      ])
      .optional()
      .describe("Time limits of one attempt."),
    parts: parts.optional(),
    need: need.optional(),
    others: others.optional(),
    access: z
      .enum(["read", "write"])
      .optional()
      .describe("read: the parts of this step may not change the tree. Default: as their agents."),
    reads: z
      .array(z.string())
      .max(100)
      .optional()
      .describe(
        "Files of the project that its agent reads; {{reads}} in the input lists them, and says which are missing.",
      ),
    writes: z
      .array(z.string())
      .max(100)
      .optional()
      .describe("What its agent writes, as lines of a .gitignore; {{writes}} lists them. Other changes are a note."),
    session: z
      .union([
        z.literal("fresh"),
        z.strictObject({ same_as: id.describe("A step of the same chain, this one or one before it.") }),
      ])
      .optional()
      .describe("fresh (default), or same_as: continues the session of that step, where the agent can."),
    waits: z
      .boolean()
      .optional()
      .describe("true: it asks a person before it starts, once per visit. `pawl run --waits none` leaves that out."),
    barrier: z
      .boolean()
      .optional()
      .describe("true: it runs alone, never beside another step. The files of a lifecycle show it."),
    dependent: z
      .boolean()
      .optional()
      .describe("true: it needs the work of the step before it, so a lifecycle never performs the two at once."),
    lock: id
      .optional()
      .describe(
        "A name: of all steps with this lock, in all runs of the store, one runs at a time. The oldest is next.",
      ),
    labels: z
      .array(id)
      .min(1)
      .max(10)
      .optional()
      .describe("Only a machine with all of these labels performs it, such as `gpu` or `linux`. Default: any."),
    concurrency: z
      .int()
      .min(1)
      .optional()
      .describe("Of a step in a body: how many stories may be at it at once. Default: any."),
    spare: z.boolean().optional().describe("true: not in the chain at its start; only an `insert` puts it there."),
    summary: z
      .boolean()
      .optional()
      .describe(
        "true: it ends with a SUMMARY for the steps after it. Without a STATUS line it has passed when it has run to its end.",
      ),
    editable: z.boolean().optional().describe("true: its agent may change the steps that are still to come."),
    mandatory: z.boolean().optional().describe("true: no edit skips it."),
    last: z
      .boolean()
      .optional()
      .describe("true: no edit puts anything behind it, or a second one into the chain. At most one step of a chain."),
    follows: z
      .array(id)
      .min(1)
      .optional()
      .describe("No reordering puts a step of these names behind the last of this one."),
  })
  .meta({
    id: "Step",
    description:
      "One step: an agent, a command, a gate, a signal, stories with a body, an integration, a decision, or another workflow.",
  });

export type StepInput = z.infer<typeof step>;
