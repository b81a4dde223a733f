// The schemas of the fields of a step that have a shape of their own: limits, routes by verdict, decisions, conditions, checks, parts.

import * as z from "zod";
import { resultForms } from "../../domain/check.ts";
import { alone, duration, id, option, route, wholeNumber } from "./route-schema.ts";

export const ownLimit = z.strictObject({
  at_most: wholeNumber.optional().describe("How often, all together."),
  usd: z.number().positive().optional().describe("What the attempts may cost together, in US dollars."),
  tokens: z.int().min(1).optional().describe("Tokens of the attempts together, read and written."),
  wall: duration.optional().describe("How long the attempts may take together."),
  hard: z.boolean().optional().describe("true: the end of `wall` stops an attempt that runs. Default: false."),
  then: route.optional().describe("Where it leads once a limit is reached. Default: fail."),
});

export const stepLimit = ownLimit.extend({
  errors: z
    .boolean()
    .optional()
    .describe("true: failures, time-outs and unreadable answers draw on `at_most`, too. Default: only rejections."),
});

export const on = z
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

export const integration = z
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

export const simpleValue = z.union([z.string(), z.number(), z.boolean()]);
const word = z.union([z.string(), z.number(), z.boolean(), z.null()]);

export const decision = z
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
    "This step reads a value from files, without an agent: a reader of the protocol by its name, or a general one as a map. Or it decides by what stories said: all, any, count or majority, with `of`. `on` lists its values.",
  );

const words = z.union([simpleValue, z.array(simpleValue).min(1)]);
export const saidName = id.describe("What stories said: STEP.*.KEY, with the id of the stories step.");
export const atLeast = z.int().min(1).optional().describe("With `count`: how many stories must have said it.");

export const condition = z
  .record(
    z.string(),
    z.union([
      words,
      z.strictObject({
        of: saidName,
        is: words.describe("The word that counts, or several."),
        at_least: atLeast,
      }),
    ]),
  )
  .describe(
    "The step runs only if this key has this value, or one of these; else it is skipped. Asked when its turn comes. Over what stories said: all, any, majority or count, as { any: { of: STEP.*.KEY, is: VALUE } }.",
  );

export const include = {
  workflow: id.describe(
    "This step is another workflow: its id, or its path from this file (`./review.yml`). Its steps run here.",
  ),
  inputs: z
    .record(z.string(), simpleValue)
    .describe("With `workflow`: a value for each of its inputs; {{key}} is replaced by the value of this file's key."),
  outputs: z
    .union([z.array(id).min(1), z.record(z.string(), id)])
    .describe(
      "With `workflow`: which of its outputs this file gets, as a list, or as a map with the key of each here.",
    ),
  agents: z
    .record(z.string(), id)
    .describe("With `workflow`: agents of this file that perform in the place of its own: { ITS_AGENT: AGENT }."),
};

export const check = z
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

const part = z.strictObject({
  name: id.describe("The name that `{{part}}`, PAWL_PART and `STEP.NAME.KEY` use."),
  agent: id.optional().describe("The agent of this part. Default: the step's."),
  input: z.string().optional().describe("The prompt of this part. Default: the step's."),
  reads: z.array(z.string()).max(100).optional().describe("As `reads` of the step, for this part."),
  writes: z.array(z.string()).max(100).optional().describe("As `writes` of the step, for this part."),
  access: z.enum(["read", "write"]).optional().describe("read: this part may not change the tree."),
  timeout: duration.optional().describe("Time limit for each attempt of this part."),
  budget: z
    .strictObject({
      usd: z.number().positive().optional().describe("What its attempts may cost together, in US dollars."),
      tokens: z.int().min(1).optional().describe("Tokens of its attempts together, read and written."),
      wall: duration.optional().describe("How long its attempts may take together."),
      hard: z.boolean().optional().describe("true: the end of `wall` stops an attempt that runs. Default: false."),
    })
    .optional()
    .describe("What this part may use; then it fails."),
});

export const parts = z
  .union([
    z.array(z.union([id, part])),
    z.strictObject({ each: id.describe("A key of the context with one name a line, or a JSON list of names.") }),
    z.strictObject({ agents: z.array(id).min(1).describe("One part for each of these agents, with its name.") }),
  ])
  .describe(
    "Parts of this step that are performed at the same time: [security, performance, style]; a list with fields of their own; { agents: [a, b] }; { each: KEY }.",
  );

export const need = z
  .union([z.literal("all"), z.literal("first"), z.int().min(1)])
  .describe(
    "How many parts must pass, or how many stories must be done: all (default), a number, or first: one, and the others are stopped.",
  );
export const others = z
  .enum(["finish", "stop"])
  .describe("What becomes of the other parts or stories once it is known how the step ends: finish (default) or stop.");

export type LimitInput = z.infer<typeof ownLimit>;
