// Pages of other sites in the user's browser, which try to reach the service. Each attack is made twice: with everything in place it gets
// nowhere, and without the guard against it, it arrives. `src/http/attacks.test.ts` makes the same attacks by raw sockets.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";
import { fullProtection, type Protection } from "../../src/http/protection.ts";
import { type Service, serve } from "../support/http-service.ts";
import { browserWith, contextOf } from "./browser.ts";
import { documentOf, icon, stubPage } from "./stub-page.ts";
import { visit } from "./visit.ts";

const page = () =>
  stubPage({
    "index.html": documentOf("<main><h1>Pawl</h1><p>of the page</p></main>"),
    "main.js": "",
    "icon.svg": icon,
  });

/** Everybody has a token here, so that nothing but the guards is between an attack and the API. */
interface Target extends Service {
  /** Requests that came through to the API since it was asked last. */
  arrived(): number;
}

async function target(without: Partial<Protection> = {}): Promise<Target> {
  let count = 0;
  const bearer: Protection["bearer"] = async () => {
    count += 1;
    return { name: "anyone", role: "operate", createdAt: 0, expiresAt: null, usedAt: null };
  };
  const service = await serve({ page: page() }, { bearer, ...without });
  return {
    ...service,
    arrived() {
      const since = count;
      count = 0;
      return since;
    },
  };
}

/** A page of another origin: another port of this machine, under whatever name. */
async function otherSite(): Promise<number> {
  const server = createServer((_, answer) =>
    answer.writeHead(200, { "content-type": "text/html" }).end("<h1>evil</h1>"),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

type Attack = (page: Page, api: string) => Promise<string>;

/** Each returns what its page has learned. */
const attacks: Readonly<Record<string, Attack>> = {
  fetch: (evil, api) => evil.evaluate((url) => fetch(url).then((answer) => answer.text(), String), `${api}/runs`),
  "fetch with credentials": (evil, api) =>
    evil.evaluate(
      (url) => fetch(url, { credentials: "include" }).then((answer) => answer.text(), String),
      `${api}/runs`,
    ),
  "fetch without CORS": (evil, api) =>
    evil.evaluate((url) => fetch(url, { mode: "no-cors" }).then((answer) => answer.text(), String), `${api}/runs`),
  "POST of text without CORS": (evil, api) =>
    evil.evaluate(
      (url) =>
        fetch(url, { method: "POST", mode: "no-cors", body: '{"note":"x"}' }).then((answer) => answer.text(), String),
      `${api}/runs/1/note`,
    ),
  "POST of JSON": (evil, api) =>
    evil.evaluate(
      (url) =>
        fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: '{"note":"x"}' }).then(
          (answer) => answer.text(),
          String,
        ),
      `${api}/runs/1/note`,
    ),
  EventSource: (evil, api) =>
    evil.evaluate(
      (url) =>
        new Promise<string>((resolve) => {
          const source = new EventSource(url);
          source.addEventListener("message", (message) => resolve(String(message.data)));
          source.addEventListener("open", () => resolve("open"));
          source.addEventListener("error", () => {
            source.close();
            resolve("error");
          });
        }),
      `${api}/events`,
    ),
  "script tag": (evil, api) =>
    evil.evaluate(
      (url) =>
        new Promise<string>((resolve) => {
          const script = document.createElement("script");
          script.addEventListener("load", () => resolve("loaded"));
          script.addEventListener("error", () => resolve("error"));
          script.src = url;
          document.head.append(script);
        }),
      `${api}/runs`,
    ),
  "form of text": async (evil, api) => {
    const answered = evil.waitForURL((shown) => shown.href.startsWith(api));
    await evil.evaluate((url) => {
      const form = document.createElement("form");
      Object.assign(form, { method: "POST", enctype: "text/plain", action: url });
      const field = document.createElement("input");
      Object.assign(field, { name: '{"note":"', value: '"}' });
      form.append(field);
      document.body.append(form);
      form.submit();
    }, `${api}/runs/1/note`);
    await answered;
    return "";
  },
};

