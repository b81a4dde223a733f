// The schema of routes, with a description of each word, and the words that all schemas share.

import * as z from "zod";
import { durationPattern } from "../document/duration.ts";

/** A route as it is written; `null` where the key alone says it, as in `{ again, at_most: 2 }`. */
export type RouteInput = RouteWord | RouteMap;
type RouteWord = "next" | "again" | "end" | "fail" | "gate";
export interface RouteMap {
  next?: true | null | undefined;
  again?: true | null | undefined;
  back_to?: string | undefined;
  go_to?: string | undefined;
  insert?: string[] | undefined;
  before?: string | undefined;
  end?: true | null | undefined;
  gate?: string | true | null | undefined;
  options?: Record<string, OptionInput> | undefined;
  deadline?: DeadlineInput | undefined;
  fail?: string | true | null | undefined;
  at_most?: number | undefined;
  then?: RouteInput | undefined;
}
/** One route, or routes by reason with a `default`. */
export type OptionInput = RouteInput | Record<string, RouteInput>;

export const id = z.string().min(1);
export const alone = z.union([z.literal(true), z.null()]);
export const wholeNumber = z.int().min(0);

export const duration = z
  .union([z.number().positive(), z.string().regex(durationPattern)])
  .describe('A time: "90s", "45m", "1h30m", or a number of seconds.');

const routeWord = z.enum(["next", "again", "end", "fail", "gate"]);

export const route: z.ZodType<RouteInput> = z
  .lazy(() => z.union([routeWord, routeMap]))
  .meta({
    id: "Route",
    description: "Where it leads: next, again, end, fail, gate, or a map with back_to, go_to, insert, gate or fail.",
  });

/** An object with both kinds of keys, so that a typo is reported at its place. */
export const option: z.ZodType<OptionInput> = z
  .lazy(() => z.union([routeWord, z.object(routeFields).catchall(route)]))
  .meta({ id: "Option", description: "Where it leads: one route, or routes by reason with a `default`." });

export const options = z.record(z.string(), option).meta({
  id: "Options",
  description: "What a person may answer, and where each leads. The first means yes, the last no.",
});

export const deadline = z
  .strictObject({
    after: duration.describe('How long the question waits for an answer: "2d", "8h".'),
    then: id.describe("The option that is taken when no answer has come by then."),
  })
  .meta({ id: "Deadline", description: "What happens when no answer comes in time. Default: the question waits." });

const routeFields = {
  next: alone.optional().describe("Continue with the next step."),
  again: alone.optional().describe("Run this step again."),
  back_to: id.optional().describe("Go back to an earlier step of the same chain; everything from there on runs again."),
  go_to: id.optional().describe("Jump forward to a later step of the same chain; the steps between are skipped."),
  insert: z.array(id).min(1).optional().describe("Run these steps first, then this one again."),
  before: id
    .optional()
    .describe("With `insert`: put them before that earlier step, and continue from there. Default: before this one."),
  end: alone
    .optional()
    .describe(
      "Finish early: the run is done, or in a body the story, once it is integrated. The steps behind are skipped.",
    ),
  gate: z
    .union([z.string().min(1), alone])
    .optional()
    .describe("Ask a person this question."),
  options: options.optional(),
  deadline: deadline.optional(),
  fail: z
    .union([z.string().min(1), alone])
    .optional()
    .describe("Fail, with this reason."),
  at_most: wholeNumber.optional().describe("How often this route may be taken before `then`."),
  then: route.optional().meta({ id: "Then", description: "Where it leads once the limit is reached. Default: fail." }),
};

const routeMap = z.strictObject(routeFields);

export type DeadlineInput = z.infer<typeof deadline>;
