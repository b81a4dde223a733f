import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { loadWorkflow } from "./load.ts";
import { drawWorkflow } from "./picture.ts";

function draw(text: string): string {
  const { definition, problems } = loadWorkflow(text, "w.yml");
  if (!definition) throw new Error(JSON.stringify(problems));
  return drawWorkflow(definition);
}

test("[WF38] a chain with its routes, limits and the body of its stories", () => {
  expect(
    draw(`pawl: 1
id: small
agents: { dev: {}, rev: {} }
steps:
  - { id: plan, agent: dev, timeout: 45m }
  - id: build
    stories: {}
    body:
      - { id: build, agent: dev, checks: [npm test] }
      - { id: verify, agent: rev, on: { rejected: { back_to: build } } }
  - { id: ship, gate: "Ship it?" }
`),
  ).toBe(`small

● plan   agent dev, 45m at most
│     rejected → again, at most 2 times, then fail
│     failure  → again, at most 2 times, then fail
│
● build  stories, one at a time
│   ┌─ each story
│   │ ● build   agent dev
│   │ │     rejected → again
│   │ │     failure  → again
│   │ │     check: npm test
│   │ │
│   │ ● verify  agent rev
│   │       rejected → back to build
│   │       failure  → again
│   └─
│     a story is tried again at most once, then fail
│     a failed story starts no other
│
● ship   asks: Ship it?
      approve → next
      reject → fail
`);
});

test("decisions are shown with the key that decides and one limit for all", () => {
  const picture = draw(`pawl: 1
id: x
agents: { dev: {} }
steps:
  - { id: a, agent: dev }
  - { id: r, agent: dev, decide: verdict, budget: { at_most: 3, then: gate }, on: { ok: next, bad: { back_to: a } } }
`);
  expect(picture).toContain("verdict ok  → next");
  expect(picture).toContain("all routes back together at most 3 times, then ask (continue, accept, stop)");
});

test("[WF38] no line is wider than 100 columns, whatever the texts are", () => {
  const long = "word ".repeat(60);
  const picture = draw(`pawl: 1
id: ${"x".repeat(64)}
name: ${long}
description: ${"y".repeat(300)}
agents: { dev: {} }
steps:
  - { id: ${"s".repeat(60)}, command: "${"z".repeat(200)}" }
  - { id: g, gate: "${long}", options: { ${"a".repeat(40)}: next, ${"b".repeat(40)}: fail } }
`);
  expect(Math.max(...picture.split("\n").map((line) => line.length))).toBeLessThanOrEqual(100);
});

test("the bundled workflow fits", () => {
  const text = readFileSync(new URL("../../workflows/feature-dev/workflow.yml", import.meta.url), "utf8");
  expect(
    Math.max(
      ...draw(text)
        .split("\n")
        .map((line) => line.length),
    ),
  ).toBeLessThanOrEqual(100);
});
