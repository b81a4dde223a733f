// What the caller can set: values for templates and the name of the branch, but not Pawl's own keys.

import { expect, test } from "vitest";
import { expectCode, newSite, writeAt } from "../support/pawl.ts";
import { runGit } from "../support/repository.ts";

const greeting = `
pawl: 1
id: greeting
agents: { worker: {} }
context: { greeting: "Hello {{ticket}}, {{size}}: {{task}}", repo: "{{repo}}" }
steps:
  - { id: work, agent: worker, input: "{{greeting}} on {{branch}} in {{repo}}", produces: [result] }
`;

test("[B27 B28] values of the workflow's context are templates, resolved once with the caller's values", async () => {
  const site = newSite();
  const file = writeAt(site, "greeting.yml", greeting);
  const context = ["--context", "ticket=T-1,size=small, or so", "--context", "branch=feature/greet"];
  expectCode(await site.pawl("run", file, "Wave {{ticket}}", "--detach", ...context), 0);
  const { stdout } = await site.pawl("step", "claim", "greeting/worker");
  const { input } = JSON.parse(stdout) as { input: string };
  expect(input).toContain("Hello T-1, small, or so: Wave {{ticket}} on feature/greet in ");
  expect(input).toContain("worktrees");
  // It is named when it has a commit.
  expect((await site.status("1")).run).toMatchObject({ branch: null });
  expect(runGit(site.repo, "branch", "--list", "feature/greet")).toContain("feature/greet");
});

test("[B28 CM1] keys that Pawl sets, a branch that exists and an argument that is not a pair are refused; nothing is recorded", async () => {
  const site = newSite();
  const file = writeAt(site, "greeting.yml", greeting);
  for (const context of ["repo=/elsewhere", "task=other", "branch=main", "branch=../x", "nonsense"]) {
    const called = await site.pawl("run", file, "Wave", "--detach", "--context", context);
    expectCode(called, 2);
    expect(called.stderr).toContain("hint:");
  }
  expect(await site.json(["runs"])).toEqual({ runs: [] });
});
