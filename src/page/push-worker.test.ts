// The service worker, with a scope that records what it is asked for.

import { beforeEach, expect, test, vi } from "vitest";

interface Shown {
  readonly title: string;
  readonly options: Readonly<Record<string, unknown>>;
}

const shown: Shown[] = [];
const opened: string[] = [];
let tabs: { url: string; focus(): Promise<unknown>; navigate(url: string): Promise<unknown> }[] = [];

const scope = Object.assign(new EventTarget(), {
  location: { origin: "https://pawl.example.com" },
  registration: {
    showNotification: async (title: string, options: Record<string, unknown>) => void shown.push({ title, options }),
  },
  clients: { matchAll: async () => tabs, openWindow: async (url: string) => void opened.push(url) },
});
vi.stubGlobal("self", scope);
await import("./push-worker.ts");

beforeEach(() => {
  shown.length = 0;
  opened.length = 0;
  tabs = [];
});

async function happens(type: string, more: object): Promise<void> {
  let work: Promise<unknown> = Promise.resolve();
  scope.dispatchEvent(Object.assign(new Event(type), more, { waitUntil: (given: Promise<unknown>) => (work = given) }));
  await work;
}

const push = async (json: unknown) => await happens("push", { data: { json: () => json } });
const click = async (data: unknown) =>
  await happens("notificationclick", { notification: { data, close: () => undefined } });

test("[PU27] a message is shown under its tag, and one that is over without a sound", async () => {
  await push({ title: "Run #3 needs you", body: "<b>Good?</b>", tag: "t", path: "/gates/k3x.1", silent: false });
  await push({ title: "Run #3 asked", body: "answered", tag: "t", path: "/gates/k3x.1", silent: true });
  const icon = "/icon.svg";
  expect(shown).toEqual([
    {
      title: "Run #3 needs you",
      options: { body: "<b>Good?</b>", tag: "t", data: "/gates/k3x.1", silent: false, icon },
    },
    { title: "Run #3 asked", options: { body: "answered", tag: "t", data: "/gates/k3x.1", silent: true, icon } },
  ]);
});

test("[PU27] one that cannot be read is shown as such", async () => {
  for (const data of [
    null,
    { json: () => null },
    { json: () => ({ title: 1 }) },
    {
      json: () => {
        throw new SyntaxError("no JSON");
      },
    },
  ])
    await happens("push", { data });
  expect(shown.map(({ title }) => title)).toEqual(Array.from({ length: 4 }, () => "Pawl has a message"));
});

test("[PU27] a click opens the page in a tab that is there, or a new one; no other site", async () => {
  await click("/runs/3");
  for (const wrong of ["https://evil.example/", "//evil.example", "/gates/../api", "javascript:alert(1)", null])
    await click(wrong);
  const home = "https://pawl.example.com/";
  expect(opened).toEqual([`${home}runs/3`, home, home, home, home, home]);
  const went: string[] = [];
  const tab = (url: string) => {
    const one = { url, focus: async () => one, navigate: async (to: string) => void went.push(`${url} ${to}`) };
    return one;
  };
  tabs = [tab(home), tab(`${home}gates/a`)];
  await click("/gates/a");
  await click("/gates/b");
  expect(went).toEqual([`${home} ${home}gates/b`]);
  expect(opened).toHaveLength(6);
});
