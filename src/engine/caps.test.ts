// Caps that fit a plan, and caps that a person raises.

import { describe, expect, test } from "vitest";
import { Driver } from "../../test/support/engine/driver.ts";
import { agent, gate, integrate, stories, workflow } from "../../test/support/engine/workflow.ts";
import { defaultCaps } from "../domain/definition.ts";
import { plannedWork } from "./caps.ts";

const body = [...Array.from({ length: 10 }, (_, index) => agent(`s${index}`)), integrate()];
const ids = (count: number) => Array.from({ length: count }, (_, index) => `US-${index}`);
const prd = (count: number, caps = {}) =>
  new Driver(workflow([stories("each", body)], { caps: { ...defaultCaps, ...caps } }), { stories: ids(count) });

describe("a plan", () => {
  test("[LI20] a cap that nobody set leaves room for every story of a large plan", () => {
    const { caps } = prd(910).run.header;
    expect(plannedWork({ steps: [stories("each", body)] }, 910)).toEqual({ attempts: 10_010, steps: 10_011 });
    expect(caps).toEqual({ ...defaultCaps, attempts: 40_040, steps: 40_044 });
    expect(prd(20).run.header.caps).toEqual(defaultCaps);
  });

  test("[LI20] it grows with the plan, and one that was set stays", () => {
    const run = new Driver(workflow([agent("plan"), stories("each", body)]));
    run.plan("plan", ...ids(910));
    expect(run.run.header.caps.attempts).toBe(40_044);
    expect(prd(910, { attempts: 9_000 }).run.header.caps).toMatchObject({ attempts: 9_000, steps: 40_044 });
    const given = prd(910, { attempts: 10_000, given: ["attempts"] }).run.header.caps;
    expect(given).toMatchObject({ attempts: 10_000, steps: 40_044 });
  });
});

describe("a person", () => {
  const capped = (then: "fail" | "gate") => {
    const run = new Driver(workflow([agent("one"), agent("two")], { caps: { ...defaultCaps, attempts: 1, then } }));
    run.pass("one");
    run.must(run.starting("two"));
    return run;
  };

  test("[LI21 X37] raises a cap of a failed run, and a retry continues it", () => {
    const run = capped("fail");
    expect(run.status).toBe("failed");
    run.must({ type: "raise_caps", caps: { attempts: 5 } }, "user:ann");
    expect(run.status).toBe("failed");
    run.must({ type: "retry_run", story: null, step: null });
    run.pass("two");
    expect(run.status).toBe("done");
  });

  test("[LI21 LI11] raises the cap that a gate asks about; the answer then raises nothing more", () => {
    const run = capped("gate");
    run.must({ type: "raise_caps", caps: { attempts: 3 } }, "user:ann");
    run.answer("two", "continue");
    expect(run.run.header.caps.attempts).toBe(3);
    run.pass("two");
    expect(run.status).toBe("done");
  });

  test("[LI21] a cap is never lowered, and not raised to what is used already", () => {
    const run = new Driver(workflow([agent("one"), gate("ask")], { caps: { ...defaultCaps, attempts: 10 } }));
    const raise = (attempts: number) => ({ type: "raise_caps", caps: { attempts } }) as const;
    expect(run.refused(raise(10)).why).toBe("the cap on attempts is 10 already, and caps are only raised");
    expect(run.refused({ type: "raise_caps", caps: {} }).why).toBe("no cap is named");
    run.must({ type: "cancel_run", reason: "" });
    expect(run.refused(raise(20)).why).toBe("the run is cancelled");
  });
});
