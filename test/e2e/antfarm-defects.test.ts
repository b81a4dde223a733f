// Known defects of antfarm, each with its letter, and what Pawl does instead, seen through the commands that agents call.

import { expect, test } from "vitest";
import { expectCode, newSite, type Site, statuses, writeAt } from "../support/pawl.ts";
import { claim, complete, fail, peek, perform, tryClaim } from "../support/pulling.ts";
import { done, plan, story, writeScript } from "../support/scripts.ts";
import { until } from "../support/until.ts";
import { lineWorkflow, loopWorkflow, pairWorkflow } from "../support/workflows.ts";

async function begin(site: Site, workflow: string, task = "the task"): Promise<void> {
  const called = await site.pawl("run", writeAt(site, "workflow.yml", workflow), task, "--detach");
  expectCode(called, 0);
}

test("[antfarm F D E G] a plan counts completely or not at all, and only a clear verdict on a story counts for that story", async () => {
  const site = newSite();
  await begin(site, loopWorkflow);

  // F: the third story is invalid: nothing of the plan is kept, the planner gets the reason, and its next plan counts once.
  const broken = [story("S1"), story("S2"), { id: "S3", title: "no criteria", description: "x" }];
  await perform(site, "mini_planner", plan(broken));
  expect((await site.status()).stories).toEqual([]);
  const again = await perform(site, "mini_planner", plan([story("S1"), story("S2"), story("S3")]));
  expect(again.input).toContain("STORIES_JSON[2].acceptanceCriteria");
  expect(statuses((await site.status()).stories)).toBe("S1:running,S2:waiting,S3:waiting");

  // E: a verifier that says nothing about the story has not verified it, whatever STATUS an earlier step had.
  await perform(site, "mini_dev", `${done}\nCHANGES: one`);
  expect((await perform(site, "mini_ver", "It looks fine to me.")).reported).toMatchObject({
    outcome: "invalid_output",
  });
  expect(statuses((await site.status()).stories)).toMatch(/^S1:running,/);

  // D: a sentence between STATUS and ISSUES does not turn a rejection into a pass.
  await perform(site, "mini_ver", "STATUS: retry\nI had a closer look.\nISSUES:\n- no test");
  const sentBack = await perform(site, "mini_dev", `${done}\nCHANGES: one, with a test`);
  expect(sentBack).toMatchObject({ storyId: "S1" });
  expect(sentBack.input).toContain("FEEDBACK: [- no test]");
  await perform(site, "mini_ver", done);

  // G: the rejected story is sent back, not the one that was finished before it.
  await perform(site, "mini_dev", done);
  await perform(site, "mini_ver", "STATUS: retry\nISSUES: wrong colour");
  expect(statuses((await site.status()).stories)).toBe("S1:done,S2:running,S3:waiting");
  expect(await claim(site, "mini_dev")).toMatchObject({ storyId: "S2" });
});

test("[antfarm B Q R M] an answer is read as it was meant, an empty one is no answer, and agents cannot set the user's keys", async () => {
  const site = newSite();
  await begin(site, lineWorkflow, "Find the holes");

  // B: the agent said nothing, so the step is not done.
  const empty = await perform(site, "line_one", "");
  expect(empty.reported).toMatchObject({ outcome: "invalid_output", advanced: false });
  expect(statuses((await site.status()).steps)).toBe("a:ready,b:waiting,c:waiting");

  // Q: digits in keys, a bold STATUS. R: lines of a list are not keys. M: an agent cannot set TASK and REPO.
  const said = [
    "**STATUS:** done",
    "TASK: something else entirely",
    "REPO: /etc",
    "STEP2_RESULT: forty-two",
    "FINDINGS:",
    "SQL: injection in the search form",
    "XSS: in the title",
  ];
  await perform(site, "line_one", said.join("\n"));
  const { input } = await claim(site, "line_two");
  expect(input).toContain("FINDINGS=SQL: injection in the search form\nXSS: in the title");
  expect(input).toContain("STEP2=forty-two");
  expect(input).toContain("TASK=Find the holes REPO=");
  expect(input).not.toContain("/etc");
});

