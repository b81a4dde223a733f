// Steps that decide by files: their readers, values and routes.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ProtocolFacts } from "../../domain/protocol.ts";
import type { Route } from "../../domain/route.ts";
import { loadWorkflow } from "../load.ts";
import { drawWorkflow } from "../picture.ts";

const readers = [
  { name: "verdict", values: ["proceed", "fix"], plans: false },
  { name: "position", values: ["start", "middle", "end"], plans: true },
];
const files: ProtocolFacts = {
  name: "files",
  templateKeys: [],
  takesEdits: false,
  needsStories: false,
  canAwait: false,
  readers,
};
const head = "pawl: 1\nid: x\nprotocol: files\nagents: { dev: {} }\nsteps:\n  - { id: work, agent: dev }\n";
const load = (step: string, more = "") =>
  loadWorkflow(`${head}  - { id: post-work, ${step} }\n${more}`, "w.yml", [files]);
const problemsOf = (step: string, more = "") => load(step, more).problems;
const messagesOf = (step: string, more = "") => problemsOf(step, more).map(({ message }) => message);
const read = (step: string, more = "") => {
  const { definition, problems } = load(step, more);
  expect(problems).toEqual([]);
  const found = definition?.steps.find(({ name }) => name === "post-work");
  if (!definition || found?.kind !== "decision") throw new Error("not loaded");
  return { definition, step: found };
};
const on = "on: { proceed: next, fix: { back_to: work, at_most: 2, then: gate } }";

describe("a decision", () => {
  test("[WF101 WF9 WF38 DE2] names a reader of its protocol; unknown asks a person by default, and so does what fails", () => {
    const { step, definition } = read(`decision: verdict, waits: true, ${on}`);
    expect(step).toMatchObject({ kind: "decision", reader: "verdict", decide: "post_work", waits: true, checks: [] });
    expect(step).not.toHaveProperty("source");
    const asks = { to: "gate", question: "post-work: {{evidence}}. What does it say?" };
    expect(step.on["=unknown"]).toMatchObject({ route: asks, limit: null });
    for (const rule of [step.on["=unknown"], step.onError]) {
      const route = rule?.route as Extract<Route, { to: "gate" }>;
      expect(Object.keys(route.options)).toEqual(["proceed", "fix", "again", "stop"]);
    }
    expect(definition.knownKeys).toEqual(expect.arrayContaining(["evidence", "post_work"]));
    expect(drawWorkflow(definition)).toMatch(/post-work +reads verdict/);
  });

  test("[WF101 WF22] routes for exactly the values of its reader", () => {
    const [missing] = problemsOf("decision: verdict, on: { proceed: next }");
    expect(missing).toMatchObject({
      message: "Step 'post-work': `verdict` may answer fix, which has no route",
      hint: "add `fix: ROUTE`",
    });
    expect(problemsOf(`decision: verdict, on: { proceed: next, fix: fail, proced: fail }`)[0]).toMatchObject({
      message: "Step 'post-work': `verdict` never answers \"proced\"",
      hint: "did you mean `proceed`?",
    });
    expect(messagesOf("decision: verdict, on: { proceed: next, default: fail }")).toEqual([
      "Step 'post-work': `verdict` may answer fix, which has no route",
      "Step 'post-work': `default` would hide a value that its reader has",
    ]);
    expect(read("decision: verdict, on: { Proceed: next, FIX: fail, unknown: gate }").step.on["=fix"]).toBeDefined();
  });

  test("[WF101] property: whichever values are left out, exactly those are reported", () => {
    const values = ["start", "middle", "end"];
    fc.assert(
      fc.property(fc.subarray(values), (given) => {
        const routes = given.map((value) => `${value}: next`).join(", ");
        const missing = values.filter((value) => !given.includes(value));
        const expected =
          missing.length === 0
            ? []
            : [`Step 'post-work': \`position\` may answer ${missing.join(", ")}, which has no route`];
        expect(messagesOf(`decision: position, on: { ${routes} }`)).toEqual(expected);
      }),
    );
  });

  test("[WF102 DE2] what is unknown never leads on without a person", () => {
    const refused = (route: string, more = "") =>
      messagesOf(
        `decision: verdict, on: { proceed: next, fix: fail, unknown: ${route} }${more}`,
        "  - { id: end, agent: dev }\n",
      );
    const words = "what is unknown leads on without a person";
    expect(refused("next")).toEqual([`Step 'post-work' on.unknown: ${words}`]);
    expect(refused("{ go_to: end }")).toEqual([`Step 'post-work' on.unknown.go_to: ${words}`]);
    expect(refused("{ again, at_most: 2, then: next }").join()).toContain(words);
    expect(refused("{ again }", ", budget: { at_most: 2, then: next }").join()).toContain(words);
    const late = '{ gate: "Well?", options: { yes: next, stop: fail }, deadline: { after: 1h, then: yes } }';
    expect(refused(late).join()).toContain(words);
    expect(
      refused('{ gate: "Well?", options: { yes: next, stop: fail }, deadline: { after: 1h, then: stop } }'),
    ).toEqual([]);
    for (const fine of ["gate", "fail", "{ back_to: work, at_most: 1, then: gate }", "{ again, at_most: 2 }"])
      expect(refused(fine)).toEqual([]);
    expect(refused("gate", ", on_error: next")[0]).toContain("a crash decides nothing");
  });

  test("[WF103] beside `decide` or an agent it is refused, with the word that was meant", () => {
    expect(problemsOf(`decision: verdict, decide: verdict, ${on}`)).toEqual([
      expect.objectContaining({
        message: "Step 'post-work' has `decision` and `decide` at once",
        hint: "the step reads files itself: keep `decision: verdict`, and remove `decide`",
      }),
    ]);
    expect(problemsOf(`agent: dev, decision: verdict, decide: result, ${on}`)).toEqual([
      expect.objectContaining({
        message: "Step 'post-work' has `decision` and `decide` at once",
        hint: "the answer of `dev` decides: write `decide: result` instead of `decision`",
      }),
    ]);
    expect(problemsOf(`agent: dev, decision: verdict, ${on}`)).toEqual([
      expect.objectContaining({
        message: "Step 'post-work' has `decision` and `agent` at once",
        hint: "the answer of `dev` decides: write `decide: verdict` instead of `decision`",
      }),
    ]);
    expect(messagesOf(`decision: verdict, checks: [make], ${on}`)).toEqual([
      "Step 'post-work': `checks` has no effect on a decision step",
    ]);
  });

  test("[WF104] a reader must exist", () => {
    expect(problemsOf(`decision: verdikt, ${on}`)[0]).toMatchObject({
      message: "Step 'post-work': there is no reader `verdikt`",
      hint: "did you mean `verdict`?",
    });
    expect(messagesOf("decision: junit, on: { passed: next, failed: fail }")).toEqual([
      "Step 'post-work': the reader `junit` needs a file",
    ]);
    expect(messagesOf(`decision: { reader: verdict, file: a.json }, ${on}`)[0]).toContain("is not a reader that takes");
    expect(messagesOf(`decision: { reader: verdict }, ${on}`)).toEqual([
      "Step 'post-work': the reader `verdict` finds its files itself",
    ]);
  });
});

