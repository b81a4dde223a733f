// Stories that a run does not plan itself: known from the start, partly done in an earlier run, or added later.

import { describe, expect, test } from "vitest";
import { Driver } from "../../../test/support/engine/driver.ts";
import { addAfter, asks, restart } from "../../../test/support/engine/edits.ts";
import {
  agent,
  atMost,
  backTo,
  fail,
  ralph,
  stories,
  storySpec,
  workflow,
} from "../../../test/support/engine/workflow.ts";
import { type StoryId, stepId, stepName, storyId } from "../../domain/ids.ts";
import type { AdoptedStep, AdoptedStory } from "../../domain/story.ts";

const body = [
  "context",
  "planning",
  "architecture",
  "tests",
  "coding",
  "linting",
  "testing",
  "self_review",
  "prune",
  "review",
];

function step(number: number, name: string, more: Partial<AdoptedStep> = {}): AdoptedStep {
  const id = stepId(`step-${String(number).padStart(3, "0")}`);
  return {
    id,
    name: stepName(name),
    description: `do ${name}`,
    state: "waiting",
    reason: "",
    notes: "",
    restarts: 0,
    ...more,
  };
}

/** A story with this many done steps, whose next step has this state. */
function begun(id: string, done: number, then: Partial<AdoptedStep> = {}): AdoptedStory {
  const chain = body.map((name, index) =>
    step(index + 1, name, index < done ? { state: "done", notes: `notes of ${name}` } : index === done ? then : {}),
  );
  return { id: storyId(id), status: then.state === "failed" ? "failed" : "waiting", chain };
}

const finished = (id: string): AdoptedStory => ({ ...begun(id, 10), status: "done" });

describe("known from the start", () => {
  test("[ST15 C5 C7] a run may start with stories: no step plans, and the first stories start at once", () => {
    const run = new Driver(ralph({ concurrency: 2 }), { stories: ["US-1", storySpec("US-2", "US-1"), "US-3"] });
    expect(run.storyStates()).toEqual({ "US-1": "running", "US-2": "waiting", "US-3": "running" });
    expect(run.ids("US-1")).toEqual([
      ...Array.from({ length: 10 }, (_, i) => `step-${String(i + 1).padStart(3, "0")}`),
      "integrate",
    ]);
    expect(run.states("US-1")).toMatchObject({ "step-001": "ready", "step-002": "waiting" });
  });

  test("[ST15] they wait if the workflow has steps before them", () => {
    const run = new Driver(workflow([agent("prepare"), stories("each", [agent("code")])]), { stories: ["US-1"] });
    expect(run.storyStates()).toEqual({ "US-1": "waiting" });
    run.pass("prepare");
    expect(run.storyStates()).toEqual({ "US-1": "running" });
  });

  test("[ST15 ME4] if all of them are done, the run is done, and nobody gets a message about what was done before", () => {
    const run = new Driver(ralph(), { stories: ["US-1"], adopted: [{ ...finished("US-1"), chain: [] }] });
    expect(run.status).toBe("done");
    expect(run.run.header.totals.attempts).toBe(0);
    expect(run.messages("story_done")).toEqual([]);
  });
});

