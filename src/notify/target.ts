// Targets: the interface of a receiver of messages, its configuration, and the document that all receivers get.
// Does not own: when to try again (runtime/effects/deliveries.ts).

import type { MessageKind } from "../domain/effect.ts";

export interface Target {
  /** Unique; messages that wait are kept under it. */
  readonly name: string;
  readonly on: readonly MessageKind[];
  /** A delivery that takes longer has failed. */
  readonly timeoutMs: number;
  /** What this process lacks to deliver anything; null when it can. */
  missing(): { readonly what: string; readonly hint: string } | null;
  /** Never rejects, and ends soon after `signal` aborts. */
  deliver(notice: Notice, call: DeliveryCall): Promise<Delivery>;
  /** Marks a message about a question that is over. Absent: what it was sent stays as it is, and it gets late questions, too. */
  mark?(notice: Notice, over: QuestionOver, call: DeliveryCall): Promise<Delivery>;
  /** Those who get a message now, each by a delivery of its own. Absent: it is one receiver. */
  receivers?(): Promise<readonly string[]>;
}

export interface DeliveryCall {
  readonly at: number;
  readonly signal: AbortSignal;
  /** One of `receivers`. */
  readonly receiver?: string;
}

export interface QuestionOver {
  /** What `deliver` returned. */
  readonly receipt: string;
  /** How the question ended, as a sentence. */
  readonly how: string;
}

export type Delivery =
  /** `receipt`: what the message can be marked by; absent: it cannot. */
  | { readonly outcome: "delivered"; readonly receipt?: string }
  /** Tried again later, not before the receiver wants it. */
  | { readonly outcome: "failed"; readonly why: string; readonly retryAfterMs?: number }
  /** Never retried: the receiver is gone. */
  | { readonly outcome: "dropped"; readonly why: string };

/** A message as its receiver reads it; a contract, see docs/spec/notify.md. */
export interface Notice {
  /** The same whenever and to whomever it is sent: by it a receiver knows what it has already got. */
  readonly id: string;
  readonly event: MessageKind;
  readonly run: {
    readonly id: string;
    readonly number: number;
    readonly workflow: string;
    readonly task: string;
    /** When it is sent, not when it happened. */
    readonly status: string;
  };
  readonly story: string | null;
  readonly step: string | null;
  readonly text: string;
  /** The question of `needs_you`; null: nothing is asked. */
  readonly gate: NoticeGate | null;
  readonly at: string;
}

export interface NoticeGate {
  readonly id: string;
  readonly options: readonly string[];
  readonly cause: string;
  /** What the step before it said, or why it was sent there. */
  readonly feedback: string;
  readonly tree: string | null;
  readonly deadline: { readonly at: string; readonly option: string } | null;
  /** Opens a page that asks the question; absent: no address is configured under which people reach the service. */
  readonly link?: string;
}

export type TargetConfig =
  | WebhookConfig
  | CommandConfig
  | DesktopConfig
  | NtfyConfig
  | SlackConfig
  | DiscordConfig
  | TelegramConfig;

interface Common {
  readonly name: string;
  readonly on: readonly MessageKind[];
}

export interface WebhookConfig extends Common {
  readonly kind: "webhook";
  readonly url: string;
  /** The variable that holds the secret; null: messages are not signed. */
  readonly secretEnv: string | null;
  readonly allowPrivate: boolean;
}

export interface CommandConfig extends Common {
  readonly kind: "command";
  readonly command: readonly [string, ...string[]];
  /** Names of variables that it may see beside the usual ones. */
  readonly env: readonly string[];
}

interface DesktopConfig extends Common {
  readonly kind: "desktop";
}

export interface NtfyConfig extends Common {
  readonly kind: "ntfy";
  /** The server, without the topic. */
  readonly url: string;
  readonly topic: string;
  /** The variable that holds the access token; null: none is needed. */
  readonly tokenEnv: string | null;
  readonly allowPrivate: boolean;
}

/** An address that is a secret itself: given, or the variable that holds it. */
type SecretAddress = { readonly url: string } | { readonly urlEnv: string };

export interface SlackConfig extends Common {
  readonly kind: "slack";
  /** An incoming webhook, or a bot in a channel, whose messages can be edited. */
  readonly by: SecretAddress | { readonly tokenEnv: string; readonly channel: string; readonly apiUrl: string };
  readonly allowPrivate: boolean;
}

export interface DiscordConfig extends Common {
  readonly kind: "discord";
  readonly by: SecretAddress;
  readonly allowPrivate: boolean;
}

export interface TelegramConfig extends Common {
  readonly kind: "telegram";
  readonly tokenEnv: string;
  readonly chat: string;
  readonly apiUrl: string;
  readonly allowPrivate: boolean;
}

/** The variables whose values must not appear anywhere. */
export function secretVariables(target: TargetConfig): readonly string[] {
  switch (target.kind) {
    case "webhook":
      return [target.secretEnv ?? []].flat();
    case "ntfy":
      return [target.tokenEnv ?? []].flat();
    case "telegram":
      return [target.tokenEnv];
    case "slack":
    case "discord":
      return "urlEnv" in target.by ? [target.by.urlEnv] : "tokenEnv" in target.by ? [target.by.tokenEnv] : [];
    case "command":
    case "desktop":
      return [];
  }
}

/** Why a delivery was aborted. */
export function reasonOf(signal: AbortSignal): string {
  const reason: unknown = signal.reason;
  return reason instanceof Error ? reason.message : "it was stopped";
}
