// The schema of our own format (`pawl: 1`): fields, types and descriptions, for the loader and, as JSON Schema, for
// editors. Every field has an effect; what the engine cannot do is not in here.

import * as z from "zod";
import { duration, id } from "./route-schema.ts";
import { simpleValue } from "./step-field-schema.ts";
import { step } from "./step-schema.ts";

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
  concurrency: z.int().min(1).optional().describe("How many of its attempts may run at once in a run. Default: any."),
};

const agents = z
  .union([
    z.record(z.string(), z.strictObject(agentFields)),
    z.array(z.strictObject({ id: id.describe("The name that steps use."), ...agentFields })).min(1),
  ])
  .describe("The agents: a map from name to settings, or a list whose items have an `id`.");

const inputs = z
  .union([
    z.array(id).min(1),
    z.record(
      z.string(),
      z.union([
        z.strictObject({
          description: z.string().optional().describe("What it is for."),
          default: simpleValue.optional().describe("Its value where none is given. Default: it must be given."),
        }),
        z.null(),
      ]),
    ),
  ])
  .describe("Keys that are given by the workflow that includes this one, or with `pawl run --context KEY=VALUE`.");

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

const schedule = z
  .strictObject({
    cron: z
      .string()
      .min(1)
      .max(200)
      .describe("When: minute, hour, day of the month, month, day of the week, such as `0 3 * * 1-5`."),
    zone: z
      .string()
      .max(100)
      .optional()
      .describe("The time zone of these fields, such as Europe/Berlin. Default: UTC."),
    task: z.string().max(100_000).describe("What should be done, as in `pawl run WORKFLOW TASK`."),
    missed: z
      .enum(["once", "skip"])
      .optional()
      .describe("Times at which the service did not run. once: one run for all of them (default). skip: none."),
    context: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
      .optional()
      .describe("Keys for templates, as `pawl run --context KEY=VALUE` gives them."),
  })
  .describe(
    "When the service starts a run by itself: `schedule: { cron: TIMES, zone: ZONE, task: TASK }`, after `pawl schedule add`.",
  );

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
    templates: z
      .enum(["strict"])
      .optional()
      .describe(
        "strict: a step whose input or variables name a key without a value asks a person instead of starting. Default: such a key reads [missing: key], or nothing.",
      ),
    inputs: inputs.optional(),
    outputs: z.array(id).min(1).optional().describe("Keys that a workflow which includes this one may use."),
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
    schedule: schedule.optional(),
  })
  .meta({ title: "Pawl workflow" });

export type WorkflowInput = z.infer<typeof workflowSchema>;
export type CapsInput = z.infer<typeof caps>;

/** The published schema, for editors. `protocols`: the names that a file may give as its `protocol`; none: any name. */
export function workflowJsonSchema(protocols: readonly string[] = []): Record<string, unknown> {
  const json = z.toJSONSchema(workflowSchema, { io: "input" });
  if (protocols.length === 0) return json;
  const { protocol, ...others } = json.properties ?? {};
  return { ...json, properties: { ...others, protocol: { ...Object(protocol), enum: protocols } } };
}
