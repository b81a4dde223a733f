// What people mistype is answered with what they meant.

import { expect, test } from "vitest";
import { newSite } from "../../test/support/pawl.ts";

test("[CM150] a mistyped command, subcommand, option, workflow, executor and document each get a suggestion", async () => {
  const site = newSite();
  const said = async (...args: readonly string[]) => (await site.pawl(...args)).stderr.toLowerCase();
  const [command, subcommand, option, document, executor] = await Promise.all([
    said("statsu"),
    said("workflow", "lits"),
    said("runs", "--limti", "3"),
    said("schema", "statsu"),
    said("executor", "test", "claud"),
  ]);
  expect(command).toContain("did you mean status?");
  expect(subcommand).toContain("did you mean list?");
  expect(option).toContain("did you mean --limit?");
  expect(document).toContain("did you mean status?");
  expect(executor).toContain("did you mean claude?");
  expect(await said("xyzzyx")).not.toContain("did you mean");
});
