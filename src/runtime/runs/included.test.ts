// Plays workflows that include others: what is performed, what is skipped, and what each step is told.

import { expect, test } from "vitest";
import { loadWorkflow } from "../../workflows/load.ts";
import { type Performance, simulate } from "./simulate.ts";

const review = `
pawl: 1
id: review
inputs: [subject]
outputs: [verdict]
agents: { reviewer: {} }
caps: { attempts: 3 }
steps:
  - { id: look, agent: reviewer, decide: found, on: { much: next, nothing: end } }
  - { id: judge, agent: reviewer, decide: verdict, on: { ok: next, no: { back_to: look, at_most: 5 } } }
`;

const outer = `
pawl: 1
id: outer
agents: { dev: {} }
steps:
  - { id: build, agent: dev, decide: kind, on: { small: next, large: next } }
  - { id: audit, workflow: review, if: { kind: large }, inputs: { subject: "{{kind}}" }, outputs: [verdict] }
  - { id: ship, agent: dev, if: { verdict: ok }, input: "{{verdict}}" }
  - { id: tell, agent: dev }
`;

function play(said: Readonly<Record<string, readonly string[]>>, answers: Performance["answers"] = []) {
  const find = () => ({ file: "/review.yml", text: review, roleFolder: "" });
  const { definition, problems } = loadWorkflow(outer, "/outer.yml", [], { find });
  if (!definition) throw new Error(JSON.stringify(problems));
  const left = new Map(Object.entries(said).map(([step, words]) => [step, [...words]]));
  const words = (step: string) => left.get(step)?.shift() ?? "";
  const { events, status, run } = simulate(definition, "the task", {
    play: ({ step }) => ({ text: `STATUS: done\n${words(step)}`, exit: 0 }),
    answers,
  });
  const path = events.flatMap((event) => {
    if (event.type === "attempt_dispatched") return [event.name];
    return event.type === "steps_skipped" ? [`-${event.steps.join(" -")}`] : [];
  });
  return { path: [...path, status].join(" "), context: run.header.context, end: run.header.end };
}

test("[IN1 IN2 IN3] the steps of an included workflow run in its place, and its output is read behind it", () => {
  const { path, context } = play({
    build: ["KIND: large"],
    "audit.look": ["FOUND: much"],
    "audit.judge": ["VERDICT: ok"],
  });
  expect(path).toBe("build audit.look audit.judge ship tell done");
  expect(context).toMatchObject({ kind: "large", "audit.found": "much", verdict: "ok" });
  expect(context).not.toHaveProperty("found");
});

test("[IN5] `end` inside ends only the included workflow, and `if` skips all of it", () => {
  const ended = play({ build: ["KIND: large"], "audit.look": ["FOUND: nothing"] });
  expect(ended.path).toBe("build audit.look -audit.judge -ship tell done");
  expect(play({ build: ["KIND: small"] }).path).toBe("build -audit.look -audit.judge -ship tell done");
});

test("[IN6] the caps of the included file end what its steps use together, and name what was reached", () => {
  const { path, end } = play({
    build: ["KIND: large"],
    "audit.look": ["FOUND: much", "FOUND: much"],
    "audit.judge": ["VERDICT: no"],
  });
  expect(path).toBe("build audit.look audit.judge audit.look failed");
  expect(end?.reason).toContain("audit: its 3 attempts are used");
});
