// STORIES_JSON from a planner's reply to the list of stories.

import { expect, test } from "vitest";
import { newSite, type Site, statuses, writeAt } from "../support/pawl.ts";
import { claim, complete, perform } from "../support/pulling.ts";
import { done, plan, story } from "../support/scripts.ts";
import { loopWorkflow } from "../support/workflows.ts";

/** The planner may fail many times, so that one run covers many wrong answers. */
const patient = loopWorkflow.replace("max_retries: 2", "max_retries: 20");

async function begin(site: Site): Promise<void> {
  await site.pawl("run", writeAt(site, "workflow.yml", patient), "the task", "--detach");
}

const many = (count: number) => Array.from({ length: count }, (_, index) => story(`US-${index + 1}`));

const { acceptanceCriteria: _, ...withoutCriteria } = story("A");
const wrong: readonly (readonly [ids: string, output: string, told: RegExp])[] = [
  ["A95", `${done}\nSTORIES_JSON: [{ "id": "A", }]`, /STORIES_JSON is not valid JSON/],
  ["A96", `${done}\nSTORIES_JSON: { "id": "A" }`, /must be an array/],
  ["A96", plan([{ ...story("A"), title: 7 }]), /STORIES_JSON\[0\]\.title/],
  ["A96", plan([story("A"), withoutCriteria]), /STORIES_JSON\[1\]\.acceptanceCriteria/],
  ["A96", plan([{ ...story("A"), acceptanceCriteria: [] }]), /STORIES_JSON\[0\]\.acceptanceCriteria/],
  ["A97 A13", plan(many(21)), /21 stories; at most 20/],
  ["A98", plan([story("A"), story("B"), story("A")]), /STORIES_JSON\[2\]\.id "A" is already/],
  ["A99", plan([]), /must not be empty/],
];

test("[A95 A96 A97 A98 A99 A13] a wrong plan inserts nothing, advances nothing, and the planner gets the reason", async () => {
  const site = newSite();
  await begin(site);
  let before = await claim(site, "mini_planner");
  for (const [ids, output, told] of wrong) {
    const reported = await complete(site, before, output);
    expect({ ids, ...reported }).toMatchObject({ ids, accepted: true, advanced: false, outcome: "invalid_output" });
    expect(reported.why).toMatch(told);
    before = await claim(site, "mini_planner");
    expect(before.input).toMatch(told);
  }
  const { stories, steps } = await site.status();
  expect(stories).toEqual([]);
  expect(statuses(steps)).toBe("plan:running,implement:waiting,publish:waiting");
  expect(await complete(site, before, plan(many(20)))).toMatchObject({ advanced: true });
  expect((await site.status()).stories).toHaveLength(20);
});

test("[A34 A50 A92 A93 A94 A96 A99] JSON over many lines, with colons, keys after it and both spellings, becomes stories in order", async () => {
  const site = newSite();
  await begin(site);
  const { acceptanceCriteria, ...rest } = story("US-002", "URL:x, STATUS: of a thing");
  const stories = [story("US-001"), { ...rest, acceptance_criteria: acceptanceCriteria, severity: "high" }];
  const output = `STATUS: done\nSTORIES_JSON: ${JSON.stringify(stories, null, 2)}\nBRANCH: after-the-json\nNOTES: two\n`;
  await perform(site, "mini_planner", output);
  const status = await site.status();
  expect(statuses(status.stories)).toBe("US-001:running,US-002:waiting");
  expect((await site.pawl("events", "1", "--json")).stdout).toContain('"branch":"after-the-json"');

  for (const id of ["US-001", "US-002"]) {
    const developer = await perform(site, "mini_dev", `${done}\nCHANGES: of ${id}`);
    expect(developer.input).toContain(`ID: ${id}`);
    await perform(site, "mini_ver", done);
  }
  // A99: the text of the plan is not a template value, but what developers said is.
  const { input } = await claim(site, "mini_pub");
  expect(input).toContain("CHANGES=US-001: of US-001\nUS-002: of US-002");
  expect(input).not.toContain("acceptance");
});
