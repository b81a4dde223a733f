// Tools of an attempt. Owns: the tools that its agent gets, with inputs that fit its step, and the one that commands of Pawl call. The
// desk does the work.

import { z } from "zod";
import { expectedLines } from "../domain/expectation.ts";
import { decidedValues } from "../domain/route.ts";
import { operationWords } from "../protocols/files/edit-operation.ts";
import type { Desk } from "../runtime/attempt/execute/desk.ts";
import { handInTool } from "./own-desk.ts";
import { type Tool, tool } from "./tool.ts";

/** An agent with many tools hides those of servers until it searches for them; these must be visible. */
const meta = { "anthropic/alwaysLoad": true };

export const attemptInstructions =
  "Call `complete` when your step is done; it counts more than what you print. `fail` says that it cannot be done, `ask_human` puts a question to a person.";

export function attemptTools(desk: Desk): readonly Tool[] {
  const editing = desk.claim.definition.editable ? [editWorkflow(desk)] : [];
  return [complete(desk), fail(desk), progress(desk), askHuman(desk), getContext(desk), handIn(desk), ...editing];
}

function complete(desk: Desk): Tool {
  const { definition } = desk.claim;
  const common = {
    name: "complete",
    meta,
    work: (given: object) => desk.complete(given),
  } as const;
  const summary = z.string().describe("What you did, for the agents after you");
  const outcome = oneOf(desk.outcomes).describe(describeOutcome(desk));
  const reasons = Object.keys(definition.on).flatMap((rule) => (rule.startsWith("rejected:") ? [rule.slice(9)] : []));
  return tool({
    ...common,
    description: describeComplete(desk),
    input: z.object({
      // A step that hands on a summary has done its work where it says nothing else.
      ...(definition.summary ? { summary, outcome: outcome.optional() } : { outcome, summary: summary.optional() }),
      outputs: outputsOf(desk).optional(),
      ...(reasons.length === 0
        ? {}
        : {
            reason: z
              .string()
              .optional()
              .describe(`Why, in one word: ${reasons.join(", ")}`),
          }),
      ...(desk.mayPlan ? { stories: stories.optional() } : {}),
    }),
  });
}

/** Where any word counts, the ones with a way of their own are still named. */
function describeOutcome({ outcomes, claim: { definition } }: Desk): string {
  const values = outcomes.length === 0 ? decidedValues(definition.on) : [];
  return values.length === 0
    ? "The outcome of your step"
    : `The outcome of your step: ${values.join(", ")}, or another word`;
}

function describeComplete({ outcomes, claim: { definition } }: Desk): string {
  const sends = outcomes.includes("retry") && definition.decide === null;
  const lines = expectedLines(definition.expects).map((line) =>
    line.kind === "text" ? JSON.stringify(line.text) : `a line that matches ${line.source}`,
  );
  const expected = lines.length === 0 ? [] : [`The report must contain ${lines.join(" and ")}.`];
  return [
    "Your step has ended with this outcome. Call it once, at the end. A later call replaces an earlier one.",
    ...(sends ? ["`done`: it is good. `retry`: it is not; `summary` says what has to change."] : []),
    ...expected,
  ].join(" ");
}

function oneOf(words: readonly string[]) {
  const [first, ...rest] = words;
  return first === undefined ? z.string() : z.enum([first, ...rest]);
}

function outputsOf({ claim: { definition } }: Desk) {
  const named = (definition.produces ?? []).filter((key) => key !== definition.decide);
  const shape = Object.fromEntries(named.map((key) => [key, z.unknown().optional()]));
  const described = "Values for later steps, by key; texts, or any JSON";
  return z.looseObject(shape).describe(described);
}

const stories = z
  .array(
    z.looseObject({
      id: z.string().describe("Such as US-001"),
      title: z.string(),
      description: z.string(),
      acceptanceCriteria: z.array(z.string()),
      dependsOn: z.array(z.string()).optional().describe("Ids of stories that must be done before"),
    }),
  )
  .describe("The plan, where planning is your step: stories in the order in which they are worked on");

function fail(desk: Desk): Tool {
  return tool({
    name: "fail",
    description: "Your step cannot be done. Say why, so that a person can help or the next attempt does better.",
    meta,
    input: z.object({
      reason: z.string(),
      kind: z
        .enum(["cannot", "blocked", "invalid_input"])
        .optional()
        .describe("blocked: only a person can help. invalid_input: what you were given is wrong"),
      retryable: z.boolean().optional().describe("false: another attempt would end the same way, so a person is asked"),
    }),
    work: (given) => desk.fail(given),
  });
}

function progress(desk: Desk): Tool {
  return tool({
    name: "progress",
    description: "Say what you are doing. Long work that says nothing is stopped.",
    meta,
    input: z.object({ message: z.string(), percent: z.number().min(0).max(100).optional() }),
    work: (given) => desk.progress(given),
  });
}

function askHuman(desk: Desk): Tool {
  return tool({
    name: "ask_human",
    description:
      "Ask a person what you cannot find out or decide. It returns at once: end your turn after it, and you are started again with the answer.",
    meta,
    input: z.object({
      question: z.string(),
      options: z.array(z.string()).optional().describe("Answers to choose from, one short line each"),
      context: z.string().optional().describe("What the person must know to answer"),
    }),
    work: (given) => desk.ask(given),
  });
}

function getContext(desk: Desk): Tool {
  return tool({
    name: "get_context",
    description: "Your run, story and step, what you were told, what earlier steps left, and the chain you work in.",
    meta,
    looks: true,
    input: z.object({}),
    work: () => ({ accepted: true, text: JSON.stringify(desk.context(), null, 2) }),
  });
}

function handIn(desk: Desk): Tool {
  return tool({
    name: handInTool,
    description: "What `pawl step complete` and `pawl step fail` call.",
    isHidden: true,
    input: z.object({ outcome: z.enum(["ran", "failed"]), text: z.string() }),
    work: ({ outcome, text }) => desk.handIn(outcome === "ran" ? { outcome, text } : { outcome, text: "", why: text }),
  });
}

function editWorkflow(desk: Desk): Tool {
  const step = z.looseObject({
    type: z.string().describe("The name of a step of the workflow"),
    description: z.string(),
  });
  const operation = z.looseObject({
    operation: z.enum(operationWords),
    reason: z.string(),
    target_step_id: z.string().optional().describe("Such as step-005; for all but reorder"),
    new_steps: z.array(step).optional().describe("For add_after and add_before"),
    replacement_steps: z.array(step).optional().describe("For split: two or more"),
    new_order: z.array(z.string()).optional().describe("For reorder: the ids of all steps that have not started"),
    new_description: z.string().optional().describe("For edit_description and restart"),
  });
  return tool({
    name: "edit_workflow",
    description:
      "Ask for changes to the steps that have not started; get_context lists them. The answer says at once whether they are possible; they are applied when your step is completed. Calls add up, and an empty list withdraws them all.",
    meta,
    input: z.object({ operations: z.array(operation) }),
    work: (given) => desk.edit(given),
  });
}
