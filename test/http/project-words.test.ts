// What the buttons of the page say to a project, as the project reads it.

import { expect, test } from "vitest";
import { approvalWords, rejectionWords } from "../../src/page/projects/project-actions.ts";
import { parseIntent } from "../../src/protocols/agentic/intent.ts";

test("[PG87] what a button says is what the project understands", () => {
  expect(parseIntent(approvalWords(" 30 seconds, others OK "))).toMatchObject({
    action: "approve",
    note: "30 seconds, others OK",
  });
  expect(parseIntent(approvalWords(""))).toMatchObject({ action: "approve", note: null });
  expect(parseIntent(rejectionWords("constitution_violation", "one owner per module"))).toMatchObject({
    action: "reject",
    reason: "constitution_violation",
    note: "one owner per module",
  });
  expect(parseIntent(rejectionWords("default", ""))).toMatchObject({ action: "reject", reason: "default", note: null });
  for (const action of ["status", "continue", "retry", "skip", "abort"] as const)
    expect(parseIntent(action).action).toBe(action);
});
