// Reads `notify` of a configuration file.

import { z } from "zod";
import { messageKinds } from "../../domain/effect.ts";
import { privateHostOf } from "../../notify/address.ts";
import type { TargetConfig } from "../../notify/target.ts";

const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "the name of a variable");

const webAddress = z.string().refine(isWebAddress, "not an address that begins with http:// or https://");

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
    url: webAddress,
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
  z.strictObject({
    kind: z.literal("ntfy"),
    ...common,
    url: webAddress.default("https://ntfy.sh"),
    topic: z.string().regex(/^[-_A-Za-z0-9]{1,64}$/, "a topic of letters, digits, - and _, at most 64 of them"),
    token_env: variable.optional(),
    allow_private: z.boolean().optional(),
  }),
  z.strictObject({
    kind: z.literal("slack"),
    ...common,
    url: webAddress.optional(),
    url_env: variable.optional(),
    token_env: variable.optional(),
    channel: z
      .string()
      .regex(/^[CDG][A-Z0-9]{5,20}$/, "the id of a channel, such as C0123456789")
      .optional(),
    api_url: webAddress.default("https://slack.com/api"),
    allow_private: z.boolean().optional(),
  }),
  z.strictObject({
    kind: z.literal("discord"),
    ...common,
    url: webAddress.optional(),
    url_env: variable.optional(),
    allow_private: z.boolean().optional(),
  }),
  z.strictObject({
    kind: z.literal("telegram"),
    ...common,
    token_env: variable,
    chat: z
      .union([z.string(), z.int().transform(String)])
      .refine((chat) => /^(-?\d{1,20}|@\w{3,60})$/.test(chat), "the number of a chat, or the @name of a channel"),
    api_url: webAddress.default("https://api.telegram.org"),
    allow_private: z.boolean().optional(),
  }),
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
  const at: ProblemAt = (key, problem) => invalid(`notify.${index}${key === "" ? "" : `.${key}`}: ${problem}`);
  switch (written.kind) {
    case "webhook": {
      const { url, secret_env: secretEnv = null, allow_private: allowPrivate = false } = written;
      assertPublic("url", url, allowPrivate, at);
      return { kind: "webhook", ...shared, url, secretEnv, allowPrivate };
    }
    case "ntfy": {
      const { url, topic, token_env: tokenEnv = null, allow_private: allowPrivate = false } = written;
      assertPublic("url", url, allowPrivate, at);
      return { kind: "ntfy", ...shared, url, topic, tokenEnv, allowPrivate };
    }
    case "slack": {
      const { token_env: tokenEnv, channel, api_url: apiUrl, allow_private: allowPrivate = false } = written;
      assertPublic("api_url", apiUrl, allowPrivate, at);
      if (tokenEnv === undefined && channel === undefined)
        return { kind: "slack", ...shared, by: secretAddress(written, allowPrivate, at), allowPrivate };
      if (tokenEnv === undefined || channel === undefined || written.url !== undefined || written.url_env !== undefined)
        throw at("", "a bot has token_env and channel; an incoming webhook has url or url_env alone");
      return { kind: "slack", ...shared, by: { tokenEnv, channel, apiUrl: withoutSlash(apiUrl) }, allowPrivate };
    }
    case "discord": {
      const { allow_private: allowPrivate = false } = written;
      return { kind: "discord", ...shared, by: secretAddress(written, allowPrivate, at), allowPrivate };
    }
    case "telegram": {
      const { token_env: tokenEnv, chat, api_url: apiUrl, allow_private: allowPrivate = false } = written;
      assertPublic("api_url", apiUrl, allowPrivate, at);
      return { kind: "telegram", ...shared, tokenEnv, chat, apiUrl: withoutSlash(apiUrl), allowPrivate };
    }
    case "command":
      return { kind: "command", ...shared, command: written.command, env: written.env ?? [] };
    case "desktop":
      return { kind: "desktop", ...shared };
  }
}

type ProblemAt = (key: string, problem: string) => Error;

function assertPublic(key: string, url: string, allowPrivate: boolean, at: ProblemAt): void {
  const inside = allowPrivate ? null : privateHostOf(new URL(url));
  if (inside !== null) throw at(key, `${inside} is not a public address; if it is meant, say allow_private: true`);
}

/** Whoever knows the address of such a webhook can write to its channel: it may be kept in a variable. */
function secretAddress(
  { url, url_env: urlEnv }: { readonly url?: string | undefined; readonly url_env?: string | undefined },
  allowPrivate: boolean,
  at: ProblemAt,
): { readonly url: string } | { readonly urlEnv: string } {
  if (url !== undefined && urlEnv === undefined) {
    assertPublic("url", url, allowPrivate, at);
    return { url };
  }
  if (urlEnv !== undefined && url === undefined) return { urlEnv };
  throw at("", "it needs either url or url_env, the variable that holds the address of the webhook");
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, "");
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && ["http:", "https:"].includes(new URL(text).protocol);
}
