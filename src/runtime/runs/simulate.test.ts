// Simulations without a script, and answers to questions.

import { expect, test } from "vitest";
import { loadWorkflow } from "../../workflows/load.ts";
import { type SimulatedAnswer, simulate } from "./simulate.ts";

function play(steps: string, answers: readonly SimulatedAnswer[] = []) {
  const text = `pawl: 1\nid: x\nagents: { a: {} }\nsteps:\n${steps}`;
  const { definition, problems } = loadWorkflow(text, "w.yml");
  if (!definition) throw new Error(JSON.stringify(problems));
  const { status, events, notes } = simulate(definition, "t", { play: "well", answers });
  return { status, notes, path: events.flatMap((event) => (event.type === "attempt_dispatched" ? [event.name] : [])) };
}

const look = `  - { id: plan, agent: a, input: Print STORIES_JSON, produces: [test_cmd] }
  - { id: each, stories: {}, body: [{ id: code, agent: a, expects: "STATUS: shipped" }] }
  - { id: judge, agent: a, decide: d, on: { bad: { back_to: plan, at_most: 2 }, good: next } }
  - { id: look, gate: "ok?", options: { yes: next, back: { back_to: judge }, no: fail } }
  - { id: ship, command: make }
`;

test("[CM99] without a script every step passes, stories are planned, and a question gets its first option", () => {
  expect(play(look)).toEqual({ status: "done", notes: [], path: ["plan", "code", "code", "judge", "ship"] });
});

test("[CM99] answers are taken in order, step by step", () => {
  const back = { step: "look", option: "back" };
  expect(play(look, [back, { step: "look", option: "no" }])).toEqual({
    status: "failed",
    notes: [],
    path: ["plan", "code", "code", "judge", "judge"],
  });
  expect(play(look, [back])).toMatchObject({ status: "done" });
});

test("[CM99] an answer that the question does not have is an error that names the options", () => {
  expect(() => play(look, [{ step: "look", option: "perhaps" }])).toThrow(/perhaps.*yes, back, no/);
});

test("[CM99] an answer that no question took is noted, and one to a step that is not there is an error", () => {
  const yes = { step: "look", option: "yes" };
  expect(play(look, [{ step: "plan", option: "yes" }, yes, yes, { step: "US-001/code", option: "no" }])).toMatchObject({
    status: "done",
    notes: [
      "--answer plan=yes was not used: plan did not ask",
      "--answer look=yes was not used: look asked 1 time",
      "--answer US-001/code=no was not used: US-001/code did not ask",
    ],
  });
  expect(() => play(look, [{ step: "lok", option: "yes" }])).toThrow(
    expect.objectContaining({ code: "USAGE", message: 'the workflow has no step "lok"' }) as Error,
  );
});

test("[WF85 WT1] a question before a step is taken as any other", () => {
  const waiting = "  - { id: b, agent: a, waits: true }\n";
  expect(play(waiting).status).toBe("done");
  expect(play(waiting, [{ step: "b", option: "stop" }]).status).toBe("failed");
});

test("[WF132] a simulated signal comes with its keys, or with `late` not in time", () => {
  const { definition } = loadWorkflow(
    `pawl: 1
id: x
agents: { dev: {} }
steps:
  - { id: wait, signal: go, produces: [url], timeout: 2h, on_timeout: { go_to: b } }
  - { id: a, agent: dev, input: "{{url}}" }
  - { id: b, agent: dev }
`,
    "w.yml",
  );
  if (!definition) throw new Error("not loaded");
  const well = simulate(definition, "task", { play: "well" });
  expect([well.status, well.run.header.context["url"]]).toEqual(["done", "(simulated url)"]);
  const late = simulate(definition, "task", { play: "well", answers: [{ step: "wait", option: "late" }] });
  expect(late.run.header.chain.map(({ state }) => state.status)).toEqual(["done", "skipped", "done"]);
});

test("[WF134 CM99] as many stories are planned as a step needs; those that are not needed do not begin", () => {
  const needs = (how: string) => `  - { id: plan, agent: a, input: Print STORIES_JSON }
  - { id: each, stories: {}, ${how}, body: [{ id: code, agent: a }] }
`;
  expect(play(needs("need: 3"))).toMatchObject({ status: "done", path: ["plan", "code", "code", "code"] });
  expect(play(needs("need: first"))).toMatchObject({ status: "done", path: ["plan", "code"] });
});
