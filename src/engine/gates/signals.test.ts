// Signals: steps that wait for a program, and signals that come early, late, twice or wrong.

import { describe, expect, test } from "vitest";
import { Driver } from "../../../test/support/engine/driver.ts";
import { agent, ask, backTo, fail, next, signal, stories, workflow } from "../../../test/support/engine/workflow.ts";
import { storyId } from "../../domain/ids.ts";
import { why } from "../why.ts";

const send = (name: string, outputs: Record<string, string> = {}, of: string | null = null) =>
  ({ type: "receive_signal", signal: name, of: of === null ? null : storyId(of), outputs }) as const;

/** deploys, waits until the deployment is there, then tests it. */
const deployed = () =>
  new Driver(workflow([agent("deploy"), signal("wait", "deploy-done", ["url"]), agent("test", { produces: null })]));

describe("a step that waits for a signal", () => {
  test("[SG1 SG2] is held without a question to a person, and its signal brings its keys", () => {
    const run = deployed();
    run.pass("deploy");
    expect([run.states(), run.status]).toEqual([{ deploy: "done", wait: "held", test: "waiting" }, "held"]);
    expect(run.messages()).toEqual([]);
    const sentence = why(run.run, run.at, { orphans: new Set(), waitsFor: () => null, number: 3 });
    expect(sentence).toBe(
      "The run waits for the signal deploy-done (wait, for 0 s); send it with `pawl signal 3 deploy-done`.",
    );
    run.must(send("deploy-done", { url: "https://x.test", other: "is not declared" }), "user:ci");
    expect(run.states()).toEqual({ deploy: "done", wait: "done", test: "ready" });
    expect(run.context()).toEqual({ url: "https://x.test" });
  });

  test("[SG3] a signal that comes early is kept, used once and in order", () => {
    const run = deployed();
    run.must(send("deploy-done", { url: "first" }));
    run.must(send("deploy-done", { url: "second" }));
    expect(run.run.header.signals?.map(({ outputs }) => outputs["url"])).toEqual(["first", "second"]);
    run.pass("deploy");
    expect([run.states(), run.context()]).toEqual([{ deploy: "done", wait: "done", test: "ready" }, { url: "first" }]);
    expect(run.run.header.signals).toHaveLength(1);
  });

  test("[SG4] a name that nothing waits for, a missing key and a run that is over are refused", () => {
    const run = deployed();
    expect(run.refused(send("deploy-don", { url: "x" })).why).toBe(
      "no step of the run waits for the signal deploy-don; its steps wait for: deploy-done",
    );
    const missing = run.refused(send("deploy-done", { URL: "the key is url" }));
    expect([missing.code, missing.why]).toEqual([
      "illegal",
      "the signal deploy-done needs url, as keys of a JSON object",
    ]);
    expect(run.refused(send("deploy-done", { url: "x" }, "US-9")).why).toBe("there is no story US-9");
    const plain = new Driver(workflow([agent("a")]));
    expect(plain.refused(send("x")).why).toBe(
      "no step of the run waits for the signal x; its steps wait for no signal",
    );
    run.cancel();
    expect(run.refused(send("deploy-done", { url: "x" })).code).toBe("over");
  });

  test("[SG5] only its signal answers it, and no more than a thousand are kept", () => {
    const run = deployed();
    for (let sent = 0; sent < 1_000; sent += 1) run.must(send("deploy-done", { url: String(sent) }));
    expect(run.refused(send("deploy-done", { url: "one more" })).code).toBe("cap");
    const large = deployed();
    for (let sent = 0; sent < 16; sent += 1) large.must(send("deploy-done", { url: "x".repeat(65_536) }));
    expect(large.refused(send("deploy-done", { url: "x" })).code).toBe("cap");
    const waiting = deployed();
    waiting.pass("deploy");
    expect(waiting.refused(waiting.answering("wait", "received")).why).toContain("waits for the signal deploy-done");
    expect(waiting.states()).toMatchObject({ wait: "held" });
  });

  test("[SG6] takes its route when the signal does not come in time, and never before", () => {
    const late = (route = fail("no deployment")) => {
      const run = new Driver(workflow([agent("a"), signal("wait", "go", [], route), agent("b")]));
      run.pass("a");
      return run;
    };
    const run = late();
    expect(run.refused(run.expiring("wait")).why).toContain("has not reached its deadline");
    run.at += 2_000;
    run.must(run.expiring("wait"), "deadline");
    expect([run.status, run.step("wait").state]).toMatchObject(["failed", { reason: "no deployment" }]);
    const asks = late(ask({ wait_on: backTo("a"), without: next }));
    asks.at += 2_000;
    asks.must(asks.expiring("wait"), "deadline");
    expect(asks.messages("needs_you")).toHaveLength(1);
    asks.answer("wait", "without");
    expect(asks.states()).toMatchObject({ wait: "done", b: "ready" });
  });

  test("[SG7] going back voids what came, and the next visit waits again", () => {
    const again = { on: { rejected: { route: backTo("deploy"), limit: { atMost: 3, then: fail() } } } };
    const chain = [agent("deploy"), signal("wait", "go", ["url"]), agent("test", again)];
    const run = new Driver(workflow(chain));
    run.pass("deploy");
    run.must(send("go", { url: "old" }));
    run.reject("test");
    expect(run.context()).toEqual({});
    run.pass("deploy");
    expect(run.states()).toMatchObject({ wait: "held" });
    run.must(send("go", { url: "new" }));
    expect([run.states(), run.context()]).toMatchObject([{ test: "ready" }, { url: "new" }]);
  });
});

describe("signals of stories", () => {
  const each = () =>
    new Driver(
      workflow([agent("plan"), stories("all", [signal("wait", "go", ["n"]), agent("work")], { concurrency: 2 })]),
      {
        stories: ["US-1", "US-2", "US-3"],
      },
    );

  test("[SG3 SG8] each is for one story, also for one that has not begun", () => {
    const run = each();
    run.must(send("go", { n: "3" }, "US-3"));
    run.pass("plan");
    expect(run.status).toBe("held");
    run.must(send("go", { n: "2" }, "US-2"));
    expect([run.states("US-1"), run.states("US-2")]).toMatchObject([{ wait: "held" }, { work: "ready" }]);
    expect(run.context("US-2")).toEqual({ n: "2" });
    run.pass("US-2/work");
    expect(run.states("US-3")).toEqual({ wait: "done", work: "ready" });
    expect(run.refused(send("go", { n: "x" })).why).toBe(
      "no step of the run itself waits for the signal go: stories do, so name one with --story",
    );
    expect(run.refused(send("go", { n: "x" }, "US-2")).why).toBe("story US-2 is done");
  });
});
