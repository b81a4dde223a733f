// Links to one gate over real sockets: fetching changes nothing, one button answers once, nothing forged opens.

import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { configuredTargets } from "../../src/app.ts";
import { type GateId, stepName } from "../../src/domain/ids.ts";
import type { Notice } from "../../src/notify/target.ts";
import { gateLink } from "../../src/runtime/gate-link.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import { systemClock } from "../../src/system/clock.ts";
import { linkKey, linkKeyFile } from "../../src/system/link-key.ts";
import { applicationIn, sendRaw, serve } from "../support/http-service.ts";
import { tempDir } from "../support/repository.ts";
import { agentStep, workflow } from "../support/sample-runs.ts";
import { Transitions } from "../support/transitions.ts";

const hostile = `Ship <script>alert(1)</script> & "it"?`;

async function world() {
  const service = await serve();
  const { app } = service;
  const store = await openSqliteStore(app.home.storeFile, systemClock);
  onTestFinished(async () => await store.close());
  const runs = new Transitions(store);
  const options = {
    approve: { to: "next" },
    reject: { to: "fail", reason: "no" },
    "reject:unclear": { to: "fail", reason: "unclear" },
  } as const;
  const gate = {
    kind: "gate",
    name: stepName("review"),
    title: "review",
    question: hostile,
    options,
  } as const;
  const run = await runs.start(workflow("asks", [agentStep("work"), gate]));
  await runs.perform(run, "work");
  const [asked] = await store.openGates(run);
  if (!asked) throw new Error("no gate is open");
  const linkFor = (id: GateId, names = ["approve", "reject"], expiresAt = Date.now() + 60_000, dir = app.home.dir) =>
    `${service.url}/g/${gateLink(linkKey(dir), { id, options: names }, expiresAt)}`;
  const press = async (link: string, fields: Record<string, string>) =>
    await fetch(link, { method: "POST", body: new URLSearchParams({ tree: "", ...fields }), redirect: "manual" });
  return { ...service, store, run, gate: asked.gate, link: linkFor(asked.gate.id), linkFor, press };
}

test("[GL2] the key is made once, private, and not taken from a file of another shape", () => {
  const dir = tempDir();
  const key = linkKey(dir);
  expect(linkKey(dir)).toEqual(key);
  expect(statSync(linkKeyFile(dir)).mode & 0o777).toBe(0o600);
  writeFileSync(linkKeyFile(dir), "short");
  expect(() => linkKey(dir)).toThrow("not a key that Pawl made");
});

test("[GL3] fetching a link shows the question with its answers and changes nothing", async () => {
  const { link, store, run, app } = await world();
  const before = await store.lastSeq(run);
  for (const method of ["GET", "HEAD", "GET"]) {
    const page = await fetch(link, { method, headers: { purpose: "prefetch", "sec-fetch-site": "cross-site" } });
    expect(page.status).toBe(200);
    const html = await page.text();
    if (method === "HEAD") continue;
    expect(html).toContain("Ship &lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;it&quot;?");
    expect(html).not.toContain("<script");
    for (const answer of ["approve", "reject", "reject:unclear"]) expect(html).toContain(`value="${answer}"`);
    const policy = page.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("form-action 'self'");
    expect(policy).not.toContain("script-src");
    expect(page.headers.get("referrer-policy")).toBe("same-origin");
  }
  expect(await store.lastSeq(run)).toBe(before);
  expect(existsSync(linkKeyFile(app.home.dir))).toBe(true);
});

test("[GL8] an answer in the address comes first among the buttons, and gives no answer", async () => {
  const { link, store, run, press } = await world();
  const before = await store.lastSeq(run);
  const buttons = async (address: string) =>
    [...(await (await fetch(address)).text()).matchAll(/value="([^"]*)">/g)].map(([, value]) => value).slice(1);
  expect(await buttons(link)).toEqual(["approve", "reject", "reject:unclear"]);
  expect(await buttons(`${link}?answer=reject`)).toEqual(["reject", "approve", "reject:unclear"]);
  for (const wrong of ["nonsense", "%22%3E%3Cscript%3E", ""])
    expect(await buttons(`${link}?answer=${wrong}`)).toEqual(["approve", "reject", "reject:unclear"]);
  expect(await store.lastSeq(run)).toBe(before);
  const pressed = await press(`${link}?answer=reject`, { answer: "approve" });
  expect([pressed.status, pressed.headers.get("location")]).toEqual([303, new URL(link).pathname.split("/").at(-1)]);
});

