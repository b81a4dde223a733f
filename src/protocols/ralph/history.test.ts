import { describe, expect, test } from "vitest";
import {
  brief,
  changed,
  dispatched,
  ended,
  happened,
  historyOf,
  opened,
  time,
} from "../../../test/support/ralph-facts.ts";
import type { ChainLine, EditOperation } from "../../domain/edit.ts";
import { stepId } from "../../domain/ids.ts";

describe("the history", () => {
  test("[RA32 C40 C41] of a story that goes well, with what its steps used", () => {
    const usage = { costUsd: 0.12, inputTokens: 15_000, outputTokens: 3_000 };
    const events = [
      changed(1, "running", { slot: 1 }),
      opened,
      dispatched(2, "step-001"),
      ended(3, "step-001", "completed", { usage }),
      happened(3, "step_done", { step: "step-001" }),
      happened(4, "edit_refused", { by: "step-001", why: "no", notes: [] }),
    ];
    expect(historyOf(events)).toEqual([
      { timestamp: time(1), action: "story_claimed", agent_id: 1, step_id: null, details: {} },
      { timestamp: time(2), action: "step_started", agent_id: 1, step_id: "step-001", details: {} },
      {
        timestamp: time(3),
        action: "step_completed",
        agent_id: 1,
        step_id: "step-001",
        details: { cost_usd: 0.12, input_tokens: 15_000, output_tokens: 3_000 },
      },
    ]);
  });

  test("[RA32 C41 C76 C96] a failed, stopped or lost attempt has one entry, even if the step runs again", () => {
    const failed = (at: number, reason: string) => happened(at, "step_failed", { step: "step-002", reason });
    expect(
      brief([
        opened,
        dispatched(2, "step-002"),
        ended(3, "step-002", "failed", { why: "exit 1" }),
        failed(3, "exit 1, for good"),
      ]),
    ).toEqual(["step_started step-002", "step_failed step-002 exit 1, for good"]);
    expect(
      brief([
        opened,
        dispatched(2, "step-002"),
        ended(3, "step-002", "timed_out", { why: "30 min" }),
        failed(3, "timed out"),
      ]),
    ).toEqual(["step_started step-002", "step_cancelled step-002 timed out"]);
    const again = [
      opened,
      dispatched(2, "step-002"),
      ended(3, "step-002", "lost", { why: "its driver is gone" }),
      dispatched(4, "step-002", 2),
    ];
    expect(brief(again)).toEqual([
      "step_started step-002",
      "step_failed step-002 its driver is gone",
      "step_started step-002",
    ]);
    expect(brief([...again, happened(5, "step_failed", { step: "step-002", reason: "restart limit" })]).at(-1)).toBe(
      "step_failed step-002 restart limit",
    );
    expect(
      brief([
        opened,
        dispatched(2, "step-002"),
        ended(3, "step-002", "cancelled", { why: "paused" }),
        happened(3, "step_cancelled", { step: "step-002" }),
      ]),
    ).toEqual(["step_started step-002", "step_cancelled step-002 paused"]);
  });

  const line = (id: string, status: string, description = "d"): ChainLine =>
    ({ id, name: "coding", status, description }) as unknown as ChainLine;
  const edited = (operation: EditOperation, more: object = {}) =>
    happened(4, "chain_edited", { by: "step-001", operation, added: [], notes: [], before: [], after: [], ...more });
  const detailsOf = (operation: unknown, more: object = {}) =>
    historyOf([changed(1, "running", { slot: 1 }), opened, edited(operation as EditOperation, more)]).at(-1);

  test("[RA33 C40 C59] an edit: operation, reason, target, new steps with their ids, and the chain before and after", () => {
    const operation = { op: "insert", after: "step-002", steps: [], reason: "2 tests failed" };
    const added = [
      { id: "step-011", name: "coding", description: "Fix" },
      { id: "step-012", name: "final_review" },
    ];
    const before = [line("step-001", "done"), line("step-002", "running")];
    const after = [...before, line("step-011", "waiting", "Fix")];
    expect(detailsOf(operation, { added, before, after })).toEqual({
      timestamp: time(4),
      action: "workflow_edit",
      agent_id: 1,
      step_id: "step-001",
      details: {
        operation: "add_after",
        target_step_id: "step-002",
        reason: "2 tests failed",
        new_steps: [
          { id: "step-011", type: "coding", description: "Fix" },
          { id: "step-012", type: "final_review", description: "Verify" },
        ],
        before: [
          { id: "step-001", type: "coding", status: "completed", description: "d" },
          { id: "step-002", type: "coding", status: "in_progress", description: "d" },
        ],
        after: [
          { id: "step-001", type: "coding", status: "completed", description: "d" },
          { id: "step-002", type: "coding", status: "in_progress", description: "d" },
          { id: "step-011", type: "coding", status: "pending", description: "Fix" },
        ],
      },
    });
  });

  test("[RA33 C32 C40] each operation has Dynamic Ralph's name and its own data", () => {
    const before = [line("step-002", "running", "old words")];
    const restart = { op: "restart", step: "step-002", description: "new words", reason: "r" };
    expect(detailsOf(restart, { before })?.details).toMatchObject({
      operation: "restart",
      old_description: "old words",
      new_description: "new words",
    });
    expect(detailsOf({ ...restart, op: "amend" }, { before })?.details).toMatchObject({
      operation: "edit_description",
      old_description: "old words",
    });
    expect(detailsOf({ op: "replace", step: "s", steps: [], reason: "r" })?.details).toMatchObject({
      operation: "split",
      target_step_id: "s",
    });
    expect(detailsOf({ op: "insert", before: "s", steps: [], reason: "r" })?.details).toMatchObject({
      operation: "add_before",
    });
    expect(detailsOf({ op: "reorder", order: ["b", "a"], reason: "r" })?.details).toMatchObject({
      operation: "reorder",
      new_order: ["b", "a"],
    });
    expect(detailsOf({ op: "skip", step: "s", reason: "r" })?.details).toMatchObject({
      operation: "skip",
      target_step_id: "s",
      reason: "r",
    });
    const byHand = detailsOf({ op: "skip", step: "s", reason: "r" }, { by: null });
    expect(byHand).toMatchObject({ agent_id: null, step_id: null });
  });

  test("[RA32 RA33 C51] a skipped step has its own entry besides the edit", () => {
    const skipped = happened(4, "steps_skipped", { steps: ["step-002", "land"], by: "edit", reason: "docs only" });
    const edit = edited({ op: "skip", step: stepId("step-002"), reason: "docs only" });
    expect(brief([opened, skipped, edit])).toEqual([
      "step_skipped step-002 docs only",
      "workflow_edit step-001 docs only",
    ]);
  });

  test("[RA33 C91] steps that Pawl inserts are one edit, and steps that an agent inserts have no second entry", () => {
    const inserted = happened(4, "steps_inserted", {
      before: "step-003",
      steps: [{ id: "step-011", name: "rebase_resolve" }],
    });
    const reset = happened(4, "steps_reset", { steps: ["step-003"], reason: "land inserted rebase_resolve" });
    expect(historyOf([opened, inserted, reset]).map(({ action, details }) => [action, details])).toEqual([
      [
        "workflow_edit",
        {
          operation: "add_before",
          target_step_id: "step-003",
          reason: "land inserted rebase_resolve",
          new_steps: [{ id: "step-011", type: "rebase_resolve", description: "Resolve" }],
        },
      ],
    ]);
    const edit = edited({ op: "insert", before: stepId("step-003"), steps: [], reason: "r" });
    expect(brief([opened, inserted, edit, reset])).toEqual(["workflow_edit step-001 r"]);
  });
});