describe("general readers", () => {
  const json = (rest: string) => `decision: { reader: json, file: "out/{{current_story_id}}.json", ${rest} }, ${on}`;

  test("[WF101 RD4] `json` has a file, a pointer and words for each value", () => {
    const { step } = read(json('at: /a~1b/0, values: { Proceed: [passed, true, 1], fix: ["no", null] }'));
    expect(step.source).toEqual({
      file: "out/{{current_story_id}}.json",
      at: "/a~1b/0",
      words: { proceed: ["passed", true, 1], fix: ["no", null] },
    });
    const tests = read("decision: { reader: junit, file: r.xml }, on: { passed: next, failed: fail }").step;
    expect(tests.source).toEqual({ file: "r.xml" });
    expect(messagesOf("decision: { reader: tap, file: r.tap }, on: { passed: next }")[0]).toContain(
      "may answer failed",
    );
  });

  test("[WF104] what cannot be meant is refused", () => {
    const words = (rest: string) => messagesOf(json(rest));
    expect(words("at: status, values: { proceed: [a], fix: [b] }")[0]).toContain('"status" is not a JSON Pointer');
    expect(words("values: { proceed: [passed], fix: [PASSED] }")[0]).toContain('"passed" means `proceed` and `fix`');
    expect(words("values: { proceed: [a], fix: [b], unknown: [c] }")[0]).toContain("is what no other value means");
    expect(words("at: /a")[0]).toContain("needs `values`");
    expect(
      messagesOf(`decision: { reader: json, file: ../a.json, values: { proceed: [a], fix: [b] } }, ${on}`)[0],
    ).toContain("leads out of the project");
    const tests = "decision: { reader: junit, file: r.xml, at: /a }, on: { passed: next, failed: fail }";
    expect(messagesOf(tests)[0]).toContain("`at` has no effect on test results");
    expect(
      messagesOf(json('values: { proceed: ["{{x}}"], fix: [b] }').replace("current_story_id", "never_set"))[0],
    ).toContain("`{{never_set}}` is never set");
  });
});

describe("what follows a limit", () => {
  const spare =
    '  - { id: debug, agent: dev, spare: true }\n  - { id: ask, gate: "Well?", options: { on: next, stop: fail }, spare: true }\n';
  const then = (steps: string, more = spare) =>
    messagesOf(
      `decision: verdict, on: { proceed: next, fix: { back_to: work, at_most: 2, then: { insert: ${steps} } } }`,
      more,
    );

  test("[WF105 WF21] may insert steps with a gate among them that a person answers", () => {
    expect(then("[debug, ask]")).toEqual([]);
    const refused = "what follows a limit repeats without a limit";
    expect(then("[debug, ask, debug]")).toEqual([]);
    expect(then("[debug]")).toContain(`Step 'post-work' on.fix.then.insert: ${refused}`);
    const late = spare
      .replace("spare: true }\n", "spare: true }\n")
      .replace("stop: fail }", "stop: fail }, deadline: { after: 1h, then: on }");
    expect(then("[debug, ask]", late)).toEqual([`Step 'post-work' on.fix.then.insert: ${refused}`]);
  });
});

test("[RD7 WF69] a decision whose reader plans brings the stories", () => {
  const check = (reader: string, routes: string) =>
    loadWorkflow(
      `pawl: 1\nid: x\nprotocol: files\nagents: { dev: {} }\nsteps:\n  - { id: at, decision: ${reader}, on: { ${routes} } }\n` +
        "  - { id: all, stories: { sent_back: nothing }, body: [{ id: b, agent: dev }] }\n",
      "w.yml",
      [files],
      { plans: true },
    );
  const planned = check("position", "start: next, middle: next, end: fail");
  expect(planned.problems).toEqual([]);
  expect(planned.definition?.steps[1]).toMatchObject({ sentBack: "nothing" });
  expect(planned.definition && drawWorkflow(planned.definition)).toContain("going back to it adds no story");
  expect(check("verdict", "proceed: next, fix: fail").problems[0]?.message).toContain("no agent before it plans them");
});