test("[GL4] the button answers once, as its author `link`; a second one is told what was answered", async () => {
  const { link, store, gate, press } = await world();
  const [first, second] = await Promise.all([
    press(link, { answer: "reject:unclear", note: "say\r\nmore" }),
    press(link, { answer: "approve" }),
  ]);
  const statuses = [first.status, second.status].toSorted((a, b) => a - b);
  expect(statuses).toEqual([303, 409]);
  const state = (await store.gate(gate.id))?.gate.state;
  const rejected = { option: "reject", reason: "unclear", note: "say\nmore" };
  const answer = first.status === 303 ? rejected : { option: "approve" };
  expect(state).toMatchObject({ status: "answered", by: "link", ...answer });
  const after = await press(link, { answer: "approve" });
  expect(after.status).toBe(409);
  expect(await after.text()).toContain("It was answered with");
  expect((await store.gate(gate.id))?.gate.state).toEqual(state);
});

test("[GL5] an expired, forged or foreign link opens nothing and answers nothing", async () => {
  const { link, linkFor, gate, store, press, url, run } = await world();
  const before = await store.lastSeq(run);
  const flipped = `${link.slice(0, -2)}${link.at(-2) === "A" ? "B" : "A"}${link.at(-1)}`;
  const forged = [
    flipped,
    linkFor(gate.id, ["approve"]),
    linkFor(gate.id, ["approve", "reject"], Date.now() + 60_000, tempDir()),
    linkFor("another" as GateId),
    `${url}/g/x`,
    link.replace(/\.[0-9a-z]+(\.[\w-]{43})$/, ".zzzzzz$1"),
  ];
  for (const wrong of forged) {
    const [page, pressed] = [await fetch(wrong), await press(wrong, { answer: "approve" })];
    expect([page.status, pressed.status]).toEqual([404, 404]);
    expect(await page.text()).not.toContain("Ship");
  }
  const old = linkFor(gate.id, ["approve", "reject"], Date.now() - 1_000);
  expect([(await fetch(old)).status, (await press(old, { answer: "approve" })).status]).toEqual([410, 410]);
  expect((await press(link, { answer: "nonsense" })).status).toBe(400);
  expect((await press(link, { answer: "approve", tree: "another" })).status).toBe(409);
  expect(await store.lastSeq(run)).toBe(before);
});

test("[GL6] links that are not valid are limited, and a valid one still works", async () => {
  const { url, link } = await world();
  const statuses = [];
  for (let tries = 0; tries < 25; tries += 1) statuses.push((await fetch(`${url}/g/a.b.${"c".repeat(43)}`)).status);
  expect([statuses[0], statuses.at(-1)]).toEqual([404, 429]);
  expect((await fetch(link)).status).toBe(200);
});

test("[GL6] another site cannot press the button, and a foreign name is refused", async () => {
  const { link, port, store, run } = await world();
  const before = await store.lastSeq(run);
  const path = new URL(link).pathname;
  const body = "answer=approve&tree=";
  const post = (headers: string) =>
    sendRaw(
      port,
      `POST ${path} HTTP/1.1\n${headers}\nContent-Type: application/x-www-form-urlencoded\nContent-Length: ${body.length}\n\n${body}`,
    );
  expect((await post(`Host: 127.0.0.1:${port}\nOrigin: https://evil.example`)).status).toBe(403);
  expect((await post(`Host: 127.0.0.1:${port}\nOrigin: null`)).status).toBe(403);
  expect((await post(`Host: evil.example`)).status).toBe(421);
  expect(await store.lastSeq(run)).toBe(before);
  expect((await post(`Host: 127.0.0.1:${port}\nOrigin: http://127.0.0.1:${port}`)).status).toBe(303);
});

test("[GL7] messages carry the link where an address is configured, the same for each try", async () => {
  const app = applicationIn(tempDir());
  const send = async (publicUrl: string | null) => {
    const file = `${tempDir()}/got.json`;
    const config = {
      ...(await app.configuration(".")),
      service: { publicUrl },
      notify: [{ kind: "command", name: "c", on: ["needs_you"], command: ["tee", file], env: [] }],
    } as unknown as Parameters<typeof configuredTargets>[0];
    const [target] = configuredTargets(config, { ...app.home, dir: tempDir() }, process.env);
    const gate = { id: "g1", options: ["yes", "no"], cause: "step", feedback: "", tree: null, deadline: null };
    const notice = { id: "m", event: "needs_you", run: {}, text: "", gate, at: "2026-11-18T00:00:00.000Z" };
    const call = { at: 1, signal: AbortSignal.timeout(20_000) };
    expect(await target?.deliver(notice as unknown as Notice, call)).toEqual({ outcome: "delivered" });
    return (JSON.parse(readFileSync(file, "utf8")) as { gate: { link?: string } }).gate.link;
  };
  expect(await send(null)).toBeUndefined();
  expect(await send("https://pawl.example.com/x")).toMatch(
    /^https:\/\/pawl\.example\.com\/x\/g\/ZzE\.[0-9a-z]+\.[\w-]{43}$/,
  );
});
