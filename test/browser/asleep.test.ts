// A phone that sleeps in the middle of an answer: the page is frozen or has no network, the world goes on, and the page comes back.

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { expectCode, newSite, writeAt } from "../support/pawl.ts";
import { writeScript } from "../support/scripts.ts";
import { type Visit, visit } from "./visit.ts";
import { serveHome } from "./worlds/served.ts";

const workflow = `pawl: 1
id: small
agents: { worker: {} }
steps:
  - { id: work, agent: worker, input: "{{task}}" }
  - { id: look, gate: "Is it good?", options: { approve: next, reject: { back_to: work } } }
`;

async function asked(allows: readonly RegExp[]) {
  const site = newSite();
  const script = writeScript(site, { work: [{ append: { "a.txt": "one\n" }, say: "STATUS: done" }] });
  expectCode(await site.pawl("run", writeAt(site, "small.yml", workflow), "Add it", "--script", script), 3);
  const { url, token } = await serveHome(site.home, { drives: true });
  const gate = (await site.status("1")).gates[0]?.id ?? "";
  const phone = await visit(`${url}/gates/${gate}#token=${token}`, { size: "phone", allows });
  await phone.page.locator(".file").first().waitFor();
  const call = async (path: string, body?: object) =>
    await fetch(`${url}/api/v1${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const answers = async () => {
    const { events } = (await (await call("/runs/1/events?limit=5000")).json()) as { events: { type: string }[] };
    return events.filter(({ type }) => type === "gate_answered").length;
  };
  return { ...phone, gate, call, answers };
}

const note = (page: Page) => page.getByRole("textbox", { name: "Note" });

async function lifecycle({ context, page }: Pick<Visit, "context" | "page">, state: "frozen" | "active") {
  const session = await context.newCDPSession(page);
  await session.send("Page.setWebLifecycleState", { state });
  await session.detach();
}

test("[PG29 PG48 PG51] a page that was frozen while somebody else answered shows it, once, with the words that were not sent", async () => {
  const { page, context, gate, call, answers } = await asked([]);
  await note(page).fill("I would not ship it");
  await page.locator(".answer-option", { hasText: "reject" }).click();
  await lifecycle({ context, page }, "frozen");
  expect((await call(`/gates/${gate}/answer`, { option: "approve" })).status).toBe(200);
  await lifecycle({ context, page }, "active");
  await page.getByRole("heading", { name: /answered: approve/ }).waitFor();
  expect(await page.locator(".unsent").innerText()).toContain("I would not ship it");
  await expect.poll(() => page.locator(".gate-answer h2", { hasText: "answered: approve" }).count()).toBe(1);
  await page.reload();
  await page.getByRole("heading", { name: /answered: approve/ }).waitFor();
  expect(await page.locator(".unsent").innerText()).toContain("I would not ship it");
  expect(await answers()).toBe(1);
});

test("[PG29 PG48 PG49] an answer without a network is not lost and counts once when it is sent again", async () => {
  const { page, context, answers } = await asked([/ERR_INTERNET_DISCONNECTED/]);
  await page.locator(".answer-option", { hasText: "approve" }).click();
  await context.setOffline(true);
  await note(page).fill("Ship it");
  const send = page.getByRole("button", { name: "Send: approve" });
  await send.click();
  await page.locator(".gate-answer").getByText("The service does not answer.").waitFor();
  expect([await note(page).inputValue(), await answers()]).toEqual(["Ship it", 0]);
  await lifecycle({ context, page }, "frozen");
  await context.setOffline(false);
  await lifecycle({ context, page }, "active");
  await page.getByText("Live", { exact: true }).first().waitFor();
  await send.click();
  await page.getByRole("heading", { name: "You answered: approve" }).waitFor();
  expect(await answers()).toBe(1);
});

test("[PG48] what was written is kept at the moment in which the page goes out of sight", async () => {
  const { page, gate } = await asked([]);
  // In one turn of the page: no time passes in which it could be kept by itself.
  const kept = await page.evaluate((id) => {
    const field = document.querySelector<HTMLTextAreaElement>(".answer-note textarea");
    if (field === null) throw new Error("no note");
    field.value = "Half a thought";
    field.dispatchEvent(new Event("input", { bubbles: true }));
    Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
    return localStorage.getItem(`pawl.gate.${id}`) ?? "";
  }, gate);
  expect(kept).toContain("Half a thought");
});
