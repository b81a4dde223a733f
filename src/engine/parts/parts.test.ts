import { describe, expect, test } from "vitest";
import { Driver } from "../../../test/support/engine/driver.ts";
import { rejected, unfinished } from "../../../test/support/engine/reports.ts";
import {
  again,
  agent,
  ask,
  atMost,
  backTo,
  fail,
  next,
  stories,
  withParts,
  withWriters,
  workflow,
} from "../../../test/support/engine/workflow.ts";
import { partName, stepName, storyId } from "../../domain/ids.ts";
import type { PartsDefinition } from "../../domain/part.ts";
import { saidBy, saidValues } from "../../domain/said.ts";
import { why } from "../why.ts";
import { opensParts } from "./opening.ts";

const names = ["security", "speed", "style"];
const review = (how: Partial<Omit<PartsDefinition, "of">> = {}, options: Parameters<typeof agent>[1] = {}) =>
  withParts(agent("review", options), names, how);
const reviewed = (how?: Partial<Omit<PartsDefinition, "of">>, options?: Parameters<typeof agent>[1]) =>
  new Driver(workflow([agent("build"), review(how, options), agent("ship")]));

function atReview(how?: Partial<Omit<PartsDefinition, "of">>, options?: Parameters<typeof agent>[1]): Driver {
  const run = reviewed(how, options);
  run.pass("build");
  return run;
}

/** The processes of a stopped attempt are gone. */
function ends(run: Driver, place: string): void {
  const attempt = run.attempts(place).find(({ state }) => state.phase === "stopping");
  if (!attempt) throw new Error(`nothing is being stopped at ${place}`);
  run.must(run.finishing(attempt, unfinished("cancelled"), null), "driver");
}

