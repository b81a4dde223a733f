// What people read of a session: its plan, its end, and what it says on the way. In English, and in the seed's Chinese.

import { describe, expect, test } from "vitest";
import { lifecycleDefinition, SessionDriver } from "../../../../test/support/lifecycle-session.ts";
import { english } from "../locale/en.ts";
import { messagesIn } from "../locale/locale.ts";
import type { Messages } from "../locale/messages.ts";
import { chinese } from "../locale/zh.ts";
import { lifecycleCodes } from "./codes.ts";
import { planText, sessionView } from "./display.ts";
import { plannedSession } from "./planned-session.ts";
import { SessionLines } from "./session-lines.ts";

const plan = () => plannedSession(lifecycleDefinition(), "a shop", { position: "plan", milestone: "MVP", phase: "1" });

/** What was said since the last time. */
function listener(session: SessionDriver, messages: Messages = english) {
  const lines = new SessionLines(messages);
  let known = 0;
  return () => {
    const said = session.events.slice(known).flatMap((event) => lines.linesOf(event));
    known = session.events.length;
    return said;
  };
}

/** Through the phase without a complaint, from plan. */
function finishPhase(session: SessionDriver, id = "M1-P1"): void {
  for (const stage of ["plan", "execute", "verify"]) session.pass(`${id}/${stage}`);
  session.decides(`${id}/post-verify`, "proceed", "passed is true");
  session.pass(`${id}/business-test`);
  session.decides(`${id}/post-business-test`, "proceed");
  session.pass(`${id}/review`);
  session.decides(`${id}/post-review`, "proceed");
  for (const stage of ["test-gen", "test"]) session.pass(`${id}/${stage}`);
  session.decides(`${id}/post-test`, "proceed");
  for (const stage of ["milestone-audit", "milestone-complete"]) session.pass(stage);
}

describe("the plan", () => {
  test("[LS20 E32] has the banner, the position, the target, and a line for each step", () => {
    expect(planText(plan(), english)).toBe(`============================================================
RALPH DECISION ENGINE
============================================================
Position: plan (Phase 1, MVP)
Target: milestone-complete
Steps: 14 (5 decision points)

[ ] 0. maestro-plan 1 [skill/barrier]
[ ] 1. maestro-execute 1 [skill/barrier]
[ ] 2. maestro-verify 1 [skill]
[ ] 3. ◆ post-verify [decision] ← STOP
[ ] 4. quality-business-test 1 [skill]
[ ] 5. ◆ post-business-test [decision] ← STOP
[ ] 6. quality-review 1 [skill]
[ ] 7. ◆ post-review [decision] ← STOP
[ ] 8. quality-test-gen 1 [skill]
[ ] 9. quality-test 1 [skill]
[ ] 10. ◆ post-test [decision] ← STOP
[ ] 11. maestro-milestone-audit [skill]
[ ] 12. maestro-milestone-complete [skill]
[ ] 13. ◆ post-milestone [decision] ← STOP
============================================================
`);
  });

  test("[LS20 E33] a session without stops says so, and a long intent does not break a line", () => {
    expect(planText(plan(), english, { stops: false })).not.toContain("STOP");
    const from = { position: "brainstorm", milestone: null, phase: null };
    const long = plannedSession(lifecycleDefinition(), `a\nlong ${"intent ".repeat(50)}`, from);
    const [line] = planText(long, english).match(/.*maestro-brainstorm.*/) ?? [];
    expect(line?.length).toBeLessThan(140);
    expect(planText(long, english)).toContain("Position: brainstorm\n");
  });
});

describe("the end", () => {
  test("[LS21 E60] has the session, its waves and steps, and what each decision found", () => {
    const session = new SessionDriver().stands("plan");
    finishPhase(session);
    session.decides("post-milestone", "complete");
    expect(
      sessionView(session.document, lifecycleDefinition(), english),
    ).toBe(`============================================================
RALPH COMPLETE
============================================================
Session: ralph-20260506-131226
Phase: 1 → M1
Waves: 9 executed
Steps: 14/14

[✓] 0. maestro-plan 1 [W1]
[✓] 1. maestro-execute 1 [W2]
[✓] 2. maestro-verify 1 [W3]
[✓] 3. ◆ post-verify [decision: no gaps]
[✓] 4. quality-business-test 1 [W4]
[✓] 5. ◆ post-business-test [decision: all passed]
[✓] 6. quality-review 1 [W5]
[✓] 7. ◆ post-review [decision: no blockers]
[✓] 8. quality-test-gen 1 [W6]
[✓] 9. quality-test 1 [W7]
[✓] 10. ◆ post-test [decision: all passed]
[✓] 11. maestro-milestone-audit [W8]
[✓] 12. maestro-milestone-complete [W9]
[✓] 13. ◆ post-milestone [decision: all milestones complete]
============================================================
`);
  });

  test("[LS21 E4] a session that is not at its end says how to continue, and where it failed", () => {
    const session = new SessionDriver().stands("verify");
    session.reject("M1-P1/verify", "no tests\nat all");
    const text = sessionView(session.document, lifecycleDefinition(), english);
    expect(text).toContain("RALPH SESSION");
    expect(text).toContain("[✗] 0. maestro-verify 1 [W1] no tests at all\n[ ] 1. ◆ post-verify [decision]\n");
    expect(text).toContain("\nResume: pawl lifecycle execute\n");
    expect(sessionView(session.document, lifecycleDefinition(), english, "pawl x --dir a")).toContain(
      "Resume: pawl x --dir a",
    );
  });
});