describe("from an earlier run", () => {
  test("[ST16 C44 C102] done stories stay done; a story that had begun resumes at its first waiting step", () => {
    const adopted = [finished("US-1"), begun("US-2", 6)];
    const run = new Driver(ralph(), { stories: ["US-1", storySpec("US-2", "US-1"), "US-3"], adopted });
    expect(run.storyStates()).toEqual({ "US-1": "done", "US-2": "running", "US-3": "running" });
    expect(run.states("US-1")).toMatchObject({ "step-010": "done", integrate: "done" });
    expect(run.states("US-2")).toMatchObject({ "step-006": "done", "step-007": "ready", integrate: "waiting" });
    expect(run.step("US-2/step-007")).toMatchObject({ visit: 1, description: "do testing" });
    expect(run.step("US-2/step-006").notes).toBe("notes of linting");
    expect(run.happened("story_opened").map(({ story }) => story)).toEqual(["US-3"]);
    expect(run.slots()).toEqual({ "US-2": 1, "US-3": 2 });
  });

  test("[ST16 ED20 C39 C102] the order of the file is kept, and new ids follow the highest id ever assigned", () => {
    const order = [1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 8, 9, 10];
    const name = (number: number) => body[number - 1] ?? ["coding", "linting", "testing"][number - 11] ?? "";
    const chain = order.map((number) => step(number, name(number), number <= 7 ? { state: "done" } : {}));
    const skipped = chain.map((one) =>
      one.id === "step-012" ? { ...one, state: "skipped" as const, reason: "no need" } : one,
    );
    const adopted = [{ id: storyId("US-1"), status: "waiting" as const, chain: skipped }];
    const run = new Driver(ralph(), { stories: ["US-1"], adopted });
    expect(run.step("US-1/step-012").state).toEqual({ status: "skipped", by: "edit", reason: "no need" });
    run.pass("US-1/step-011");
    expect(run.states("US-1")).toMatchObject({ "step-013": "ready" });
    run.pass("US-1/step-013", asks(addAfter("step-013", "coding")));
    expect(run.ids("US-1").slice(9, 12)).toEqual(["step-013", "step-014", "step-008"]);
  });

  test("[ST16 C82] a failed story is retried at its failed step", () => {
    const adopted = [begun("US-1", 4, { state: "failed", reason: "the machine died" })];
    const run = new Driver(ralph(), { stories: ["US-1", storySpec("US-2", "US-1")], adopted });
    expect(run.storyStates()).toEqual({ "US-1": "failed", "US-2": "blocked" });
    expect(run.status).toBe("failed");
    expect(run.step("US-1/step-005").state).toEqual({ status: "failed", reason: "the machine died" });
    run.retry();
    expect(run.states("US-1")).toMatchObject({ "step-004": "done", "step-005": "ready" });
    expect(run.storyStates()).toEqual({ "US-1": "running", "US-2": "waiting" });
  });

  test("[ST16 LC5] a failed story without a failed step is retried at its current step", () => {
    const adopted: AdoptedStory[] = [
      { ...begun("US-1", 3), status: "failed" },
      { id: storyId("US-2"), status: "failed", chain: [] },
    ];
    const run = new Driver(ralph(), { stories: ["US-1", "US-2"], adopted });
    expect(run.storyStates()).toEqual({ "US-1": "failed", "US-2": "failed" });
    expect(run.retry({ step: "coding" })).toMatchObject({ accepted: false, why: "step coding has not failed" });
    run.retry();
    expect(run.states("US-1")).toMatchObject({ "step-003": "done", "step-004": "ready" });
    expect(run.states("US-2")).toMatchObject({ "step-001": "ready" });
  });

  test("[LC5 LC7 ST16] a step that failed before the stories is retried first, and the stories only after it", () => {
    const each = stories("each", [agent("code")]);
    const chain = [step(1, "code", { state: "failed", id: stepId("code") })];
    const adopted: AdoptedStory[] = [{ id: storyId("US-1"), status: "failed", chain }];
    const run = new Driver(workflow([agent("prepare", { onError: fail("no tools") }), each]), {
      stories: ["US-1"],
      adopted,
    });
    run.fails("prepare");
    expect(run.retry({ story: "US-1" })).toMatchObject({ accepted: false, why: "prepare has failed; retry it first" });
    run.retry();
    expect(run.states()).toEqual({ prepare: "ready", each: "waiting" });
    run.pass("prepare");
    expect(run.run.header.end?.reason).toBe("story US-1 failed");
    run.retry();
    run.pass("US-1/code");
    expect(run.status).toBe("done");
  });

  test("[ST16 ST9] a story that had begun and depends on a failed one is blocked, and resumes later", () => {
    const adopted = [begun("US-1", 4, { state: "failed" }), begun("US-2", 2)];
    const run = new Driver(ralph(), { stories: ["US-1", storySpec("US-2", "US-1")], adopted });
    expect(run.storyStates()).toEqual({ "US-1": "failed", "US-2": "blocked" });
    run.retry();
    for (const number of ["005", "006", "007", "008", "009", "010"]) run.pass(`US-1/step-${number}`);
    run.pass("US-1/integrate");
    expect(run.states("US-2")).toMatchObject({ "step-002": "done", "step-003": "ready" });
  });

  test("[ST16 LI16] restarts of the earlier run count", () => {
    const adopted = [begun("US-1", 4, { restarts: 2 })];
    const run = new Driver(ralph(), { stories: ["US-1"], adopted });
    run.pass("US-1/step-005", asks(restart("step-005")));
    expect(run.step("US-1/step-005").state.status).toBe("ready");
    run.pass("US-1/step-005", asks(restart("step-005")));
    expect(run.step("US-1/step-005").state.status).toBe("failed");
  });

  test("[ST16 ST2] a plan does not replace stories that had begun", () => {
    const each = stories("each", [agent("code"), agent("verify")]);
    const chain = [step(1, "code", { state: "done", id: stepId("code") }), step(2, "verify", { id: stepId("verify") })];
    const adopted: AdoptedStory[] = [{ id: storyId("US-1"), status: "waiting", chain }];
    const run = new Driver(workflow([agent("plan"), each]), { stories: ["US-1", "US-2"], adopted });
    run.plan("plan", "US-1", "US-3");
    expect(run.storyStates()).toEqual({ "US-1": "running", "US-3": "waiting" });
    expect(run.states("US-1")).toEqual({ code: "done", verify: "ready" });
  });
});

