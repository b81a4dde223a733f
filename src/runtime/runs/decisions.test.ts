// A workflow that grows at decisions, from outside: real files, a real tree and store, positions, fix chains, limits, questions.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  type DecisionsWorld,
  decidingToy,
  decisionsWorkflow,
  makeDecisionsWorld,
} from "../../../test/support/decisions-world.ts";
import type { Gate } from "../../domain/gate.ts";
import type { RunId } from "../../domain/ids.ts";
import { factsOf, withDefaults } from "../../protocols/complete-protocol.ts";
import { loadWorkflow } from "../../workflows/load.ts";
import { transition } from "../transition/transition.ts";
import { workspacePath } from "../trees/places.ts";
import { type Playbook, simulate } from "./simulate.ts";

async function openGates({ world }: DecisionsWorld, run: RunId): Promise<readonly Gate[]> {
  const whole = await world.run(run);
  const scopes = [whole.header, ...Object.values(whole.stories)];
  return scopes.flatMap(({ gates }) => gates).filter(({ state }) => state.status === "open");
}

async function answer(at: DecisionsWorld, run: RunId, option: string): Promise<void> {
  const [gate] = await openGates(at, run);
  if (!gate) throw new Error("nothing is asked");
  const { story, id, tree } = gate;
  const said = { at: at.parts.clock.now(), author: "user:ann", story, gate: id, option, note: "", tree };
  await transition(at.parts, run, { type: "answer_gate", ...said });
}

async function quiet({ parts }: DecisionsWorld, run: RunId): Promise<void> {
  await transition(parts, run, { type: "change_waits", at: parts.clock.now(), author: "user:ann", waits: "none" });
}

const failed = '{"passed": false}';
const red = "<testsuite><testcase name='a'><failure/></testcase></testsuite>";

describe("a workflow that grows at decisions", () => {
  test("[DE1 DE5 DE6 DE7 ST23 RD2 RD7 E46] goes through two milestones with a failed verification, a BLOCK and a red test on the way", async () => {
    const at = await makeDecisionsWorld({
      plan: ["M1-P1", "M2-P1"],
      verify: [failed, '{"passed": true}'],
      review: ['{"verdict": "BLOCK"}', '{"verdict": "WARN"}'],
      test: [red, "<testsuite><testcase name='a'/></testsuite>"],
    });
    const run = await at.begin("planned");
    await quiet(at, run);
    expect(await at.drive(run)).toBe("done");
    const stage = (story: string, ...steps: string[]) => steps.map((step) => `${story}/${step}`);
    expect(at.performed()).toEqual([
      "run/roadmap",
      ...stage("M1-P1", "plan", "execute", "verify"),
      ...stage("M1-P1", "debug", "plan-gaps", "execute", "verify", "review"),
      ...stage("M1-P1", "debug", "plan-gaps", "execute", "review", "test"),
      ...stage("M1-P1", "debug", "plan-gaps", "execute", "verify", "review", "test"),
      "run/audit",
      ...stage("M2-P1", "plan", "execute", "verify", "review", "test"),
      "run/audit",
    ]);
    const { stories } = (await at.world.run(run)).header;
    expect(stories.map(({ id, status }) => `${id} ${status}`)).toEqual(["M1-P1 done", "M2-P1 done"]);
  });

  test("[DE4 WT1 E9 E56] stops before each decision that waits, and one answer is enough for each", async () => {
    const at = await makeDecisionsWorld();
    const run = await at.begin("planned");
    const asked: string[] = [];
    for (let status = await at.drive(run); status === "held"; status = await at.drive(run)) {
      const [gate] = await openGates(at, run);
      asked.push(`${gate?.step} ${gate?.cause}`);
      await answer(at, run, "continue");
    }
    expect(asked).toEqual(["post-verify waits", "post-review waits", "post-test waits"]);
    expect(await at.world.status(run)).toBe("done");
  });

  test("[DE5 DE6 LI15 WF53 RT6 E38 E44] a phase that never converges stops and asks with the number of attempts; a person may go on", async () => {
    const at = await makeDecisionsWorld({ verify: [failed] });
    const run = await at.begin("planned");
    await quiet(at, run);
    expect(await at.drive(run)).toBe("held");
    const escalated =
      "post-verify: fix: limit of 2 reached, after 3 attempts of post-verify and 15 attempts in all in story M1-P1.";
    const [first] = await openGates(at, run);
    expect(first).toMatchObject({ question: "Max retries reached, and debug was run.", cause: "step" });
    expect(first?.feedback).toContain(escalated);
    expect(first?.feedback).toContain("results/M1-P1/verification.json at /passed (1:12)");
    // Nothing was mended: one debugging more, and the same question.
    await answer(at, run, "look-again");
    expect(await at.drive(run)).toBe("held");
    expect((await openGates(at, run))[0]?.feedback).toContain("after 4 attempts of post-verify");
    expect(at.performed().filter((line) => line.endsWith("/execute"))).toHaveLength(3);
    await answer(at, run, "accept");
    expect(await at.drive(run)).toBe("done");
  });

  test("[DE2 RD2 RD3 E63] a result that is missing asks with the file, and is read again when it is there", async () => {
    const at = await makeDecisionsWorld({ review: [""] });
    const run = await at.begin("planned");
    await quiet(at, run);
    expect(await at.drive(run)).toBe("held");
    const [gate] = await openGates(at, run);
    expect(gate?.feedback).toContain("results/M1-P1/review.json is empty");
    expect(Object.keys(gate?.options ?? {})).toEqual(["proceed", "fix", "again", "stop"]);
    const tree = workspacePath(at.parts, await at.world.run(run), null);
    writeFileSync(join(tree, "results/M1-P1/review.json"), '{"verdict": "pass"}');
    await answer(at, run, "again");
    expect(await at.drive(run)).toBe("done");
  });
});

