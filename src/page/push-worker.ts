// The service worker of the page: shows what is pushed, and opens what it is about. It runs apart from the page, also when no tab is
// open, and does nothing else: it answers no request of the page.

import type { PushedMessage } from "../domain/push-subscription.ts";

interface WorkerEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}

interface PushEvent extends WorkerEvent {
  readonly data: { json(): unknown } | null;
}

interface ClickEvent extends WorkerEvent {
  readonly notification: { readonly data: unknown; close(): void };
}

interface Tab {
  readonly url: string;
  focus(): Promise<Tab>;
  navigate(url: string): Promise<Tab | null>;
}

/** What of its global scope is used; the types of the page know only windows. */
interface WorkerScope extends EventTarget {
  readonly location: { readonly origin: string };
  readonly registration: { showNotification(title: string, options: object): Promise<void> };
  readonly clients: {
    matchAll(options: { readonly type: "window"; readonly includeUncontrolled: boolean }): Promise<readonly Tab[]>;
    openWindow(url: string): Promise<Tab | null>;
  };
}

const worker = self as unknown as WorkerScope;

worker.addEventListener("push", (event) => {
  const pushed = event as PushEvent;
  pushed.waitUntil(show(readPushed(pushed.data)));
});

worker.addEventListener("notificationclick", (event) => {
  const clicked = event as ClickEvent;
  clicked.notification.close();
  clicked.waitUntil(open(pathOf(clicked.notification.data)));
});

/** A browser wants every push shown: one that cannot be read is shown as such. */
function readPushed(data: PushEvent["data"]): PushedMessage {
  const unknown = { title: "Pawl has a message", body: "", tag: "pawl", path: "/", silent: false };
  try {
    const given = data?.json() as Partial<Record<keyof PushedMessage, unknown>> | null;
    if (typeof given?.title !== "string" || typeof given.body !== "string") return unknown;
    return {
      title: given.title,
      body: given.body,
      tag: typeof given.tag === "string" ? given.tag : unknown.tag,
      path: pathOf(given.path),
      silent: given.silent === true,
    };
  } catch {
    return unknown;
  }
}

async function show({ title, body, tag, path, silent }: PushedMessage): Promise<void> {
  await worker.registration.showNotification(title, { body, tag, data: path, silent, icon: "/icon.svg" });
}

/** A tab that is there shows it; otherwise a new one. */
async function open(path: string): Promise<void> {
  const url = `${worker.location.origin}${path}`;
  const tabs = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
  const there = tabs.find((tab) => tab.url === url);
  const [any] = tabs;
  if (there) await there.focus();
  else if (any) await (await any.focus()).navigate(url);
  else await worker.clients.openWindow(url);
}

/** Only pages of runs and gates are opened. */
function pathOf(value: unknown): string {
  return typeof value === "string" && /^\/(?:gates|runs)\/[\w.%-]{1,300}$/.test(value) ? value : "/";
}
