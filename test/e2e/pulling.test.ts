// Agents that pull: what each call of claim, complete and fail does to steps and stories.

import { expect, test } from "vitest";
import { expectCode, newSite, pawl, type Site, statuses, writeAt } from "../support/pawl.ts";
import { claim, complete, fail, perform, tryClaim } from "../support/pulling.ts";
import { done, plan, story } from "../support/scripts.ts";
import { lineWorkflow, loopWorkflow } from "../support/workflows.ts";

async function begin(site: Site, workflow = loopWorkflow): Promise<void> {
  const called = await site.pawl("run", writeAt(site, "workflow.yml", workflow), "the task", "--detach");
  expectCode(called, 0);
}

/** The run's steps, then each story with its own. */
async function picture(site: Site): Promise<string> {
  const { steps, stories } = await site.status();
  return [statuses(steps), ...stories.map((each) => `${each.id} ${each.status} ${statuses(each.steps)}`.trim())].join(
    " | ",
  );
}

const stories = [story("US-001", "Add a field"), story("US-002", "Show it")];

test("[A3 A7 A21 A23 A33 A34 A35 A37 A39 A41 A42 A52 A100 A101 A102] the statuses after each call, from the plan to the end", async () => {
  const site = newSite();
  await begin(site);
  expect(await picture(site)).toBe("plan:ready,implement:waiting,publish:waiting");

  const planned = await perform(site, "mini_planner", plan(stories));
  expect(planned.input).toContain("Plan the task");
  const open = "plan:done,implement:running,publish:waiting";
  expect(await picture(site)).toBe(`${open} | US-001 running implement:ready,verify:waiting | US-002 waiting`);

  const developer = await claim(site, "mini_dev");
  expect(developer).toMatchObject({ storyId: "US-001", attempt: 1 });
  expect(await picture(site)).toBe(`${open} | US-001 running implement:running,verify:waiting | US-002 waiting`);
  expect(await tryClaim(site, "mini_ver")).toBeNull();

  await complete(site, developer, `${done}\nCHANGES: a field`);
  expect(await picture(site)).toBe(`${open} | US-001 running implement:done,verify:ready | US-002 waiting`);

  const verifier = await claim(site, "mini_ver");
  expect(verifier.input).toContain("Story US-001: Add a field");
  expect(verifier.input).toContain("CHANGES: a field");
  expect(await complete(site, verifier, `${done}\nVERIFIED: yes`)).toMatchObject({ advanced: true, runDone: false });
  const verified = "US-001 done implement:done,verify:done";
  expect(await picture(site)).toBe(`${open} | ${verified} | US-002 running implement:ready,verify:waiting`);
  expect(await tryClaim(site, "mini_pub")).toBeNull();

  await perform(site, "mini_dev", `${done}\nCHANGES: a badge`);
  await perform(site, "mini_ver", done);
  expect(await picture(site)).toBe(
    `plan:done,implement:done,publish:ready | ${verified} | US-002 done implement:done,verify:done`,
  );
  const last = await perform(site, "mini_pub", done);
  expect(last.input).toContain("CHANGES=US-001: a field\nUS-002: a badge");
  expect(last.reported).toMatchObject({ accepted: true, advanced: true, runDone: true });
  expect((await site.status()).run.status).toBe("done");
});

test("[A22 A25 A26 A27 A28 A29 A30 A31 CM9] a claim is JSON, and its input has the story, what is done, what is left and the feedback", async () => {
  const site = newSite();
  await begin(site);
  expect(JSON.parse((await site.pawl("step", "claim", "mini_dev")).stdout)).toEqual({ found: false });
  await perform(site, "mini_planner", plan([...stories, story("US-003")]));

  const first = await claim(site, "mini/dev");
  expect(Object.keys(first)).toEqual(["found", "runId", "stepId", "storyId", "attempt", "token", "input"]);
  expect(first.input.split("PROGRESS:")[0]).toBe(
    [
      `REPO: ${site.home}/worktrees/${first.runId}`,
      "STORY: Story US-001: Add a field\n\nWhat US-001 is about.\n\nAcceptance Criteria:\n  1. US-001 works\n  2. Typecheck passes",
      "ID: US-001\nTITLE: Add a field\nDONE: (none yet)\nLEFT: 2\nFEEDBACK: []\n",
    ].join("\n"),
  );
  await complete(site, first, done);
  await perform(site, "mini_ver", done);
  const second = await perform(site, "mini_dev", done);
  expect(second.input).toContain("DONE: - US-001: Add a field\nLEFT: 1\nFEEDBACK: []");
  await perform(site, "mini_ver", "STATUS: retry\nISSUES:\n- the badge is grey");
  const again = await perform(site, "mini_dev", done);
  expect(again).toMatchObject({ storyId: "US-002", attempt: 2 });
  expect(again.input).toContain("LEFT: 1\nFEEDBACK: [- the badge is grey]");
  await perform(site, "mini_ver", done);
  const third = await claim(site, "mini_dev");
  expect(third.input).toContain("DONE: - US-001: Add a field\n- US-002: Show it\nLEFT: 0\nFEEDBACK: []");
  expect(third.input).not.toContain("[missing:");
});

