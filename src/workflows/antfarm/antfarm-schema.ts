// The schema of antfarm's workflow.yml, as its loader and the files in use have it. Any other
// key is a warning, since antfarm accepts every key silently and such files are common.

import * as z from "zod";

const id = z.string().min(1);
const count = z.int().min(0);
const seconds = z.number().positive();
const escalation = z.strictObject({ escalate_to: z.string().optional() });

const agent = z.strictObject({
  id: id.describe("The name that steps use."),
  name: z.string().optional(),
  description: z.string().optional(),
  role: z.string().optional(),
  model: z.string().optional(),
  polling_model: z.string().optional(),
  timeout_seconds: seconds.optional(),
  workspace: z
    .strictObject({
      base_dir: z.string().optional(),
      files: z.record(z.string(), id).optional(),
      skills: z.array(z.string()).optional(),
    })
    .optional(),
});

const step = z.strictObject({
  id: id.describe("Unique; routes use it."),
  agent: id.describe("The agent that performs this step."),
  input: z.string().describe("The prompt."),
  name: z.string().optional(),
  title: z.string().optional(),
  type: z.enum(["single", "loop"]).optional().describe("single (default) or loop."),
  loop: z
    .strictObject({
      over: z.string().optional(),
      completion: z.string().optional(),
      fresh_session: z.boolean().optional(),
      verify_each: z.boolean().optional(),
      verify_step: z.string().optional(),
      max_retries: z.int().min(1).optional(),
    })
    .optional(),
  story_max_retries: z.int().min(1).optional(),
  expects: z.string().optional().describe("Text that the output must contain."),
  output_keys: z.array(id).optional().describe("Only these output keys are kept."),
  max_retries: count.optional(),
  on_fail: z
    .union([
      z.string(),
      z.strictObject({
        max_retries: count.optional(),
        retry_step: z.string().optional(),
        escalate_to: z.string().optional(),
        on_exhausted: escalation.optional(),
      }),
    ])
    .optional()
    .describe("What happens when the step fails: max_retries, retry_step, escalate_to."),
  on_exhausted: escalation.optional(),
  escalate_to: z.string().optional(),
  decision_key: id.optional().describe("The output key whose value decides."),
  on_decision: z
    .record(z.string(), z.strictObject({ next_step: z.string().optional(), retry_step: z.string().optional() }))
    .optional()
    .describe("Where each value of the decision leads: next_step or retry_step."),
  timeout_seconds: seconds.optional(),
  timeout_minutes: seconds.optional(),
});

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

export const antfarmSchema = z.strictObject({
  id: id.describe("The workflow's name on the command line."),
  name: z.string().optional(),
  version: scalar.optional(),
  description: z.string().optional(),
  polling: z.strictObject({ model: z.string().optional(), timeout_seconds: seconds.optional() }).optional(),
  cron: z.strictObject({ interval_ms: seconds.optional() }).optional(),
  notifications: z.strictObject({ url: z.string().optional() }).optional(),
  agents: z.array(agent).min(1).describe("The agents: a list whose items have an `id`."),
  context: z.record(z.string(), scalar).optional().describe("Keys that every input may use from the start."),
  steps: z.array(step).min(1).describe("The steps, in order."),
});

export type AntfarmInput = z.infer<typeof antfarmSchema>;
export type AntfarmStep = z.infer<typeof step>;

export function antfarmJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(antfarmSchema, { io: "input" });
}
