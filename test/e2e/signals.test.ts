// Signals as a program sends them.

import { expect, test } from "vitest";
import { expectCode, newSite, writeAt } from "../support/pawl.ts";

const workflow = `pawl: 1
id: deploys
agents: { worker: {} }
steps:
  - { id: wait, signal: deploy-done, produces: [url] }
  - { id: test, command: 'test "$URL" = https://x.test', env: { URL: "{{url}}" } }
`;

test("[CM104 SG1 SG4] a run waits for its signal; a wrong one changes nothing, the right one lets it continue", async () => {
  const site = newSite();
  const file = writeAt(site, "deploys.yml", workflow);
  const held = await site.pawl("run", file, "Do it", "--executor", "command: true");
  expectCode(held, 3);
  expect(held.stderr).toContain("send it with `pawl signal 1 deploy-done`");
  expect(JSON.parse((await site.pawl("gates", "--json")).stdout)).toEqual({ gates: [] });
  const { gates, signals, steps } = await site.status("1");
  expect([gates, steps[0]?.kind]).toEqual([[], "signal"]);
  expect(signals).toMatchObject([{ name: "deploy-done", step: "wait", status: "awaited" }]);
  for (const [code, ...args] of [
    [5, "deploy-don", "{}"],
    [2, "deploy-done", "{}"],
    [2, "deploy-done", "[1]"],
    [2, "deploy-done", "not json"],
    [5, "deploy-done", '{"url":"x"}', "--story", "US-9"],
  ] as const)
    expectCode(await site.pawl("signal", "1", ...args), code);
  const sent = await site.pawl("signal", "1", "deploy-done", '{"url":"https://x.test"}', "--json");
  expect(JSON.parse(sent.stdout)).toMatchObject({ number: 1, signal: "deploy-done", taken: "wait", status: "running" });
  expectCode(await site.pawl("resume", "1"), 0);
});
