// The contract of a definition: a workflow in its internal form, as `pawl workflow show --json` prints it.

import { z } from "zod";
import { resultForms } from "../domain/check.ts";
import { caps, gateDeadline, gateOptions, limit, routeRule } from "./routes.ts";
import { count, list, object, text, textMap, texts } from "./shape.ts";

const base = { name: text, title: text, spare: z.boolean().exactOptional() };

const check = object({
  run: text,
  must: z.enum(["pass", "fail"]).exactOptional(),
  reads: z.enum(resultForms).exactOptional(),
  file: text.exactOptional(),
  as: z.enum(["tests", "lint"]).exactOptional(),
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
  reads: texts.exactOptional(),
  writes: texts.exactOptional(),
  env: textMap.exactOptional(),
  wallMs: z.number().nullable(),
  quietMs: z.number().nullable(),
  waits: z.boolean().exactOptional(),
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
    source: object({
      file: text,
      at: text.exactOptional(),
      words: z
        .record(z.string(), list(z.union([z.string(), z.number(), z.boolean(), z.null()])))
        .readonly()
        .exactOptional(),
    }).exactOptional(),
  }),
  object({
    ...base,
    kind: z.literal("gate"),
    question: text,
    options: gateOptions,
    deadline: gateDeadline.exactOptional(),
  }),
] as const;

const storiesShape = {
  ...base,
  kind: z.literal("stories"),
  concurrency: count,
  storyBudget: limit,
  onStoryFailed: z.enum(["stop", "continue"]),
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
  knownKeys: texts,
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
