import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { known } from "../../test/support/protocols.ts";
import { loadWorkflow } from "./load.ts";
import { drawWorkflow } from "./picture.ts";

function draw(text: string): string {
  const { definition, problems } = loadWorkflow(text, "w.yml", known);
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

test("[WF38 WF40 WF41 WF43 WF44] deadlines, reasons, and what may be spent", () => {
  expect(
    draw(`pawl: 1
id: x
agents: { dev: {} }
caps: { usd: 20, wall: 8h, hard: true, then: gate }
steps:
  - { id: a, agent: dev, budget: { usd: 5, wall: 2h, hard: true, then: fail } }
  - id: s
    stories: {}
    body: [{ id: s, agent: dev }]
    story_budget: { at_most: 3, tokens: 90000, then: { gate: Stuck, deadline: { after: 1d, then: stop } } }
  - id: g
    gate: "Ship it?"
    options: { yes: next, no: { default: fail, unclear: { back_to: a } } }
    deadline: { after: 2d, then: no }
  - id: r
    agent: dev
    on: { rejected: { gate: Why, options: { ok: next, no: { default: fail, small: { back_to: a } } } } }
`),
  ).toBe(`x

● a  agent dev
│     rejected → again, at most 2 times, then fail
│     failure  → again, at most 2 times, then fail
│     all attempts together at most 5 USD or 2h of work, which stops the one that runs, then fail
│
● s  stories, one at a time
│   ┌─ each story
│   │ ● s  agent dev
│   │       rejected → again
│   │       failure  → again
│   └─
│     a story is tried again at most 3 times, then ask (continue, accept, stop; after 1d → stop)
│     all attempts of a story together at most 90000 tokens, then ask (continue, accept, stop; after
│         1d → stop)
│     a failed story starts no other
│
● g  asks: Ship it?
│     yes → next
│     no → fail
│     no unclear → back to a
│     no answer after 2d → no
│
● r  agent dev
      rejected → ask (ok, no [small])
      failure  → again, at most 2 times, then fail

the whole run at most 8h (hard), 20 USD, then ask
`);
});

test("[WF59] stories in parallel: their trees, spare steps, flags, and the way back", () => {
  expect(
    draw(`pawl: 1
protocol: ralph
id: x
agents: { dev: {} }
steps:
  - id: s
    stories: { concurrency: 3, workspace: worktree, branch_prefix: w/, max_steps: 9, restarts: 0 }
    story_budget: { at_most: 0 }
    on_story_failed: continue
    body:
      - { id: code, agent: dev, summary: true, editable: true, on_error: fail }
      - { id: lint, command: make lint, mandatory: true, follows: [code] }
      - { id: end, agent: dev, last: true, mandatory: true }
      - { id: ask, gate: "Which?", spare: true }
      - { id: fix, agent: dev, spare: true, timeout: 5m }
      - { id: put, integrate: , on: { rejected: { insert: [ask, fix], before: end, at_most: 2 } }, checks: [project.test] }
`),
  ).toBe(`x

● s  stories, 3 at a time, each in a tree of its own, on w/STORY
    ┌─ each story
    │ ● code  agent dev
    │ │     ends with a summary; may change what comes after it
    │ │     rejected → again
    │ │     failure  → fail
    │ │
    │ ● lint  command: make lint
    │ │     no edit skips it; stays behind code
    │ │     rejected → again
    │ │     failure  → again
    │ │
    │ ● end   agent dev
    │ │     no edit skips it; stays last
    │ │     rejected → again
    │ │     failure  → again
    │ │
    │ ○ ask   asks: Which?
    │ │     only when a route inserts it
    │ │     approve → next
    │ │     reject → fail
    │ │
    │ ○ fix   agent dev, 5m at most
    │ │     only when a route inserts it
    │ │     rejected → again
    │ │     failure  → again
    │ │
    │ ● put   one commit on the base: feat: {{story}} - {{title}}
    │       rejected → first ask, fix, then all from end on, at most 2 times, then fail
    │       failure  → again, at most 5 times, then fail
    │       check: project.test
    └─
      a story is not tried again: fail
      a failed story lets the others continue
      a story has at most 9 steps and restarts none of them
`);
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

test("[WF38 WF63 WF64] who may only read, and whose session goes on", () => {
  const drawn = draw(`pawl: 1
id: small
agents: { dev: {}, rev: { access: read } }
steps:
  - { id: code, agent: dev }
  - { id: judge, agent: rev, session: { same_as: code } }
`);
  expect(drawn).toContain("● judge  agent rev, only reads\n");
  expect(drawn).toContain("continues the session of code\n");
});
