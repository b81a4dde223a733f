// Makes targets from the configuration. The code of each kind is loaded with its first message, so that commands that only
// look at runs start fast.

import { openChat } from "./chats.ts";
import type { Notice, NoticeGate, Target, TargetConfig, WebhookConfig } from "./target.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const webhookTimeoutMs = 10_000;
const programTimeoutMs = 30_000;

/** Where a person answers a gate; null: nowhere but on this machine. */
export type LinkOf = (gate: NoticeGate, asked: string) => string | null;

/** `dir` is where commands run. */
export function openTargets(
  configs: readonly TargetConfig[],
  env: Environment,
  dir: string,
  linkOf: LinkOf = () => null,
): readonly Target[] {
  return configs.map((config) => {
    const target = openTarget(config, env, dir);
    return { ...target, deliver: async (notice, call) => await target.deliver(withLink(notice, linkOf), call) };
  });
}

function withLink(notice: Notice, linkOf: LinkOf): Notice {
  const link = notice.gate === null ? null : linkOf(notice.gate, notice.at);
  return notice.gate === null || link === null ? notice : { ...notice, gate: { ...notice.gate, link } };
}

function openTarget(config: TargetConfig, env: Environment, dir: string): Target {
  const { name, on } = config;
  switch (config.kind) {
    case "webhook":
      return webhook(config, env);
    case "ntfy":
    case "slack":
    case "discord":
    case "telegram":
      return openChat(config, env);
    case "command":
      return {
        name,
        on,
        timeoutMs: programTimeoutMs,
        missing: () => null,
        deliver: async (notice, call) => (await import("./command.ts")).tellCommand(config, { dir, env }, notice, call),
      };
    case "desktop":
      return {
        name,
        on,
        timeoutMs: programTimeoutMs,
        missing: () => null,
        deliver: async (notice, call) => (await import("./desktop.ts")).tellDesktop({ dir, env }, notice, call),
      };
  }
}

function webhook(config: WebhookConfig, env: Environment): Target {
  const { name, on, url, secretEnv, allowPrivate } = config;
  const secret = secretEnv === null ? null : (env[secretEnv] ?? "");
  return {
    name,
    on,
    timeoutMs: webhookTimeoutMs,
    // An empty secret signs nothing: anyone could forge that signature.
    missing: () =>
      secret === ""
        ? {
            what: `the secret of ${name} is not there: ${secretEnv} is not set`,
            hint: `set ${secretEnv} in the environment, or remove secret_env from ${name} to send messages without a signature`,
          }
        : null,
    deliver: async (notice, call) => (await import("./webhook.ts")).post({ url, secret, allowPrivate }, notice, call),
  };
}
