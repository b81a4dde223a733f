// Reads `notify` of a configuration file.

import { z } from "zod";
import { messageKinds } from "../../domain/effect.ts";
import { privateHostOf } from "../../notify/address.ts";
import type { TargetConfig } from "../../notify/target.ts";

const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "the name of a variable");

const common = {
  // Part of the key under which its messages wait.
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9_-]{0,39}$/, "a name of small letters, digits, - and _")
    .optional(),
  on: z.array(z.enum(messageKinds)).min(1).optional(),
};

export const targetSchema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("webhook"),
    ...common,
    url: z.string().refine(isWebAddress, "not an address that begins with http:// or https://"),
    secret_env: variable.optional(),
    allow_private: z.boolean().optional(),
  }),
  z.strictObject({
    kind: z.literal("command"),
    ...common,
    command: z.tuple([z.string().min(1)], z.string()),
    env: z.array(variable).optional(),
  }),
  z.strictObject({ kind: z.literal("desktop"), ...common }),
]);

type Written = z.infer<typeof targetSchema>;
type Problem = (problem: string) => Error;

const usually = ["needs_you", "run_failed"] as const;

export function readTargets(written: readonly Written[], invalid: Problem): readonly TargetConfig[] {
  const targets = written.map((one, index) => readTarget(one, index, invalid));
  const names = targets.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw invalid(`notify: two targets have the name "${twice}"`);
  return targets;
}

function readTarget(written: Written, index: number, invalid: Problem): TargetConfig {
  const shared = { name: written.name ?? `${written.kind}-${index + 1}`, on: written.on ?? usually };
  switch (written.kind) {
    case "webhook": {
      const { url, secret_env: secretEnv = null, allow_private: allowPrivate = false } = written;
      const inside = allowPrivate ? null : privateHostOf(new URL(url));
      if (inside === null) return { kind: "webhook", ...shared, url, secretEnv, allowPrivate };
      throw invalid(`notify.${index}.url: ${inside} is not a public address; if it is meant, say allow_private: true`);
    }
    case "command":
      return { kind: "command", ...shared, command: written.command, env: written.env ?? [] };
    case "desktop":
      return { kind: "desktop", ...shared };
  }
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && ["http:", "https:"].includes(new URL(text).protocol);
}