describe("added later", () => {
  const open = (onStoryFailed: "stop" | "continue" = "continue") => {
    const each = stories("each", [agent("code", { onError: fail("broken") })], { onStoryFailed });
    const ship = agent("ship", { onError: fail("no net"), on: { rejected: atMost(1, backTo("each")) } });
    return new Driver(workflow([agent("prepare", { onError: fail("no tools") }), each, ship]), { stories: ["US-1"] });
  };

  test("[ST17 C44] to an open run: they wait for their turn; existing stories are unchanged", () => {
    const run = open();
    run.pass("prepare");
    run.must(run.adding("US-1", "US-2", { ...storySpec("US-3", "US-1"), priority: 1 }));
    expect(run.storyStates()).toEqual({ "US-1": "running", "US-2": "waiting", "US-3": "waiting" });
    run.pass("US-1/code");
    expect(run.storyStates()).toEqual({ "US-1": "done", "US-2": "waiting", "US-3": "running" });
  });

  test("[ST17] if a slot is free, they start at once", () => {
    const run = new Driver(ralph(), { stories: ["US-1"] });
    run.must(run.adding("US-2"));
    expect(run.slots()).toEqual({ "US-1": 1, "US-2": 2 });
  });

  test("[ST17] they wait until the stories step is reached", () => {
    const run = open();
    run.must(run.adding("US-2"));
    expect(run.storyStates()).toEqual({ "US-1": "waiting", "US-2": "waiting" });
  });

  test("[ST17 RU6] to a run whose stories failed: it continues with them and reports at the end what failed", () => {
    const run = open();
    run.pass("prepare");
    run.fails("US-1/code");
    expect(run.status).toBe("failed");
    run.must(run.adding("US-2", storySpec("US-3", "US-1")));
    expect(run.status).toBe("running");
    expect(run.storyStates()).toEqual({ "US-1": "failed", "US-2": "running", "US-3": "blocked" });
    run.pass("US-2/code");
    expect(run.run.header.end?.reason).toBe("story US-1 failed; blocked by it: US-3");
    run.retry();
    run.pass("US-1/code");
    run.pass("US-3/code");
    expect(run.states()).toMatchObject({ each: "done", ship: "ready" });
  });

  test("[ST17 ST8] if a failure stops the rest, they wait until it is retried", () => {
    const run = open("stop");
    run.pass("prepare");
    run.fails("US-1/code");
    run.must(run.adding("US-2"));
    expect(run.storyStates()).toEqual({ "US-1": "failed", "US-2": "waiting" });
    expect(run.status).toBe("failed");
    run.retry();
    run.pass("US-1/code");
    expect(run.storyStates()).toEqual({ "US-1": "done", "US-2": "running" });
  });

  test("[ST17 RU8] refused: nothing new, an unknown dependency, a run that is over, stories that are over", () => {
    const run = open();
    expect(run.refused(run.adding("US-1")).why).toBe("the run already has all of these stories");
    expect(run.refused(run.adding(storySpec("US-2", "US-9")))).toMatchObject({
      code: "unknown",
      why: "US-2 depends on US-9, which is not a story of the run",
    });
    run.pass("prepare");
    run.pass("US-1/code");
    expect(run.refused(run.adding("US-2")).why).toBe("the stories of this run are over; start a new run");
    run.fails("ship");
    expect(run.refused(run.adding("US-2")).why).toBe("the stories of this run are over; start a new run");
    run.retry();
    run.pass("ship");
    expect(run.refused(run.adding("US-2"))).toMatchObject({ code: "over" });
    const cancelled = open();
    cancelled.cancel();
    expect(cancelled.refused(cancelled.adding("US-2"))).toMatchObject({ code: "over" });
    const none = new Driver(workflow([agent("a")]));
    expect(none.refused(none.adding("US-1"))).toMatchObject({ code: "illegal" });
  });

  test("[ST17] a step that failed before the stories must be retried first", () => {
    const run = open();
    run.fails("prepare");
    expect(run.refused(run.adding("US-2")).why).toBe("prepare has failed; retry it first");
    run.retry();
    run.must(run.adding("US-2"));
  });

  test("[ST17] stories that are added together may depend on each other", () => {
    const run = new Driver(ralph(), { stories: ["US-1"] });
    run.must(run.adding(storySpec("US-3", "US-2"), "US-2"));
    expect(run.storyStates()).toEqual({ "US-1": "running", "US-3": "waiting", "US-2": "running" });
  });

  test("[ST22] stories that have not begun are replaced, dropped or counted as done; what has begun stays", () => {
    const run = new Driver(workflow([stories("each", [agent("code")])]), {
      stories: ["A", "B", "C", storySpec("D", "C")],
    });
    const change = { type: "add_stories", stories: [] } as const;
    const [a, b, c, d] = ["A", "B", "C", "D"].map(storyId) as [StoryId, StoryId, StoryId, StoryId];
    expect(run.refused({ ...change, dropped: [a] }).why).toBe("story A has begun, or is not in the run: it stays");
    expect(run.refused({ ...change, done: [a] })).toMatchObject({ code: "illegal" });
    expect(run.refused({ ...change, dropped: [c] }).why).toBe("D depends on C, which is not a story of the run");
    const other = { ...storySpec("B"), title: "other words", priority: 7 };
    run.must({ ...change, stories: [other], dropped: [b], done: [c] });
    expect(run.storyStates()).toEqual({ A: "running", C: "done", D: "waiting", B: "waiting" });
    expect(run.run.header.stories.at(-1)).toMatchObject({ title: "other words", priority: 7 });
    run.must({ ...change, dropped: [d] });
    run.fails("A/code");
    run.fails("A/code");
    run.fails("A/code");
    expect(run.status).toBe("failed");
    run.must({ ...change, dropped: [b] });
    expect([run.status, run.storyStates()]).toEqual(["failed", { A: "failed", C: "done" }]);
  });
});
