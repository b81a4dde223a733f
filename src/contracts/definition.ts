// The contract of a definition: a workflow in its internal form, as `pawl workflow show --json` prints it.

import { z } from "zod";
import { resultForms } from "../domain/check.ts";
import { anyRouteDocument, caps, gateDeadline, gateOptions, limit, routeRule, spend } from "./routes.ts";
import { count, list, object, text, textMap, texts } from "./shape.ts";

const saidName = object({ step: text, key: text });
const plainVote = { vote: z.enum(["all", "any", "majority"]), of: saidName };
const countVote = { vote: z.literal("count"), of: saidName, atLeast: count };

const condition = z.union([
  object({ key: text, values: texts }),
  object({ ...plainVote, values: texts }),
  object({ ...countVote, values: texts }),
]);

const base = {
  name: text,
  title: text,
  spare: z.boolean().exactOptional(),
  if: condition.exactOptional(),
  include: object({ id: text, outputs: textMap }).exactOptional(),
  entries: list(
    object({ include: text, if: condition.exactOptional(), repeatFor: text.exactOptional() }),
  ).exactOptional(),
  repeatFor: text.exactOptional(),
};

const include = object({
  workflow: text,
  title: text,
  budget: object({ attempts: z.number().nullable(), spend, then: anyRouteDocument }).exactOptional(),
});

const check = object({
  run: text,
  must: z.enum(["pass", "fail"]).exactOptional(),
  reads: z.enum(resultForms).exactOptional(),
  file: text.exactOptional(),
  as: z.enum(["tests", "lint"]).exactOptional(),
});

const part = object({
  name: text,
  agent: text.exactOptional(),
  input: text.exactOptional(),
  reads: texts.exactOptional(),
  writes: texts.exactOptional(),
  access: z.literal("read").exactOptional(),
  wallMs: z.number().exactOptional(),
  spend: spend.exactOptional(),
});

const parts = object({
  of: z.union([object({ list: list(part) }), object({ each: text })]),
  need: z.union([z.literal("all"), count]),
  others: z.enum(["finish", "stop"]),
  rejected: z.literal("alone").exactOptional(),
});

const performed = {
  ...base,
  input: text,
  produces: texts.nullable(),
  decide: text.nullable(),
  expects: text.nullable(),
  on: z.record(z.string(), routeRule).readonly(),
  onError: routeRule,
  onErrorBy: object({ failed: routeRule.exactOptional(), timed_out: routeRule.exactOptional() }).exactOptional(),
  onUnreadable: routeRule.exactOptional(),
  budget: limit.nullable(),
  checks: list(check),
  parts: parts.exactOptional(),
  access: z.literal("read").exactOptional(),
  reads: texts.exactOptional(),
  writes: texts.exactOptional(),
  env: textMap.exactOptional(),
  wallMs: z.number().nullable(),
  quietMs: z.number().nullable(),
  waits: z.boolean().exactOptional(),
  barrier: z.boolean().exactOptional(),
  dependent: z.boolean().exactOptional(),
  lock: text.exactOptional(),
  labels: texts.exactOptional(),
  concurrency: count.exactOptional(),
  summary: z.boolean().exactOptional(),
  session: text.exactOptional(),
  editable: z.boolean().exactOptional(),
  mandatory: z.boolean().exactOptional(),
  last: z.boolean().exactOptional(),
  follows: texts.exactOptional(),
};

const single = [
  object({ ...performed, kind: z.literal("agent"), agent: text }),
  object({ ...performed, kind: z.literal("command"), command: text }),
  object({ ...performed, kind: z.literal("integrate"), message: text }),
  object({
    ...performed,
    kind: z.literal("decision"),
    reader: text,
    source: z
      .union([
        object({
          file: text,
          at: text.exactOptional(),
          words: z
            .record(z.string(), list(z.union([z.string(), z.number(), z.boolean(), z.null()])))
            .readonly()
            .exactOptional(),
        }),
        object(plainVote),
        object(countVote),
      ])
      .exactOptional(),
  }),
  object({
    ...base,
    kind: z.literal("gate"),
    question: text,
    options: gateOptions,
    deadline: gateDeadline.exactOptional(),
    signal: object({ name: text, produces: texts })
      .exactOptional()
      .describe("A program answers it by this signal. Absent: a person does."),
  }),
] as const;

const storiesShape = {
  ...base,
  kind: z.literal("stories"),
  concurrency: count,
  storyBudget: limit,
  onStoryFailed: z.enum(["stop", "continue"]),
  need: count.exactOptional(),
  others: z.literal("stop").exactOptional(),
  workspace: z.literal("worktree").exactOptional(),
  branchPrefix: text.exactOptional(),
  ids: z.literal("numbers").exactOptional(),
  sentBack: z.literal("nothing").exactOptional(),
  maxSteps: count.exactOptional(),
  restarts: count.exactOptional(),
};
const withoutBody = object(storiesShape);

/** Written out, because it contains itself: the body of a `stories` step. */
type StepDefinitionDocument =
  | z.infer<(typeof single)[number]>
  | (z.infer<typeof withoutBody> & { readonly body: readonly StepDefinitionDocument[] });

const anyStep: z.ZodType<StepDefinitionDocument> = z.lazy(() =>
  z.discriminatedUnion("kind", [...single, object({ ...storiesShape, body: list(step) })]),
);
const step = anyStep.meta({ id: "StepDefinitionDocument" });

const agent = object({
  name: text,
  title: text,
  description: text,
  executor: text.nullable(),
  fallbacks: texts.exactOptional(),
  access: z.literal("read").exactOptional(),
  model: text.nullable(),
  timeoutMs: z.number().nullable(),
  concurrency: count.exactOptional(),
  files: textMap,
});

export const definitionContract = object({
  id: text,
  title: text,
  description: text,
  dialect: text,
  agents: z.record(z.string(), agent).readonly(),
  steps: list(step),
  context: textMap,
  collects: z.record(z.string(), texts).readonly().exactOptional(),
  inputs: texts.exactOptional(),
  includes: z.record(z.string(), include).readonly().exactOptional(),
  knownKeys: texts,
  templates: z.literal("strict").exactOptional(),
  caps,
  workspace: object({
    branch: z.enum(["own", "by_step"]),
    onFailure: z.enum(["keep", "reset"]),
    uncommitted: z.literal("keep").exactOptional(),
    byProducts: texts.exactOptional(),
    env: textMap.exactOptional(),
  }),
  protocol: text.nullable().describe("The protocol whose files are read and written beside the store; null: none."),
  pollEveryMs: z.number(),
}).meta({ id: "DefinitionDocument" });

export type DefinitionDocument = z.infer<typeof definitionContract>;
