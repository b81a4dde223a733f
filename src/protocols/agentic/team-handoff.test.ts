import { expect, test } from "vitest";
import { storyId } from "../../domain/ids.ts";
import { readHandoff } from "./handoff.ts";
import { consolidatedHandoff } from "./team-handoff.ts";
import type { RoleProgress, TeamRound } from "./team-log.ts";

const progress = (more: Partial<RoleProgress>): RoleProgress => ({
  status: "pass",
  reason: null,
  summary: "",
  files: [],
  handoff: "",
  ...more,
});

test("[TM7 D83] who is done, who is not and why, which files two roles changed, and what is left", () => {
  const round: TeamRound = {
    story: storyId("US-007"),
    step: "impl",
    name: "impl",
    attempt: 2,
    roles: ["backend", "frontend", "test", "verify"],
    progress: new Map([
      ["backend", progress({ summary: "CouponRepository + DiscountEngine done", files: ["a.go"] })],
      ["frontend", progress({ status: "failing", reason: "needs_clarification", summary: "Coupon component 50%" })],
      [
        "test",
        progress({ status: "blocked", reason: "timed_out", handoff: "## Not yet resolved\n- integration test\n" }),
      ],
    ]),
    conflicts: ["a.go: frontend changed what another role had changed"],
    joined: { tests: { pass: 40, fail: 4, skip: 0 } },
    trouble: "A check is red.\n\ngo vet",
  };
  const text = consolidatedHandoff(round, false);
  expect(text).toContain(`## Executor Progress
- backend: ✅ CouponRepository + DiscountEngine done
- frontend: 🔄 Coupon component 50% (needs_clarification)
- test: 🔄 not done (timed_out)
- verify: 🔄 has not reported

## File Conflict Log
- a.go: frontend changed what another role had changed

## Next session notes
- frontend: is not done
- test: integration test
- verify: is not done
- the joined work did not pass: A check is red. go vet
`);
  expect(readHandoff(text)).toMatchObject({
    story: "US-007",
    step: "impl",
    attempt: 2,
    status: "failing",
    reason: "needs_clarification",
    tests: { pass: 40, fail: 4, skip: 0 },
    filesChanged: ["a.go"],
  });
});