test("[A32] twenty processes that claim one step at once: exactly one gets it", async () => {
  const site = newSite();
  await begin(site, lineWorkflow);
  const all = await Promise.all(Array.from({ length: 20 }, () => site.pawl("step", "claim", "line_one")));
  expect(all.map(({ code, stderr }) => `${code}${stderr}`)).toEqual(Array.from({ length: 20 }, () => "0"));
  expect(all.filter(({ stdout }) => (JSON.parse(stdout) as { found: boolean }).found)).toHaveLength(1);
  expect((await site.status()).steps[0]).toMatchObject({ status: "running", attempts: 1 });
});

test("[CM12 A44 A45 A36 A64] the second rejection of a story is final; stories that are done stay done", async () => {
  const site = newSite();
  await begin(site);
  await perform(site, "mini_planner", plan(stories));
  await perform(site, "mini_dev", done);
  await perform(site, "mini_ver", done);
  for (const tries of [1, 2]) {
    expect(await perform(site, "mini_dev", done)).toMatchObject({ storyId: "US-002", attempt: tries });
    await perform(site, "mini_ver", "STATUS: RETRY\nISSUES: still wrong");
  }
  const { run, why } = await site.status();
  expect(run.status).toBe("failed");
  expect(why).toContain("US-002");
  expect(await picture(site)).toBe(
    "plan:done,implement:failed,publish:waiting | US-001 done implement:done,verify:done | US-002 failed implement:done,verify:failed",
  );
  const listing = await site.pawl("step", "stories", "1");
  expect(listing.stdout).toBe("US-001 [done]   Add a field\nUS-002 [failed] Show it (1 retry)\n");
});

test("[A48 A49] a failure of the developer counts against the story, one of a single step against that step", async () => {
  const site = newSite();
  await begin(site);
  await perform(site, "mini_planner", plan([story("US-001")]));
  expect(await fail(site, await claim(site, "mini_dev"), "no disk")).toMatchObject({
    accepted: true,
    runFailed: false,
  });
  const again = await claim(site, "mini_dev");
  expect(again).toMatchObject({ storyId: "US-001", attempt: 2 });
  expect(await fail(site, again, "no disk")).toMatchObject({ runFailed: true });
  expect((await site.status("1")).run.status).toBe("failed");

  await begin(site, lineWorkflow);
  for (const final of [false, false, true])
    expect(await fail(site, await claim(site, "line_one"), "no network")).toMatchObject({ runFailed: final });
  const failed = await site.status("2");
  expect(statuses(failed.steps)).toBe("a:failed,b:waiting,c:waiting");
  expect(failed.why).toContain("no network");
});

test("[A46 A47] a verifier that fails or gives no clear verdict is asked again; that does not count against the story", async () => {
  const site = newSite();
  await begin(site);
  await perform(site, "mini_planner", plan([story("US-001")]));
  await perform(site, "mini_dev", done);
  expect(await fail(site, await claim(site, "mini_ver"), "crashed")).toMatchObject({ runFailed: false });
  expect(await picture(site)).toContain("US-001 running implement:done,verify:ready");
  expect((await perform(site, "mini_ver", "STATUS: perhaps")).reported).toMatchObject({ outcome: "invalid_output" });
  expect(await picture(site)).toContain("US-001 running implement:done,verify:ready");
  await perform(site, "mini_ver", "Status: RETRY\nThe colours are wrong.");
  const { input } = await perform(site, "mini_dev", done);
  expect(input).toContain("The colours are wrong.");
  await perform(site, "mini_ver", " status: Done ");
  expect(await picture(site)).toContain("implement:done,publish:ready");
});

test("[A17 A38 A40] without verify_each each story ends with the developer's report, and the verify step is an ordinary step", async () => {
  const site = newSite();
  const loose = loopWorkflow.replace(", verify_each: true, verify_step: verify", "");
  await begin(site, loose);
  await perform(site, "mini_planner", plan(stories));
  await perform(site, "mini_dev", done);
  expect(await picture(site)).toContain("implement:running,verify:waiting");
  await perform(site, "mini_dev", done);
  expect(await picture(site)).toContain("plan:done,implement:done,verify:ready,publish:waiting");
  await perform(site, "mini_ver", done);
  expect((await perform(site, "mini_pub", done)).reported).toMatchObject({ runDone: true });
});

test("[A62 CM10 X8] complete reads stdin, a file or an argument; a wrong token and an unknown step are refused", async () => {
  const site = newSite();
  await begin(site, lineWorkflow);
  const first = await claim(site, "line_one");
  const foreign = await site.pawl("step", "complete", first.stepId, "--token", "not-mine", done);
  expect(foreign).toMatchObject({ code: 6 });
  expect(JSON.parse(foreign.stdout)).toMatchObject({ accepted: false, why: expect.stringContaining("token") });
  const report = writeAt(site, "report.txt", `${done}\nCHANGES: from a file`);
  expect(await site.pawl("step", "complete", first.stepId, "--token", first.token, "--file", report)).toMatchObject({
    code: 0,
  });
  const second = await claim(site, "line_two");
  expect(second.input).toContain("CHANGES=from a file");
  expect(await site.pawl("step", "complete", second.stepId, "STATUS:", "done")).toMatchObject({ code: 0 });
  const third = await claim(site, "line_three");
  const called = await pawl(["step", "complete", third.stepId], { home: site.home, input: done });
  expect(JSON.parse(called.stdout)).toMatchObject({ accepted: true, runDone: true });
  expect(await site.pawl("step", "fail", "at-nobody", "why")).toMatchObject({ code: 5 });
});
