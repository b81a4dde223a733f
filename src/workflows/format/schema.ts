// The schema of our own format (`pawl: 1`): fields, types and descriptions, for the loader and, as JSON Schema, for
// editors. Every field has an effect; what the engine cannot do is not in here.

import * as z from "zod";
import { resultForms } from "../../domain/check.ts";
import { alone, deadline, duration, id, option, options, route, wholeNumber } from "./route-schema.ts";

const limit = z.strictObject({
  at_most: wholeNumber.optional().describe("How often, all together."),
  usd: z.number().positive().optional().describe("What the attempts may cost together, in US dollars."),
  tokens: z.int().min(1).optional().describe("Tokens of the attempts together, read and written."),
  wall: duration.optional().describe("How long the attempts may take together."),
  hard: z.boolean().optional().describe("true: the end of `wall` stops an attempt that runs. Default: false."),
  then: route.optional().describe("Where it leads once a limit is reached. Default: fail."),
});

const stepLimit = limit.extend({
  errors: z
    .boolean()
    .optional()
    .describe("true: failures, time-outs and unreadable answers draw on `at_most`, too. Default: only rejections."),
});

const on = z
  .object({
    passed: route.optional().describe("The step says it is done. Default: next."),
    rejected: option
      .optional()
      .describe("The step says no (STATUS: retry, a red check). One route, or routes by reason with a `default`."),
  })
  .catchall(route)
  .describe(
    "Where each verdict leads: passed and rejected, or the values of the key named by `decide`, with `default` for every other value.",
  );

const agentFields = {
  name: z.string().optional().describe("A name for people."),
  description: z.string().optional().describe("What this agent is for."),
  executor: id
    .optional()
    .describe("The executor that performs it: an agent, or an executor of the configuration. Default: the run's."),
  executors: z
    .array(id)
    .min(1)
    .max(10)
    .optional()
    .describe("Several that can perform it: the next is asked when one's account is used up or not logged in."),
  access: z
    .enum(["read", "write"])
    .optional()
    .describe("read: it may not change the tree; what it changes is put back, and its attempt failed. Default: write."),
  model: id.optional().describe("The model that the executor is asked for. Default: the executor's own."),
  files: z
    .record(z.string(), id)
    .optional()
    .describe("Role files: name in the agent's directory → path beside this file."),
  timeout: duration.optional().describe("Time limit for each attempt of this agent, where the step has none."),
};

const agents = z
  .union([
    z.record(z.string(), z.strictObject(agentFields)),
    z.array(z.strictObject({ id: id.describe("The name that steps use."), ...agentFields })).min(1),
  ])
  .describe("The agents: a map from name to settings, or a list whose items have an `id`.");

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

const integrate = z
  .union([
    z.strictObject({
      message: z
        .string()
        .min(1)
        .optional()
        .describe("The commit's message; {{story}} and {{title}} are replaced. Default: feat: {{story}} - {{title}}."),
    }),
    alone,
  ])
  .describe("This step makes one commit of the story's work and puts it on the base: rebased, checked, squashed.");

const word = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const decision = z
  .union([
    id,
    z.strictObject({
      reader: id.describe("A general reader: json, or a form of test results (junit, tap, go-json, jest, vitest)."),
      file: id.optional().describe("The file that it reads, in the step's tree; {{key}} is replaced."),
      at: z
        .string()
        .optional()
        .describe("json: the JSON Pointer of the word that decides: /status. Default: the whole document."),
      values: z
        .record(z.string(), z.array(word).min(1))
        .optional()
        .describe("json: each value, with the words that mean it: proceed: [passed, ok, true]."),
    }),
  ])
  .describe(
    "This step reads a value from files, without an agent: a reader of the protocol by its name, or a general one as a map. `on` lists its values.",
  );

const check = z
  .strictObject({
    run: z.string().min(1).describe("The command, or project.lint or project.test."),
    must: z
      .enum(["pass", "fail"])
      .optional()
      .describe("fail: the tests that this step wrote must fail, because the code is still missing. Default: pass."),
    reads: z
      .enum(resultForms)
      .optional()
      .describe("The form of its test results; counts and failing tests become facts. Default: the exit code decides."),
    file: id.optional().describe("The file with the results, in the step's tree. Default: what the command prints."),
    as: z
      .enum(["tests", "lint"])
      .optional()
      .describe("lint: its result is the fact lint_pass. Default: tests if it has `reads`."),
  })
  .describe("A check as a map; a text is the same as `run` alone.");