describe("simulated", () => {
  const protocol = withDefaults(decidingToy);
  const { definition, problems } = loadWorkflow(decisionsWorkflow, "workflow.yml", [factsOf(protocol)], {
    plans: true,
  });

  test("[WF101 WF102 WF105 CM99] the workflow has no problem, and without a script every decision leads on", () => {
    expect(problems).toEqual([]);
    if (!definition) throw new Error("not loaded");
    const { status, events, run } = simulate(definition, "x", { play: "well" }, protocol);
    expect(status).toBe("done");
    expect(run.header.stories.map(({ status: of }) => of)).toEqual(["done", "done"]);
    expect(events.filter(({ type }) => type === "steps_inserted")).toEqual([]);
  });

  test("[CM16 DE2] a script answers decisions: a value, lines with stories, or something that is unknown", () => {
    if (!definition) throw new Error("not loaded");
    const fixes = ["fix", "fix", "POST_VERIFY: Proceed"];
    const say = (text: string) => ({ text, exit: 0 });
    const play: Playbook = ({ step }) => {
      if (step === "locate")
        return say(
          'LOCATE: phases\nSTORIES_JSON: [{"id":"P1","title":"P1","description":"d","acceptanceCriteria":["x"]}]',
        );
      if (step === "stand") return say("plan");
      if (step === "post-verify") return say(fixes.shift() ?? "proceed");
      if (step === "post-review") return say("perhaps");
      if (step === "post-test") return say("passed");
      return say(step === "post-milestone" ? "complete" : "STATUS: done");
    };
    const answers = [
      { step: "post-review", option: "continue" },
      { step: "post-review", option: "proceed" },
    ];
    const waits = ["continue", "continue", "continue"].map((option) => ({ step: "post-verify", option }));
    const all = [...waits, ...answers, { step: "post-test", option: "continue" }];
    const { status, run, unanswered } = simulate(definition, "x", { play, answers: all }, protocol);
    expect({ status, unanswered }).toEqual({ status: "done", unanswered: null });
    const gates = Object.values(run.stories).flatMap((story) => story.gates);
    expect(gates.map(({ question }) => question)).toContain(
      'post-review: the script says "perhaps". What does it say?',
    );
    expect(run.header.stories).toHaveLength(1);
  });
});
