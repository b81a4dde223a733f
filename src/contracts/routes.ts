// Contracts of routes, limits and verdicts: parts of events and of definitions.

import { z } from "zod";
import { count, list, object, text, texts } from "./shape.ts";

/** Written out, because it contains itself: an option of a gate is a route. */
type RouteDocument =
  | { readonly to: "next" }
  | { readonly to: "again" }
  | { readonly to: "back_to"; readonly step: string }
  | { readonly to: "go_to"; readonly step: string }
  | { readonly to: "insert"; readonly steps: readonly string[]; readonly before?: string }
  | { readonly to: "end"; readonly of?: string }
  | {
      readonly to: "gate";
      readonly question: string;
      readonly options: Readonly<Record<string, RouteDocument>>;
      readonly deadline?: { readonly afterMs: number; readonly option: string };
    }
  | { readonly to: "fail"; readonly reason: string };

export const routeTarget = z.enum(["next", "again", "back_to", "go_to", "insert", "end", "gate", "fail"]);

export const waitsLevel = z.enum(["all", "marked", "none"]);

export const gateDeadline = object({ afterMs: z.number(), option: text });

const anyRoute: z.ZodType<RouteDocument> = z.lazy(() =>
  z.discriminatedUnion("to", [
    object({ to: z.literal("next") }),
    object({ to: z.literal("again") }),
    object({ to: z.literal("back_to"), step: text }),
    object({ to: z.literal("go_to"), step: text }),
    object({ to: z.literal("insert"), steps: texts, before: text.exactOptional() }),
    object({ to: z.literal("end"), of: text.exactOptional() }),
    object({
      to: z.literal("gate"),
      question: text,
      options: gateOptions,
      deadline: gateDeadline.exactOptional(),
    }),
    object({ to: z.literal("fail"), reason: text }),
  ]),
);
export const anyRouteDocument = anyRoute.meta({ id: "RouteDocument" });

export const gateOptions = z.record(z.string(), anyRouteDocument).readonly();

export const spend = object({
  costUsd: z.number().nullable(),
  tokens: z.number().nullable(),
  wallMs: z.number().nullable(),
  hard: z.boolean(),
});

export const limit = object({
  atMost: count,
  then: anyRouteDocument,
  errors: z.boolean().exactOptional(),
  spend: spend.exactOptional(),
}).meta({ id: "LimitDocument" });

export const routeRule = object({ route: anyRouteDocument, limit: limit.nullable() }).meta({ id: "RouteRuleDocument" });

export const verdict = z.discriminatedUnion("kind", [
  object({ kind: z.literal("passed") }),
  object({ kind: z.literal("rejected"), reason: text.nullable() }),
  object({ kind: z.literal("value"), value: text }),
]);

export const caps = object({
  attempts: z.number(),
  steps: z.number(),
  wallMs: z.number(),
  costUsd: z.number(),
  tokens: z.number(),
  then: z.enum(["fail", "gate"]),
  hard: z.boolean(),
  lostPerStep: z.number(),
  unknown: z.literal("stop").exactOptional(),
  given: list(z.enum(["attempts", "steps", "wallMs", "costUsd", "tokens"])).exactOptional(),
}).meta({ id: "CapsDocument" });

export const placedSteps = list(object({ id: text, name: text, description: text.exactOptional() }));