const step = z
  .strictObject({
    id: id.describe("Unique in its chain; routes use it."),
    title: z.string().optional().describe("A short text for people. Default: the id."),
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
    stories: stories.optional(),
    integrate: integrate.optional(),
    decision: decision.optional(),
    get body(): z.ZodOptional<z.ZodArray<typeof step>> {
      return z.array(step).min(1).optional().describe("The steps that each story goes through, in order.");
    },
    story_budget: limit
      .optional()
      .describe(
        "What one story may use: how often it is tried again, money, tokens, time. Default: once more, then fail.",
      ),
    on_story_failed: z
      .enum(["stop", "continue"])
      .optional()
      .describe("After a failed story: stop (default) or continue with the others."),
    input: z.string().optional().describe("The prompt. {{key}} is replaced by the value of that key."),
    produces: z.array(id).optional().describe("Only these output keys are kept. Default: all."),
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
    description: "One step: an agent, a command, a gate, stories with a body, an integration, or a decision.",
  });

const caps = z
  .strictObject({
    attempts: z.int().min(1).optional().describe("Attempts of the whole run."),
    steps: z.int().min(1).optional().describe("Steps ever put into a chain of the run."),
    wall: duration.optional().describe("Time from the start of the run."),
    usd: z.number().positive().optional().describe("Money, in US dollars."),
    tokens: z.int().min(1).optional().describe("Tokens, read and written."),
    then: z
      .enum(["fail", "gate"])
      .optional()
      .describe("At a cap: fail (default), or gate: a person says whether it is raised."),
    unknown: z
      .enum(["continue", "stop"])
      .optional()
      .describe(
        "Where an executor reports no cost: continue and say that `usd` cannot hold (default), or refuse to start.",
      ),
    hard: z.boolean().optional().describe("true: the end of `wall` stops attempts that run. Default: false."),
    lost: z.int().min(1).optional().describe("How often one step may be lost to dead machines."),
  })
  .describe("Caps on the whole run.");

export const workflowSchema = z
  .strictObject({
    pawl: z.literal(1).describe("The version of this format: 1."),
    id: id.describe("The workflow's name on the command line."),
    name: z.string().optional().describe("A title for people."),
    version: z
      .union([z.int(), z.string()])
      .optional()
      .describe("The version of this workflow; raise it when you change it."),
    description: z.string().optional().describe("What the workflow is for."),
    protocol: z.string().optional().describe("The protocol whose files are read and written beside the store."),
    agents: agents.optional(),
    context: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
      .optional()
      .describe("Keys that every input may use from the start."),
    steps: z.array(step).min(1).describe("The chain, in order."),
    caps: caps.optional(),
    budget: caps.optional().describe("The same as `caps`."),
    workspace: z
      .strictObject({
        branch: z
          .enum(["own", "by_step"])
          .optional()
          .describe("own: the run's branch is made for it. by_step: a step names and makes it."),
        on_failure: z
          .enum(["keep", "reset"])
          .optional()
          .describe("What happens to the changes of a failed attempt. Default: keep."),
        uncommitted: z
          .enum(["commit", "keep"])
          .optional()
          .describe(
            "What happens to files that a step leaves uncommitted. commit: they become a commit under its name. keep: a later step commits them; what is left at the end is committed then. Default: commit.",
          ),
        by_products: z
          .array(z.string().min(1).max(200))
          .max(100)
          .optional()
          .describe(
            "Files that tools leave behind, besides coverage/, __pycache__/, logs and the like: `reports/`, `*.trace`. They are not committed, and a step that may only read may leave them.",
          ),
        env: z
          .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
          .optional()
          .describe("Variables for programs in a story's tree; {{slot}}, {{story}} and {{run}} are replaced."),
      })
      .optional()
      .describe("Where the run works."),
    cron: z
      .strictObject({
        interval_ms: z.int().min(1).optional().describe("Milliseconds between two looks. Default: 300000."),
      })
      .optional()
      .describe("How often an agent that pulls its work looks for it."),
  })
  .meta({ title: "Pawl workflow" });

export type WorkflowInput = z.infer<typeof workflowSchema>;
export type StepInput = z.infer<typeof step>;
export type LimitInput = z.infer<typeof limit>;
export type CapsInput = z.infer<typeof caps>;

/** The published schema, for editors. `protocols`: the names that a file may give as its `protocol`; none: any name. */
export function workflowJsonSchema(protocols: readonly string[] = []): Record<string, unknown> {
  const json = z.toJSONSchema(workflowSchema, { io: "input" });
  if (protocols.length === 0) return json;
  const { protocol, ...others } = json.properties ?? {};
  return { ...json, properties: { ...others, protocol: { ...Object(protocol), enum: protocols } } };
}
