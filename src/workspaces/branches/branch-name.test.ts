import fc from "fast-check";
import { expect, test } from "vitest";
import { makeRepository } from "../../../test/support/repository.ts";
import { assertBranchName, branchFor } from "./branch-name.ts";

test.each([
  [7, "Add a login page", "pawl/7-add-a-login-page"],
  [12, "  Fix: Ünïcode & émojis 🎉!! ", "pawl/12-fix-unicode-emojis"],
  [3, "修复登录", "pawl/3"],
  [3, "../../etc/passwd.lock", "pawl/3-etc-passwd-lock"],
  [1, "word ".repeat(40), "pawl/1-word-word-word-word-word-word-word-word-word-word"],
  [1, "x".repeat(200), `pawl/1-${"x".repeat(53)}`],
])("[WS9] run %i for %j works on %s", (number, task, branch) => {
  expect(branchFor(number, task)).toBe(branch);
});

test("[WS9] a branch name is safe and bounded whatever the task says", async () => {
  fc.assert(
    fc.property(fc.nat(999_999), fc.string({ unit: "binary", maxLength: 200 }), (number, task) => {
      const branch = branchFor(number, task);
      expect(branch).toMatch(/^pawl\/\d+(-[a-z0-9]+)*$/);
      expect(branch.length).toBeLessThanOrEqual(60);
    }),
  );
  await assertBranchName(makeRepository(), branchFor(1, "HEAD~1^{}"));
});

test.each(["", "-d", "a..b", "a b", "a~1", "@{-1}", "@", "x.lock", "/a", "a/", "HEAD", "a\0b", "é".repeat(201)])(
  "[WS9] %j is refused as a branch name",
  async (name) => {
    await expect(assertBranchName(makeRepository(), name)).rejects.toMatchObject({ code: "INPUT_INVALID" });
  },
);

test("[WS9] ordinary names are accepted", async () => {
  const repo = makeRepository();
  for (const name of ["main", "feature/login", "größe", "a_b-c.d"]) await assertBranchName(repo, name);
});