describe("what it says on the way", () => {
  test("[LS22 E9 E45 E56] stops before a decision, then says what it found", () => {
    const session = new SessionDriver().stands("verify");
    const said = listener(session);
    said();
    session.pass("M1-P1/verify");
    expect(said()).toEqual(["⏸ Reached decision node: post-verify. Continue with `pawl lifecycle execute`."]);
    session.decides("M1-P1/post-verify", "proceed", "passed is true");
    expect(said()).toEqual(["◆ Decision: post-verify → no gaps"]);
  });

  test("[LS22 E38 E44 E67 E68 E70] says what a decision inserted with its code, and how the retries end", () => {
    const session = new SessionDriver("none").stands("verify");
    const said = listener(session);
    session.pass("M1-P1/verify");
    said();
    const loops = [2, 3].map((round) => {
      session.decides("M1-P1/post-verify", "fix", "status is gaps_found");
      for (const stage of ["debug", "plan-gaps", "execute", "verify"]) session.pass(`M1-P1/${stage}~${round}`);
      return said();
    });
    const inserted = "[W001] post-verify: A decision expanded the chain: debug, plan-gaps, execute, verify";
    expect(loops).toEqual([
      [
        "◆ Decision: post-verify → gaps detected",
        "◆ post-verify: gaps detected, inserting debug+fix loop (retry 1/2)",
        inserted,
      ],
      [
        "◆ Decision: post-verify → gaps detected",
        "◆ post-verify: gaps detected, inserting debug+fix loop (retry 2/2)",
        inserted,
      ],
    ]);
    session.decides("M1-P1/post-verify", "fix");
    expect(said()).toEqual([
      "◆ Decision: post-verify → gaps detected",
      "◆ post-verify: max retries reached, escalating to debug",
      "[W002] post-verify: Max retries reached, escalating to debug",
    ]);
    session.pass("M1-P1/debug~4");
    expect(said()).toEqual([
      "◆ Max retries reached, and debug has run. Please check the result by hand.",
      "Resume with `pawl lifecycle execute` when it is handled.",
    ]);
  });

  test("[LS22 E42] says which milestone is done and which comes next", () => {
    const session = new SessionDriver("none").stands("plan");
    const said = listener(session);
    finishPhase(session);
    said();
    session.decides("post-milestone", "more");
    session.stands("plan", ["M2-P1"]);
    expect(said()).toEqual([
      "◆ Decision: post-milestone → next milestone",
      "◆ post-milestone: M1 done → advancing to M2 Phase 1",
    ]);
    finishPhase(session, "M2-P1");
    said();
    session.decides("post-milestone", "complete");
    expect(said()).toEqual([
      "◆ Decision: post-milestone → all milestones complete",
      "◆ post-milestone: all milestones complete!",
    ]);
  });

  test("[LS22 E63 E64 E70] says the code of what could not be read", () => {
    const session = new SessionDriver("none").stands("verify");
    const said = listener(session);
    session.pass("M1-P1/verify");
    said();
    session.decides("M1-P1/post-verify", "unknown", "verification.json is missing");
    expect(said()).toEqual([
      "◆ Decision: post-verify → unknown: verification.json is missing",
      "[E004] post-verify: Result file missing or unclear: verification.json is missing",
    ]);
  });
});

describe("the language", () => {
  test("[LS23 E44 E56 E57] the seed's own messages are the Chinese ones", () => {
    const session = new SessionDriver().stands("verify");
    const said = listener(session, chinese);
    said();
    session.pass("M1-P1/verify");
    expect(said()).toEqual(["⏸ 到达决策节点: post-verify。使用 pawl lifecycle execute 继续。"]);
    expect(chinese.paused("x")[0]).toBe("◆ 已达最大重试次数,debug 已执行。请人工介入检查结果。");
    expect(chinese.instruction).toContain("不要修改 .workflow/.ralph/ 下的文件");
  });

  test("[LS23 E57 E70] both have every text and every code", () => {
    for (const messages of [english, chinese]) {
      expect(Object.keys(messages).toSorted()).toEqual(Object.keys(english).toSorted());
      expect(Object.keys(messages.codes)).toEqual([...lifecycleCodes]);
      expect(Object.keys(messages.outcomes)).toEqual(Object.keys(english.outcomes));
      for (const field of ["status", "skill_call", "summary", "artifacts", "error"])
        expect(messages.instruction).toContain(`"${field}"`);
    }
  });

  test.each([
    ["zh", chinese],
    ["zh_CN.UTF-8", chinese],
    ["zh-TW", chinese],
    ["zhx", english],
    ["en_US.UTF-8", english],
    [undefined, english],
  ])("[LS23] %s", (locale, messages) => {
    expect(messagesIn(locale)).toBe(messages);
  });
});