describe("parts of a step", () => {
  test("[PT1 PT3 AT1] are all ready at once, each with attempts of its own, and the step is done when each has passed", () => {
    const run = atReview();
    expect(run.states()).toEqual({ build: "done", review: "running", ship: "waiting" });
    for (const name of names) run.claim(`review#${name}`);
    expect(run.parts("review")).toEqual({ security: "running", speed: "running", style: "running" });
    expect(run.attempts("review").map(({ part, number }) => [part, number])).toEqual(names.map((name) => [name, 1]));
    run.pass("review#style");
    run.pass("review#security");
    expect(run.state("review")).toBe("running");
    run.pass("review#speed");
    expect(run.states()).toEqual({ build: "done", review: "done", ship: "ready" });
    expect(run.happened("parts_ended")).toMatchObject([{ verdict: { kind: "passed" }, taken: { to: "next" } }]);
  });

  test("[PT2 AT2 AT5] a part has one attempt at a time, and a part that is not there has none", () => {
    const run = atReview();
    run.claim("review#style");
    expect(run.refused(run.starting("review#style"))).toMatchObject({ code: "illegal" });
    expect(run.refused(run.starting("review#other"))).toMatchObject({ code: "unknown" });
    expect(run.refused(run.starting("review"))).toMatchObject({ code: "illegal" });
  });

  test("[PT4] only the part that failed, timed out or cannot be read is repeated, and each counts for itself", () => {
    const run = atReview();
    run.pass("review#security");
    run.fails("review#speed");
    run.finish("review#speed", unfinished("timed_out"));
    run.finish("review#style", unfinished("invalid_output"));
    run.fails("review#style");
    expect(run.parts("review")).toEqual({ security: "passed", speed: "ready", style: "ready" });
    expect(run.attempts("review#security")).toHaveLength(1);
    run.pass("review#speed");
    run.pass("review#style");
    expect(run.state("review")).toBe("done");
  });

  test("[PT4 AT10] a part that is lost is repeated alone, and one that is rate-limited waits until its time", () => {
    const run = atReview();
    for (const name of names) run.claim(`review#${name}`);
    run.lose("review#speed");
    run.finish("review#style", unfinished("rate_limited", "quota", { retryAt: run.at + 5_000 }));
    expect(run.parts("review")).toEqual({ security: "running", speed: "ready", style: "ready" });
    expect(run.refused(run.starting("review#style"))).toMatchObject({ why: "step review (style) is not due yet" });
    run.claim("review#speed");
    expect(run.attempts("review#speed").map(({ number }) => number)).toEqual([1, 2]);
  });

  test("[PT5] a no of one part is its last word: it is not repeated, and the step rejects with what was said, by name", () => {
    const run = atReview({}, { on: { rejected: atMost(2, backTo("build")) } });
    run.reject("review#speed", "too slow");
    expect(run.refused(run.starting("review#speed"))).toMatchObject({
      why: "step review (speed) is rejected, not ready",
    });
    run.pass("review#security");
    run.reject("review#style", "no tabs");
    expect(run.states()).toEqual({ build: "ready", review: "waiting", ship: "waiting" });
    expect(run.step("build").feedback).toBe("speed: too slow\n\nstyle: no tabs");
    expect(run.attempts("review#speed")).toHaveLength(1);
  });

  test("[PT5] the reason of a rejection counts if all that said no gave the same one", () => {
    const on = { "rejected:unsafe": backTo("build"), rejected: fail("no") };
    const same = atReview({}, { on });
    same.reject("review#security", "a", "unsafe");
    same.pass("review#speed");
    same.reject("review#style", "b", "unsafe");
    expect(same.state("build")).toBe("ready");
    const mixed = atReview({}, { on });
    mixed.reject("review#security", "a", "unsafe");
    mixed.pass("review#speed");
    mixed.reject("review#style", "b");
    expect(mixed.status).toBe("failed");
  });

  test("[PT6] `need: 2` of 3 passes whatever the third said; without enough that pass, a no rejects", () => {
    const run = atReview({ need: 2 });
    run.pass("review#security");
    run.reject("review#speed", "too slow");
    expect(run.state("review")).toBe("running");
    run.pass("review#style");
    expect(run.state("review")).toBe("done");
    const refused = atReview({ need: 2 }, { on: { rejected: backTo("build") } });
    refused.reject("review#security", "no");
    refused.reject("review#speed", "no");
    refused.pass("review#style");
    expect(refused.state("build")).toBe("ready");
  });

  test("[PT7] `others: stop` stops the rest once the verdict is known, and the step goes on when they have ended", () => {
    const run = atReview({ need: 1, others: "stop" });
    run.claim("review#security");
    run.claim("review#speed");
    run.pass("review#speed");
    expect(run.parts("review")).toEqual({ security: "running", speed: "passed", style: "stopped" });
    expect(run.effects.filter(({ type }) => type === "stop_attempt")).toHaveLength(1);
    expect(run.state("ship")).toBe("waiting");
    ends(run, "review#security");
    expect(run.parts("review")).toEqual({ security: "stopped", speed: "passed", style: "stopped" });
    expect(run.state("ship")).toBe("ready");
  });

  test("[PT7] a verdict that cannot come any more stops the rest, too; with `finish` they end", () => {
    const stopping = atReview({ others: "stop" }, { on: { rejected: backTo("build") } });
    stopping.claim("review#security");
    stopping.reject("review#speed", "no");
    ends(stopping, "review#security");
    expect(stopping.state("build")).toBe("ready");
    const finishing = atReview({ need: 1 });
    finishing.pass("review#speed");
    expect(finishing.parts("review")).toEqual({ security: "ready", speed: "passed", style: "ready" });
  });

  test("[PT8] a part whose errors are used up has failed: it counts as no, and where nobody said no the step fails", () => {
    const run = atReview({ need: 2 });
    run.pass("review#security");
    for (let times = 0; times < 3; times += 1) run.fails("review#speed", "exit 1");
    expect(run.parts("review")["speed"]).toBe("failed");
    run.pass("review#style");
    expect(run.state("review")).toBe("done");
    const failing = atReview();
    failing.pass("review#security");
    failing.pass("review#style");
    for (let times = 0; times < 3; times += 1) failing.fails("review#speed", "exit 1");
    expect(failing.status).toBe("failed");
    expect(failing.run.header.end?.reason).toContain("2 of 3 parts passed, and all must; speed failed");
  });

  test("[PT9] a retry repeats the parts that failed, and no other", () => {
    const run = atReview();
    run.pass("review#security");
    run.pass("review#style");
    for (let times = 0; times < 3; times += 1) run.fails("review#speed", "exit 1");
    run.retry();
    expect(run.parts("review")).toEqual({ security: "passed", speed: "ready", style: "passed" });
    run.pass("review#speed");
    expect(run.state("ship")).toBe("ready");
    expect(run.attempts("review#security")).toHaveLength(1);
  });

  test("[PT10] the limits of the step count its rounds, and those of a part its own errors", () => {
    const run = atReview({}, { on: { rejected: atMost(1, backTo("build")) } });
    run.fails("review#style");
    for (const round of [1, 2]) {
      run.pass("review#security");
      run.pass("review#style");
      run.reject("review#speed", `no ${round}`);
      if (round === 1) run.pass("build");
    }
    expect(run.status).toBe("failed");
    expect(run.run.header.end?.reason).toContain("limit reached");
  });

  test("[PT11] going back opens all parts afresh and voids what they said", () => {
    const says = { ...review({}, { on: { rejected: backTo("build") } }), produces: ["verdict"] };
    const definition = { ...workflow([agent("build"), says]), collects: { [stepName("review")]: ["verdict"] } };
    const run = new Driver(definition);
    run.pass("build");
    run.pass("review#security", { outputs: { verdict: "approve" } });
    run.pass("review#style", { outputs: { verdict: "approve" } });
    expect(saidValues(run.run.header)).toMatchObject({ "review.security.verdict": "approve" });
    expect(run.context()).not.toHaveProperty("verdict");
    run.reject("review#speed", "no");
    expect(saidValues(run.run.header)).toEqual({});
    run.pass("build");
    expect(run.parts("review")).toEqual({ security: "ready", speed: "ready", style: "ready" });
    expect(run.step("review").visit).toBe(2);
  });

  test("[PT12 OU12] what parts said is read by name: each, all in one list, and in votes; a part that was stopped is none of them", () => {
    const says = { ...review({ need: 2, others: "stop" }), produces: ["verdict"] };
    const definition = { ...workflow([says, agent("ship")]), collects: { [stepName("review")]: ["verdict"] } };
    const run = new Driver(definition);
    run.pass("review#security", { outputs: { verdict: "approve", other: "x" } });
    run.pass("review#style", { outputs: { verdict: "reject" } });
    expect(saidValues(run.run.header)).toEqual({
      "review.*.verdict": "security: approve\nstyle: reject",
      "review.security.verdict": "approve",
      "review.style.verdict": "reject",
    });
    expect(saidBy(run.run.header, { step: stepName("review"), key: "verdict" })).toEqual([
      { part: "security", value: "approve" },
      { part: "style", value: "reject" },
    ]);
  });

  test("[PT12 IF6] a condition over what parts said decides whether a step runs", () => {
    const says = { ...review(), produces: ["verdict"] };
    const of = { step: stepName("review"), key: "verdict" };
    const fix = { ...agent("fix"), if: { vote: "any", of, values: ["reject"] } as const };
    const run = new Driver({ ...workflow([says, fix, agent("ship")]), collects: { [of.step]: ["verdict"] } });
    for (const name of names) run.pass(`review#${name}`, { outputs: { verdict: "approve" } });
    expect(run.states()).toEqual({ review: "done", fix: "skipped", ship: "ready" });
  });

  test("[PT13] the parts of a list in the context are those that it names when the chain gets there", () => {
    const each: PartsDefinition = { of: { each: "modules" }, need: "all", others: "finish" };
    const definition = workflow([agent("plan"), { ...agent("look"), access: "read", parts: each }]);
    const lines = new Driver(definition);
    lines.pass("plan", { outputs: { modules: "- api\n- web\n" } });
    expect(lines.parts("look")).toEqual({ api: "ready", web: "ready" });
    const json = new Driver(definition);
    json.pass("plan", { outputs: { modules: '["a", "b", "c"]' } });
    expect(json.parts("look")).toEqual({ a: "ready", b: "ready", c: "ready" });
  });

  test.each([
    ["", "the list is empty"],
    ["a\nb\nA", 'two parts have the name "A"'],
    ["../x", '"../x" cannot be the name of a part'],
    ['[1, {"a": 2}]', "cannot be the name of a part"],
    [
      Array.from({ length: 10_000 }, (_, index) => `p${index}`).join("\n"),
      "has 10000 names, and a step has at most 100",
    ],
  ])("[PT13] a list that cannot be used fails the step, in words: %#", (modules, reason) => {
    const each: PartsDefinition = { of: { each: "modules" }, need: "all", others: "finish" };
    const run = new Driver(workflow([agent("plan"), { ...agent("look"), parts: each }]));
    run.pass("plan", { outputs: { modules } });
    expect(run.status).toBe("failed");
    expect(run.run.header.end?.reason).toContain(reason);
  });

  test("[PT14] a question about one part holds that part alone; the answer is for it", () => {
    const run = atReview({}, { onError: ask({ again, leave: next, stop: fail("stopped") }) });
    run.fails("review#speed", "exit 1");
    run.claim("review#style");
    expect(run.parts("review")).toEqual({ security: "ready", speed: "held", style: "running" });
    expect(run.status).toBe("running");
    run.pass("review#style");
    run.pass("review#security");
    expect(run.status).toBe("held");
    expect(why(run.run, run.at)).toContain("review.speed: ");
    run.answer("review#speed", "again", { note: "use the cache" });
    expect(run.parts("review")["speed"]).toBe("ready");
    expect(run.step("review").parts?.[1]?.feedback).toContain("use the cache");
    run.fails("review#speed", "exit 1");
    run.answer("review#speed", "leave");
    expect(run.parts("review")["speed"]).toBe("stopped");
    expect(run.state("review")).toBe("done");
  });

  test("[PT15] a person stops one part: it is asked about, and the others go on", () => {
    const run = atReview();
    run.claim("review#speed");
    run.must(run.stopping("review#speed"));
    ends(run, "review#speed");
    expect(run.parts("review")).toEqual({ security: "ready", speed: "held", style: "ready" });
    expect(run.openGate("review#speed").question).toBe("review (speed) was stopped. Start it again?");
  });

  test("[PT15] a cancelled run stops every part, and the step is cancelled with the last of them", () => {
    const run = atReview();
    run.claim("review#speed");
    run.claim("review#style");
    run.cancel();
    ends(run, "review#speed");
    expect(run.state("review")).toBe("running");
    ends(run, "review#style");
    expect(run.states()).toEqual({ build: "done", review: "cancelled", ship: "cancelled" });
  });

  test("[PT16] a step of a story has parts as well; the story waits for a person only when none of them moves", () => {
    const each = stories("each", [agent("code"), review({}, { onError: ask({ again, stop: fail("") }) })]);
    const run = new Driver(workflow([each]), { stories: ["US-1"] });
    run.pass("US-1/code");
    run.fails("US-1/review#speed");
    expect(run.storyStates()).toEqual({ "US-1": "running" });
    run.pass("US-1/review#security");
    run.pass("US-1/review#style");
    expect(run.storyStates()).toEqual({ "US-1": "held" });
    run.answer("US-1/review#speed", "again");
    run.pass("US-1/review#speed");
    expect(run.status).toBe("done");
  });

  test("[PT3 WT1] a step that asks before it starts asks once for all of its parts", () => {
    const run = new Driver(workflow([{ ...review(), waits: true }]));
    expect(run.openGate("review").cause).toBe("waits");
    run.answer("review", "continue");
    expect(run.parts("review")).toEqual({ security: "ready", speed: "ready", style: "ready" });
  });

  test("[PT17] at a cap of the run a part fails or asks, and the others end first", () => {
    const run = new Driver(workflow([review()], { caps: { attempts: 2 } }));
    run.claim("review#security");
    run.claim("review#speed");
    run.must(run.starting("review#style"));
    expect(run.parts("review")["style"]).toBe("failed");
    expect(run.status).toBe("running");
    run.pass("review#security");
    run.pass("review#speed");
    expect(run.run.header.end?.reason).toContain("style failed: the run has used its 2 attempts");
  });

  test("[PT21] where parts are rejected alone, a part that says no takes the rule of its step for itself; the others keep their ends", () => {
    const on = { rejected: ask({ again, stop: fail("stopped") }) };
    const run = atReview({ rejected: "alone" }, { on });
    run.pass("review#security");
    run.reject("review#speed", "no network");
    expect(run.parts("review")).toEqual({ security: "passed", speed: "held", style: "ready" });
    expect(run.happened("gate_opened")).toMatchObject([{ gate: { part: "speed", feedback: "no network" } }]);
    run.pass("review#style");
    run.answer("review#speed", "again");
    expect(run.state("review")).toBe("running");
    run.pass("review#speed");
    expect(run.states()).toEqual({ build: "done", review: "done", ship: "ready" });
    expect(run.attempts("review#security")).toHaveLength(1);
  });

  test("[PT21] each part counts its own, and fails when its limit is used up; no other verdict is asked of the step", () => {
    const run = atReview({ rejected: "alone" }, { on: { rejected: atMost(1, again, fail("still not done")) } });
    run.reject("review#speed");
    run.reject("review#style");
    expect(run.parts("review")).toEqual({ security: "ready", speed: "ready", style: "ready" });
    run.reject("review#speed", "no network");
    expect(run.parts("review")).toMatchObject({ speed: "failed", style: "ready" });
    run.pass("review#security");
    run.pass("review#style");
    expect(run.state("review")).toBe("failed");
    expect(why(run.run, run.at)).toContain("no network");
  });

  const ifTeam = { if: { key: "mode", values: ["team"] } };

  test("[PT22] parts with a condition: where it does not hold, the step is performed as a whole", () => {
    const whole = reviewed(ifTeam, { on: { rejected: again } });
    whole.pass("build", { outputs: { mode: "single" } });
    expect(whole.state("review")).toBe("ready");
    expect(whole.parts("review")).toEqual({});
    expect(whole.refused(whole.starting("review#speed"))).toMatchObject({ code: "unknown" });
    whole.reject("review", "no");
    whole.pass("review");
    expect(whole.states()).toEqual({ build: "done", review: "done", ship: "ready" });
    const nothingSaid = atReview(ifTeam);
    expect(nothingSaid.state("review")).toBe("ready");
  });

  test("[PT22] where it holds, the parts open, and a repetition in that visit is one of parts", () => {
    const run = reviewed(ifTeam, { on: { rejected: atMost(3, again) } });
    run.pass("build", { outputs: { mode: "Team" } });
    expect(run.parts("review")).toEqual({ security: "ready", speed: "ready", style: "ready" });
    for (const name of names) run.reject(`review#${name}`, "no");
    expect(run.parts("review")).toEqual({ security: "ready", speed: "ready", style: "ready" });
  });

  test("[PT22] a step with open parts stays with them in that visit, whatever the key has meanwhile", () => {
    const run = reviewed(ifTeam);
    run.pass("build", { outputs: { mode: "team" } });
    const step = run.step("review");
    const { parts: _parts, ...fresh } = step;
    const { header } = run.run;
    const changed = { ...run.run, header: { ...header, context: { mode: "single" } } };
    const { parts } = review(ifTeam);
    if (parts === undefined) throw new Error("no parts");
    expect([opensParts(changed, null, step, parts), opensParts(changed, null, fresh, parts)]).toEqual([true, false]);
  });

  test("[PT22 PT11] going back asks again: a step that had parts may be a whole in its next visit", () => {
    const run = reviewed(ifTeam, { on: { rejected: atMost(3, backTo("build")) } });
    run.pass("build", { outputs: { mode: "team" } });
    for (const name of names) run.reject(`review#${name}`, "no");
    run.pass("build", { outputs: { mode: "single" } });
    expect([run.state("review"), run.step("review").parts]).toEqual(["ready", undefined]);
    run.pass("review");
    expect(run.state("ship")).toBe("ready");
  });

  const inTeam = (id: string) => ({
    id: storyId(id),
    title: id,
    description: "",
    acceptanceCriteria: [],
    dependsOn: [],
    context: { mode: "team" },
  });

  test("[PT23] a story has keys of its context from the start; what its own steps say counts more", () => {
    const body = [agent("plan"), withParts(agent("code"), ["a", "b"], ifTeam)];
    const run = new Driver(workflow([stories("each", body, { concurrency: 2 })]), {
      stories: [inTeam("US-1"), "US-2", inTeam("US-3")],
    });
    run.pass("US-1/plan");
    run.pass("US-2/plan");
    expect([run.parts("US-1/code"), run.state("US-2/code")]).toEqual([{ a: "ready", b: "ready" }, "ready"]);
    run.pass("US-2/code");
    run.pass("US-3/plan", { outputs: { mode: "single" } });
    expect(run.state("US-3/code")).toBe("ready");
  });

  test("[PT14] a question about a part offers only what a part can do", () => {
    const then = ask({ retry: again, build: backTo("build"), skip: next, abort: fail("no") });
    const run = atReview({}, { budget: { atMost: 0, errors: true, then }, onError: again });
    run.fails("review#speed");
    expect(Object.keys(run.openGate("review#speed").options)).toEqual(["retry", "skip", "abort"]);
  });
});

