// The schema of a table of step rules (`.ai/step-rules.yaml`), as the protocol has it, with the few keys of ours that the bundled
// table needs. A key that has no effect is refused.

import * as z from "zod";
import { id } from "../format/route-schema.ts";
import { dispatchModes } from "./story-size.ts";

const files = z.array(z.string().min(1).max(500)).max(200);

const mode = z.enum(dispatchModes).optional();

const role = z.strictObject({ claude_reads: files.optional(), claude_writes: files.optional() });

const step = z.strictObject({
  title: id.optional().describe("The name of the step for people and in its prompt. Default: its key."),
  instruction: id.optional().describe("What its session is asked to do."),
  question: id.optional().describe("With requires_human: what the person is asked."),
  next_on_pass: id.describe("The step after it, or done."),
  next_on_fail: id.optional().describe("The step after a failure. Default: the same step."),
  on_fail: z
    .record(z.string(), id)
    .optional()
    .describe("The step after a failure, by reason; `default` for every other reason."),
  max_attempts: z
    .int()
    .min(1)
    .max(1000)
    .optional()
    .describe("How often it is tried before a person is asked. Default: 3."),
  timeout_min: z
    .number()
    .positive()
    .max(10_080)
    .optional()
    .describe("Minutes, more than 0, after which an attempt is over time and a person is asked. Default: 5."),
  requires_human: z.boolean().optional().describe("true: a person answers, no session starts."),
  claude_reads: files.optional().describe("The files that its session reads, in order; {story} is replaced."),
  claude_writes: files.optional().describe("The files that its session may change; {story} is replaced."),
  post_check: z.string().min(1).optional().describe("A command that must succeed after the session."),
  tests: z
    .enum(["pass", "fail", "none"])
    .optional()
    .describe("What the project's tests must do after the session. Default: none, they do not run."),
  treat_failing_as_pass: z
    .boolean()
    .optional()
    .describe("true: the tests of this step must fail (red), as `tests: fail`."),
  waits: z.boolean().optional().describe("true: a person is asked before it starts."),
  team_roles: z
    .record(z.string(), role)
    .optional()
    .describe(
      "The roles of a team, with the files that each reads and may change. As a whole: no role of the bundled table stays.",
    ),
});

export const rulesSchema = z
  .strictObject({
    pawl_rules: z.literal(1).optional().describe("The version of this format: 1. With it, a table stands alone."),
    id: id.optional().describe("The workflow's name on the command line."),
    name: id.optional().describe("A title for people."),
    version: z.union([z.int(), z.string()]).optional(),
    description: z.string().optional().describe("What the workflow is for."),
    protocol: id.optional().describe("The protocol whose files are read and written beside the store."),
    agents: z
      .record(z.string(), z.record(z.string(), id))
      .optional()
      .describe("Role files of the executor: name in its directory → path beside this file."),
    stories: z
      .strictObject({
        concurrency: z.int().min(1).optional().describe("Stories at the same time. Default: 1."),
        workspace: z.enum(["worktree"]).optional().describe("worktree: each story has a tree of its own."),
        integrate: id.optional().describe("The message of the commit that puts a story on the base."),
      })
      .optional()
      .describe("How stories are worked on."),
    dispatch_mode: z
      .strictObject({ S: mode, M: mode, L: mode })
      .optional()
      .describe(
        "One executor or a team, by the size of a story: single, team, or auto (two [P] marks or more make a team).",
      ),
    agent_teams: z
      .boolean()
      .optional()
      .describe("true (experimental): a team is one session whose lead spawns the roles itself."),
    steps: z.record(z.string(), step).describe("The steps: a map from name to rules."),
  })
  .meta({ title: "Pawl step rules" });

export type RulesTable = z.infer<typeof rulesSchema>;
export type StepRules = z.infer<typeof step>;

export function rulesJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(rulesSchema, { io: "input" });
}