test("[X8 antfarm A I J] a rejection sends the work back, a report counts once, and a finished run stays finished", async () => {
  const site = newSite();
  await begin(site, lineWorkflow);
  const first = await perform(site, "line_one", `${done}\nCHANGES: one`);

  // I: a waiting step cannot be completed by its name, and a second answer starts nothing.
  expect(await site.pawl("step", "complete", "c", "STATUS: done")).toMatchObject({ code: 5 });
  expect(await complete(site, first, `${done}\nCHANGES: other`)).toMatchObject({ code: 6, accepted: false });
  expect(statuses((await site.status()).steps)).toBe("a:done,b:ready,c:waiting");

  // A: STATUS: retry in a step with retry_step sends the work back there with the reasons; the step does not pass.
  await perform(site, "line_two", done);
  await perform(site, "line_three", "STATUS: retry\nISSUES: half of it is missing");
  expect(statuses((await site.status()).steps)).toBe("a:ready,b:waiting,c:waiting");
  expect((await perform(site, "line_one", done)).input).toContain("FEEDBACK=[half of it is missing]");
  await perform(site, "line_two", done);
  const last = await perform(site, "line_three", done);
  expect(last.reported).toMatchObject({ advanced: true, runDone: true });

  // J: a failure reported after the end changes nothing.
  expect(await fail(site, last, "too late")).toMatchObject({ code: 6, accepted: false });
  expect((await site.status()).run.status).toBe("done");
});

test("[CM5 CM11 antfarm N J3 P] peek is accurate, a stopped run accepts no report, and `stop 1` stops run number 1", async () => {
  const site = newSite();
  await begin(site, loopWorkflow, "first");
  await begin(site, loopWorkflow, "second");

  // N: a step that only waits is not work.
  expect(await peek(site, "mini_pub")).toBe("NO_WORK");
  expect(await peek(site, "mini_planner")).toBe("HAS_WORK");

  // P: a number is a run's number, never the beginning of an id.
  await perform(site, "mini/planner", plan([story("S1")]));
  const claimed = await claim(site, "mini/dev");
  expect(await site.pawl("workflow", "stop", "1")).toMatchObject({ code: 0 });
  expect(await site.pawl("workflow", "stop", "12")).toMatchObject({ code: 5 });
  const { runs } = await site.json<{ runs: { number: number; status: string }[] }>(["runs"]);
  expect(runs.map(({ number, status }) => `${number}:${status}`)).toEqual(["2:running", "1:cancelled"]);

  // J3: no step of the stopped run becomes active again.
  const before = await site.status("1");
  expect(await complete(site, claimed, done)).toMatchObject({ code: 6, accepted: false });
  const after = await site.status("1");
  expect(after).toEqual(before);
  expect(statuses(after.steps)).toBe("plan:done,implement:cancelled,publish:cancelled");
  expect(await tryClaim(site, "mini_ver")).toBeNull();
});

test("[A24 antfarm L] a plan without stories fails the run with a reason instead of looping forever", async () => {
  const site = newSite();
  await begin(site, loopWorkflow);
  const { reported } = await perform(site, "mini_planner", `${done}\nSUMMARY: nothing to do`);
  expect(reported).toMatchObject({ runDone: false, runFailed: true });
  expect(await tryClaim(site, "mini_dev")).toBeNull();
  expect(await tryClaim(site, "mini_ver")).toBeNull();
  const { run, why } = await site.status();
  expect(run.status).toBe("failed");
  expect(why).toContain("planning did not produce STORIES_JSON");
});

test("[X32 antfarm S] a driver killed right after a completion loses nothing: resume continues with the next step", async () => {
  const site = newSite();
  const script = writeScript(site, {
    first: [{ run: ["echo x >> ../first-ran"], say: done }],
    second: [{ delay: 1_500, say: done }],
  });
  const driver = site.start("run", writeAt(site, "w.yml", pairWorkflow), "go", "--script", script, "--events");
  await until(() => driver.stdout().includes('"type":"step_done"'));
  driver.child.kill("SIGKILL");
  await driver.ended;
  const killed = await site.status();
  expect(killed.run.status).toBe("running");
  expect(killed.steps[0]).toMatchObject({ id: "first", status: "done", attempts: 1 });
  expect(killed.steps[1]?.status).toMatch(/^(ready|running)$/);

  expect(await site.pawl("resume", "1")).toMatchObject({ code: 0 });
  const resumed = await site.status();
  expect(statuses(resumed.steps)).toBe("first:done,second:done");
  expect(resumed.steps[0]?.attempts).toBe(1);
});