describe("parts that change files", () => {
  const names = ["api", "web", "docs"];
  const build = (how: Partial<Omit<PartsDefinition, "of">> = {}, options: Parameters<typeof agent>[1] = {}) =>
    new Driver(workflow([withWriters(agent("build", options), names, how), agent("ship")]));
  const conflict = (run: Driver, part: string) => {
    const said = { conflict: { part: partName(part), files: ["a.txt"] } };
    run.finish("build#join", rejected(`${part} changed a.txt, too`, "conflict", said));
  };

  test("[PT18] are joined once all of them have ended, and only then the step passes", () => {
    const run = build();
    run.pass("build#web");
    run.pass("build#api");
    expect(run.parts("build")).toEqual({ api: "passed", web: "passed", docs: "ready" });
    run.pass("build#docs");
    expect(run.parts("build")).toEqual({ api: "passed", web: "passed", docs: "passed", join: "ready" });
    expect(run.state("build")).toBe("running");
    run.pass("build#join");
    expect(run.states()).toEqual({ build: "done", ship: "ready" });
  });

  test("[PT18] steps whose parts only read join nothing", () => {
    const run = new Driver(workflow([withParts(agent("look"), names)]));
    for (const name of names) run.pass(`look#${name}`);
    expect(run.status).toBe("done");
  });

  test("[PT18] what passed is joined also where the step says no: its work stays, as that of a step does", () => {
    const run = build({}, { on: { rejected: next } });
    run.pass("build#api");
    run.reject("build#web", "no");
    run.reject("build#docs", "no");
    run.pass("build#join");
    expect(run.states()).toEqual({ build: "done", ship: "ready" });
    expect(run.step("ship").feedback).toContain("web: no");
  });

  test("[PT18] where no part that writes has passed, nothing is joined", () => {
    const run = build();
    for (const name of names) run.reject(`build#${name}`, "no");
    expect(run.status).toBe("failed");
    expect(run.attempts("build#join")).toHaveLength(0);
  });

  test("[PT19] a conflict sends the later part back, alone, and what it said is void; then all is joined again", () => {
    const run = build();
    for (const name of names) run.pass(`build#${name}`);
    conflict(run, "web");
    expect(run.parts("build")).toEqual({ api: "passed", web: "ready", docs: "passed" });
    expect(run.step("build").parts?.[1]?.feedback).toContain("web changed a.txt, too");
    run.pass("build#web");
    run.pass("build#join");
    expect(run.state("build")).toBe("done");
    expect(run.attempts("build#api")).toHaveLength(1);
    expect(run.attempts("build#web")).toHaveLength(2);
  });

  test("[PT19] a part that is sent back and says no then counts as a no", () => {
    const run = build();
    for (const name of names) run.pass(`build#${name}`);
    conflict(run, "web");
    run.reject("build#web", "it cannot be done on top of api");
    run.pass("build#join");
    expect(run.run.header.end?.reason).toContain("it cannot be done on top of api");
  });

  test("[PT19] a join that always finds a conflict ends as a no", () => {
    const run = build();
    for (const name of names) run.pass(`build#${name}`);
    for (let times = 0; times < names.length; times += 1) {
      conflict(run, "web");
      run.pass("build#web");
    }
    conflict(run, "web");
    expect(run.status).toBe("failed");
    expect(run.run.header.end?.reason).toContain("web changed a.txt, too");
  });

  test("[PT19] a conflict of a part that is not there, or has not passed, sends nobody back", () => {
    for (const name of ["nobody", "docs"]) {
      const run = build({ need: 2 });
      run.pass("build#api");
      run.pass("build#web");
      run.reject("build#docs", "no");
      conflict(run, name);
      expect(run.status).toBe("failed");
    }
  });

  test("[PT20] red checks of the joined work are a no of the step, for the reason `checks`", () => {
    const run = build({}, { on: { "rejected:checks": next, rejected: fail("") } });
    for (const name of names) run.pass(`build#${name}`);
    run.finish("build#join", rejected("A check is red.", "checks"));
    expect(run.states()).toEqual({ build: "done", ship: "ready" });
  });

  test("[PT9 PT18] a retry after a join that failed keeps the parts and joins again", () => {
    const run = build();
    for (const name of names) run.pass(`build#${name}`);
    for (let times = 0; times < 3; times += 1) run.fails("build#join", "the disk is full");
    expect(run.run.header.end?.reason).toContain("join failed: ");
    run.retry();
    expect(run.parts("build")).toEqual({ api: "passed", web: "passed", docs: "passed", join: "ready" });
    run.pass("build#join");
    expect(run.state("build")).toBe("done");
  });

  test("[PT7 PT18] with `first`, what the first one did is joined, and the others are stopped", () => {
    const run = build({ need: 1, others: "stop" });
    run.claim("build#api");
    run.pass("build#web");
    expect(run.parts("build")).toEqual({ api: "running", web: "passed", docs: "stopped" });
    ends(run, "build#api");
    expect(run.parts("build")).toEqual({ api: "stopped", web: "passed", docs: "stopped", join: "ready" });
    run.pass("build#join");
    expect(run.state("build")).toBe("done");
  });

  test("[PT12 PT18] the join says nothing: lists and votes have the parts alone", () => {
    const says = { ...withWriters(agent("build"), names), produces: ["verdict"] };
    const run = new Driver({ ...workflow([says]), collects: { [stepName("build")]: ["verdict"] } });
    for (const name of names) run.pass(`build#${name}`, { outputs: { verdict: "ok" } });
    run.claim("build#join");
    expect(saidBy(run.run.header, { step: stepName("build"), key: "verdict" })).toHaveLength(3);
  });

  test("[PT13 PT18] a list that names a part `join` is refused, because what joins has this name", () => {
    const each: PartsDefinition = { of: { each: "modules" }, need: "all", others: "finish" };
    const run = new Driver(workflow([agent("plan"), { ...agent("build"), parts: each }]));
    run.pass("plan", { outputs: { modules: "api\nJoin" } });
    expect(run.run.header.end?.reason).toContain('"join" is the part that joins');
  });
});
