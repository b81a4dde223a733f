import { describe, expect, test } from "vitest";
import { attempt, sha, step, stepIn, time } from "../../../test/support/ralph-facts.ts";
import type { Attempt, Outcome } from "../../domain/attempt.ts";
import type { Step, StepState } from "../../domain/step.ts";

describe("a step", () => {
  const coding = (state: StepState, attempts: readonly Attempt[], more: Partial<Step> = {}) =>
    stepIn({ status: "running", chain: [step("step-002", "coding", state, more)], attempts }, "step-002");

  test("[RA28 C42 C71 C77] while it runs: its start time, its start commit and its log", () => {
    expect(coding({ status: "running", attempt: "x" as never }, [attempt({ step: "step-002", at: 5 })])).toMatchObject({
      status: "in_progress",
      started_at: time(5),
      completed_at: null,
      git_sha_at_start: sha,
      log_file: "logs/US-001/step-002.jsonl",
    });
    const without = coding({ status: "running", attempt: "x" as never }, [
      attempt({ step: "step-002", at: 5, base: null }),
    ]);
    expect(without.git_sha_at_start).toBe(null);
  });

  test("[RA28 C38 C42] the latest of several attempts counts", () => {
    const lost = attempt({ step: "step-002", at: 5, base: "c".repeat(40), end: { at: 6, outcome: "lost" } });
    const second = attempt({ step: "step-002", number: 2, at: 7, end: { at: 9, outcome: "completed" } });
    expect(coding({ status: "done" }, [lost, second], { notes: "added it" })).toMatchObject({
      status: "completed",
      started_at: time(7),
      completed_at: time(9),
      git_sha_at_start: sha,
      notes: "added it",
      error: null,
      log_file: "logs/US-001/step-002.2.jsonl",
    });
    expect(coding({ status: "ready", notBefore: 0 }, [lost])).toMatchObject({
      status: "pending",
      completed_at: null,
      error: null,
    });
  });

  test("[RA28 C76 C79] a failed step has its reason; one that was ended from outside is cancelled", () => {
    const failed = (outcome: Outcome) =>
      coding({ status: "failed", reason: "it broke" }, [
        attempt({ step: "step-002", at: 5, end: { at: 6, outcome, why: "w" } }),
      ]);
    expect(failed("failed")).toMatchObject({ status: "failed", error: "it broke", completed_at: time(6) });
    expect(failed("lost").status).toBe("failed");
    expect(failed("timed_out")).toMatchObject({ status: "cancelled", error: "it broke", completed_at: time(6) });
    expect(failed("cancelled").status).toBe("cancelled");
    const stopped = [
      attempt({ step: "step-002", at: 5, end: { at: 6, outcome: "cancelled", why: "orchestrator shutdown" } }),
    ];
    expect(coding({ status: "cancelled" }, stopped)).toMatchObject({
      status: "cancelled",
      error: "orchestrator shutdown",
    });
  });

  test("[RA28 C51 C53] a skipped step has its reason, and an edited description is shown", () => {
    const skipped = coding({ status: "skipped", by: "edit", reason: "nothing to do" }, [], {
      description: "Other words",
    });
    expect(skipped).toMatchObject({
      status: "skipped",
      skip_reason: "nothing to do",
      description: "Other words",
      error: null,
    });
  });

  test("[RA29 C33 C43] usage is summed over its attempts, null if none was reported; restarts are counted", () => {
    const usage = { costUsd: 0.1, inputTokens: 100, outputTokens: 10 };
    const restart = { at: 6, outcome: "completed", taken: { key: "edit", to: "again", draws: null } } as const;
    const retried = { at: 6, outcome: "completed", taken: { key: "rejected", to: "again", draws: null } } as const;
    const attempts = [
      attempt({ step: "step-002", at: 5, usage, end: restart }),
      attempt({ step: "step-002", number: 2, at: 7, usage, end: retried }),
      attempt({ step: "step-002", number: 3, at: 8, usage, end: restart }),
    ];
    expect(coding({ status: "waiting" }, attempts, { restartsBefore: 1 })).toMatchObject({
      restart_count: 3,
      cost_usd: 0.3,
      input_tokens: 300,
      output_tokens: 30,
    });
    const silent = coding({ status: "done" }, [
      attempt({ step: "step-002", at: 5, end: { at: 6, outcome: "completed" } }),
    ]);
    expect(silent).toMatchObject({ cost_usd: null, input_tokens: null, output_tokens: null, restart_count: 0 });
  });
});
