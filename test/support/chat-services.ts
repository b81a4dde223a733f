// A question, the targets of every chat and push service, and servers that play them.

import type { DeliveryCall, Notice, Target, TargetConfig } from "../../src/notify/target.ts";
import { openTargets } from "../../src/notify/targets.ts";
import { type PlayedAnswer, type PlayedService, playService } from "./played-service.ts";

export const link = "https://pawl.example.com/g/LINK";
export const notice: Notice = {
  id: "k3x.41",
  event: "needs_you",
  run: { id: "k3x", number: 3, workflow: "feature-dev", task: "Add a dark mode\nwith tests", status: "held" },
  story: "US-001",
  step: "review",
  text: "Is it good?",
  gate: {
    id: "k3x.US-001.1",
    options: ["approve", "send back"],
    cause: "exhausted",
    feedback: "Two tests fail.",
    tree: null,
    deadline: { at: "2026-01-31T18:00:00.000Z", option: "approve" },
    link,
  },
  at: "2026-01-31T12:00:00.000Z",
};
export const failed: Notice = {
  ...notice,
  event: "run_failed",
  story: null,
  step: null,
  text: "The run failed: no",
  gate: null,
};
export const how = "It was answered with “approve” by user:ada.";
export const answers = { approve: `${link}?answer=approve`, "send back": `${link}?answer=send%20back` };
export const title = "Run #3 (feature-dev) needs you";
export const about = "Add a dark mode · US-001 · review";
export const why = "A limit is exhausted.\nTwo tests fail.";
export const foot = "Without an answer by Sat, 31 Jan 2026 18:00:00 GMT: approve.";
export const secret = "123:s3cret-token";

export const call = (more: Partial<DeliveryCall> = {}): DeliveryCall => ({
  at: 1_769_860_800_000,
  signal: new AbortController().signal,
  ...more,
});

export type Kind = "ntfy" | "slack hook" | "slack bot" | "discord" | "telegram";
export const kinds: readonly Kind[] = ["ntfy", "slack hook", "slack bot", "discord", "telegram"];

export function configOf(kind: Kind, url: string, allowPrivate: boolean): TargetConfig {
  const common = { name: "chat", on: ["needs_you"], allowPrivate } as const;
  switch (kind) {
    case "ntfy":
      return { kind: "ntfy", ...common, url, topic: "my-topic", tokenEnv: "TOKEN" };
    case "slack hook":
      return { kind: "slack", ...common, by: { url: `${url}/services/T/B/X` } };
    case "slack bot":
      return { kind: "slack", ...common, by: { tokenEnv: "TOKEN", channel: "C0123456789", apiUrl: `${url}/api` } };
    case "discord":
      return { kind: "discord", ...common, by: { urlEnv: "HOOK" } };
    case "telegram":
      return { kind: "telegram", ...common, tokenEnv: "TOKEN", chat: "-100123", apiUrl: url };
  }
}

export function targetAt(
  kind: Kind,
  url: string,
  allowPrivate = true,
): Required<Pick<Target, "deliver" | "mark">> & Target {
  const env = { TOKEN: secret, HOOK: `${url}/api/webhooks/1/abc?thread_id=9` };
  const [target] = openTargets([configOf(kind, url, allowPrivate)], env, ".");
  if (!target?.mark) throw new Error(`${kind} cannot mark`);
  return { ...target, mark: target.mark };
}

/** What each service says when it has taken a message. */
export const taken: Record<Kind, PlayedAnswer> = {
  ntfy: { status: 200, json: { id: "xyz", event: "message" } },
  "slack hook": { status: 200 },
  "slack bot": { status: 200, json: { ok: true, channel: "C0123456789", ts: "1503435956.000247" } },
  discord: { status: 200, json: { id: "1234567890" } },
  telegram: { status: 200, json: { ok: true, result: { message_id: 77 } } },
};

export async function played(kind: Kind): Promise<{ service: PlayedService; target: ReturnType<typeof targetAt> }> {
  const service = await playService();
  service.answer = () => taken[kind];
  return { service, target: targetAt(kind, service.url) };
}