async function attack(browserPage: Page, from: string, service: Target) {
  const found: Record<string, { readonly arrived: boolean; readonly learned: boolean }> = {};
  for (const [name, make] of Object.entries(attacks)) {
    await browserPage.goto(from);
    const learned = await make(browserPage, `${service.url}/api/v1`);
    found[name] = { arrived: service.arrived() > 0, learned: /runs|open|loaded/.test(learned) };
  }
  return found;
}

const each = <T>(value: T) => Object.fromEntries(Object.keys(attacks).map((name) => [name, value]));

test("[HT6 HT7] a page of another origin neither reads nor changes anything, whatever it tries", async () => {
  const service = await target();
  const port = await otherSite();
  const browser = await browserWith("--host-resolver-rules=MAP evil.example 127.0.0.1");
  const context = await contextOf(browser);
  const evil = await context.newPage();
  // Another port is the same site, and sends its cookies along; another name is another site.
  for (const name of ["127.0.0.1", "localhost", "evil.example"]) {
    const found = await attack(evil, `http://${name}:${port}/`, service);
    expect({ name, found }).toEqual({ name, found: each({ arrived: false, learned: false }) });
  }
  expect(await context.cookies()).toEqual([]);
});

test("[HT6 HT7] without the guards, each of these requests arrives", async () => {
  const unguarded = await target({ guards: ["host", "spelling"], headers: {} });
  const context = await contextOf(await browserWith());
  const evil = await context.newPage();
  const found = await attack(evil, `http://127.0.0.1:${await otherSite()}/`, unguarded);
  // What an answer says, the browser keeps from pages of other origins. The requests were made all the same.
  expect(found).toEqual(each({ arrived: true, learned: false }));
});

test("[HT5] a name that was bound to this machine gets 421, and without the guard the page", async () => {
  const rebound = async (service: Service) => {
    const browser = await browserWith("--host-resolver-rules=MAP rebind.example 127.0.0.1");
    const evil = await (await contextOf(browser)).newPage();
    const answer = await evil.goto(`http://rebind.example:${service.port}/`);
    // For the browser this page and the service are one origin now: only the service can tell.
    const api = await evil.evaluate(() => fetch("/api/v1/runs").then((said) => said.status));
    return [answer?.status(), api];
  };
  expect(await rebound(await target())).toEqual([421, 421]);
  const guards = fullProtection.guards.filter((name) => name !== "host");
  expect(await rebound(await target({ guards }))).toEqual([200, 200]);
});

test("[HT9] no other page frames this one, and without the guards and headers it does", async () => {
  const framed = async (service: Service) => {
    const evil = await (await contextOf(await browserWith())).newPage();
    await evil.goto(`http://127.0.0.1:${await otherSite()}/`);
    await evil.evaluate(
      (url) =>
        new Promise<void>((resolve) => {
          const frame = document.createElement("iframe");
          frame.addEventListener("load", () => resolve());
          frame.src = url;
          document.body.append(frame);
        }),
      service.url,
    );
    return (await evil.frames()[1]?.locator("body").innerText()) ?? "";
  };
  expect(await framed(await target())).not.toContain("of the page");
  const headersOnly = await target({ guards: ["host", "spelling"] });
  expect(await framed(headersOnly)).not.toContain("of the page");
  expect(await framed(await target({ guards: ["host", "spelling"], headers: {} }))).toContain("of the page");
});

test("[HT2] the service sets no cookie, whatever is asked", async () => {
  const service = await serve({ page: page() });
  const { page: own, context } = await visit(service.url, { allows: [/status of 40[14]/] });
  const token = await service.token("operate");
  const statuses = await own.evaluate(async (secret) => {
    const headers = { authorization: `Bearer ${secret}` };
    const asked = [
      fetch("/api/v1/health"),
      fetch("/api/v1/runs", { headers }),
      fetch("/api/v1/runs"),
      fetch("/nothing"),
    ];
    return (await Promise.all(asked)).map(({ status }) => status);
  }, token);
  expect(statuses).toEqual([200, 200, 401, 404]);
  expect(await context.cookies()).toEqual([]);
});
