// What stories said, read by the steps behind them by name.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Driver } from "../../../test/support/engine/driver.ts";
import { agent, atMost, backTo, gate, stories, storySpec, workflow } from "../../../test/support/engine/workflow.ts";
import { stepName } from "../../domain/ids.ts";
import { readSaidName, saidBy, saidValues } from "../../domain/said.ts";

const each = stories("review", [agent("look"), agent("again", { if: { key: "deep", values: ["yes"] } })]);
const verdicts = { step: stepName("review"), key: "verdict" };

function reviewed(collects: Record<string, readonly string[]> | null = { review: ["verdict", "notes"] }): Driver {
  const check = agent("check", { on: { rejected: atMost(2, backTo("review")) } });
  const definition = { ...workflow([each, check, gate("ask")]), ...(collects && { collects }) };
  const run = new Driver(definition, { stories: ["US-1", storySpec("US-2", "US-1")] });
  run.pass("US-1/look", { outputs: { verdict: "approved", notes: "fine\nreally" } });
  run.pass("US-2/look", { outputs: { verdict: "rejected", secret: "x" } });
  return run;
}

describe("what a story said", () => {
  test("[OU11] is kept with its entry when it is done: the keys that a later step names, and no other", () => {
    const run = reviewed();
    expect(run.run.header.stories.map(({ said }) => said)).toEqual([
      { of: "review", values: { verdict: "approved", notes: "fine\nreally" } },
      { of: "review", values: { verdict: "rejected" } },
    ]);
    expect(reviewed(null).run.header.stories[0]).not.toHaveProperty("said");
  });

  test("[OU11] a value has at most 16 KiB", () => {
    const run = new Driver({ ...workflow([each]), collects: { [verdicts.step]: ["verdict"] } }, { stories: ["US-1"] });
    run.pass("US-1/look", { outputs: { verdict: "ä".repeat(20_000) } });
    const [said] = saidBy(run.run.header, verdicts);
    expect(new TextEncoder().encode(said?.value ?? "").length).toBeLessThanOrEqual(16 * 1024);
  });

  test("[OU12] is read by story and for all, one a line with its name; who said nothing has no line", () => {
    const { header } = reviewed().run;
    expect(saidValues(header)).toEqual({
      "review.*.verdict": "US-1: approved\nUS-2: rejected",
      "review.us-1.verdict": "approved",
      "review.us-2.verdict": "rejected",
      "review.*.notes": "US-1: fine\n  really",
      "review.us-1.notes": "fine\nreally",
    });
    expect(saidBy(header, { ...verdicts, key: "notes" })).toEqual([
      { story: "US-1", value: "fine\nreally" },
      { story: "US-2", value: null },
    ]);
  });

  test("[OU12 GA16] the question of a gate may name it", () => {
    const asks = { ...gate("ask"), question: "{{review.*.verdict}} - {{review.US-2.verdict}}?" };
    const definition = { ...workflow([each, asks]), collects: { [verdicts.step]: ["verdict"] } };
    const run = new Driver(definition, { stories: ["US-1", storySpec("US-2", "US-1")] });
    run.pass("US-1/look", { outputs: { verdict: "approved" } });
    run.pass("US-2/look", { outputs: { verdict: "rejected" } });
    expect(run.openGate("ask").question).toBe("US-1: approved\nUS-2: rejected - rejected?");
  });

  test("[OU12 ST10] stays when the work is sent back; the new story adds its own, and one done elsewhere has said nothing", () => {
    const run = reviewed();
    run.reject("check", "once more");
    run.pass("FIX-1/look", { outputs: { verdict: "approved" } });
    expect(saidBy(run.run.header, verdicts).map(({ value }) => value)).toEqual(["approved", "rejected", "approved"]);
    const adopted = new Driver(
      { ...workflow([each, gate("ask")]), collects: { [verdicts.step]: ["verdict"] } },
      { stories: ["US-1"], adopted: [{ id: storySpec("US-1").id, status: "done", chain: [] }] },
    );
    expect(saidBy(adopted.run.header, verdicts)).toEqual([{ story: "US-1", value: null }]);
  });

  test("[OU12] a name is read whatever points its parts have, and reading is total", () => {
    const steps = [stepName("re.view"), stepName("review")];
    expect(readSaidName("re.view.US-1.2.Key", steps)).toEqual({ step: "re.view", by: "US-1.2", key: "key" });
    expect(readSaidName("review.*.key", steps)).toEqual({ step: "review", by: "*", key: "key" });
    for (const text of ["review", "review.key", "other.*.key", ""]) expect(readSaidName(text, steps)).toBeNull();
    fc.assert(fc.property(fc.string(), (text) => void readSaidName(`review.${text}`, steps)));
  });
});
