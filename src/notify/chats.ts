// Opens targets that are chat and push services. The code of each is loaded with its first message.

import { privateHostOf } from "./address.ts";
import {
  type DiscordConfig,
  type NtfyConfig,
  type SlackConfig,
  secretVariables,
  type Target,
  type TargetConfig,
  type TelegramConfig,
} from "./target.ts";

type Environment = Readonly<Record<string, string | undefined>>;
type ChatConfig = Extract<TargetConfig, NtfyConfig | SlackConfig | DiscordConfig | TelegramConfig>;

const timeoutMs = 10_000;

export function openChat(config: ChatConfig, env: Environment): Target {
  const { name, on } = config;
  return { name, on, timeoutMs, missing: () => missingIn(config, env), ...callsOf(config, env) };
}

function callsOf(config: ChatConfig, env: Environment): Required<Pick<Target, "deliver" | "mark">> {
  switch (config.kind) {
    case "ntfy": {
      const server = { ...config, token: config.tokenEnv === null ? null : valueOf(config.tokenEnv, env) };
      const load = async () => await import("./ntfy.ts");
      return {
        deliver: async (notice, call) => await (await load()).publishToNtfy(server, notice, call),
        mark: async (notice, over, call) => await (await load()).replaceAtNtfy(server, notice, over, call),
      };
    }
    case "slack": {
      const { by, allowPrivate } = config;
      const place =
        "channel" in by
          ? { api: by.apiUrl, token: valueOf(by.tokenEnv, env), channel: by.channel, allowPrivate }
          : { hook: addressOf(by, env), allowPrivate };
      const load = async () => await import("./slack.ts");
      return {
        deliver: async (notice, call) => await (await load()).postToSlack(place, notice, call),
        mark: async (notice, over, call) => await (await load()).markInSlack(place, notice, over, call),
      };
    }
    case "discord": {
      const place = { hook: addressOf(config.by, env), allowPrivate: config.allowPrivate };
      const load = async () => await import("./discord.ts");
      return {
        deliver: async (notice, call) => await (await load()).postToDiscord(place, notice, call),
        mark: async (notice, over, call) => await (await load()).editInDiscord(place, notice, over, call),
      };
    }
    case "telegram": {
      const { chat, apiUrl: api, allowPrivate } = config;
      const place = { api, token: valueOf(config.tokenEnv, env), chat, allowPrivate };
      const load = async () => await import("./telegram.ts");
      return {
        deliver: async (notice, call) => await (await load()).sendToTelegram(place, notice, call),
        mark: async (notice, over, call) => await (await load()).editInTelegram(place, notice, over, call),
      };
    }
  }
}

/** A process without it sends nothing: the messages wait for one that has it. */
function missingIn(config: ChatConfig, env: Environment): ReturnType<Target["missing"]> {
  const { name } = config;
  for (const variable of secretVariables(config)) {
    const value = valueOf(variable, env);
    const isAddress = "by" in config && "urlEnv" in config.by;
    if (value === "")
      return {
        what: `${isAddress ? "the address" : "the token"} of ${name} is not there: ${variable} is not set`,
        hint: `set ${variable} in the environment, or remove ${name} from notify`,
      };
    if (isAddress && !isSafeAddress(value, config.allowPrivate))
      return {
        what: `${variable} of ${name} is not a public address that begins with https:// or http://`,
        hint: `correct ${variable} in the environment; allow_private: true allows an address of your own network`,
      };
    if (!isAddress && !/^[\x21-\x7e]+$/.test(value))
      return {
        what: `the token of ${name} in ${variable} has characters that no token has`,
        hint: `correct ${variable} in the environment: it must be one word`,
      };
  }
  return null;
}

function isSafeAddress(text: string, allowPrivate: boolean): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return ["http:", "https:"].includes(url.protocol) && (allowPrivate || privateHostOf(url) === null);
}

function addressOf(by: { readonly url: string } | { readonly urlEnv: string }, env: Environment): string {
  return "url" in by ? by.url : valueOf(by.urlEnv, env);
}

function valueOf(variable: string, env: Environment): string {
  return (env[variable] ?? "").trim();
}
