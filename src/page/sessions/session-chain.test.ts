// The chain of a session.

import { expect, test } from "vitest";
import { callOf, chainOfSession, type SessionStep } from "./session-chain.ts";

const step = (name: string, status: SessionStep["status"], type: SessionStep["type"] = "skill"): SessionStep => ({
  index: 0,
  id: name,
  step: name,
  type,
  skill: type === "decision" ? "" : `maestro-${name}`,
  args: type === "decision" ? "" : "1",
  barrier: false,
  status,
  wave: null,
  summary: null,
  error: null,
});
const names = (steps: readonly SessionStep[]) => steps.map((each) => each.step);

test("[PG88] a lifecycle shows its chain so far with the step that is next, and how much is still to come", () => {
  const waiting = [step("plan", "completed"), step("gate", "pending", "decision"), step("test", "pending")];
  expect(chainOfSession({ steps: waiting })).toMatchObject({ done: 1, later: [{ step: "test" }] });
  expect(names(chainOfSession({ steps: waiting }).soFar)).toEqual(["plan", "gate"]);
  const running = [step("plan", "skipped"), step("execute", "running"), step("verify", "pending")];
  expect(names(chainOfSession({ steps: running }).soFar)).toEqual(["plan", "execute"]);
  expect(chainOfSession({ steps: running }).done).toBe(1);
  const over = [step("plan", "completed")];
  expect(chainOfSession({ steps: over })).toMatchObject({ soFar: over, later: [] });
  expect(names(chainOfSession({ steps: [step("plan", "pending"), step("test", "pending")] }).soFar)).toEqual(["plan"]);
});

test("[PG88] a step is named by the call of its skill, a decision by its name", () => {
  expect(callOf(step("plan", "completed"))).toBe("maestro-plan 1");
  expect(callOf(step("post-verify", "pending", "decision"))).toBe("post-verify");
});
