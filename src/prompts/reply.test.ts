import { describe, expect, test } from "vitest";
import type { AgentStep } from "../domain/definition.ts";
import { agentName, stepName } from "../domain/ids.ts";
import { replyHelp as helpFor } from "./reply.ts";

const step: AgentStep = {
  kind: "agent",
  name: stepName("work"),
  agent: agentName("dev"),
  title: "",
  input: "",
  produces: null,
  decide: null,
  expects: null,
  on: { rejected: { route: { to: "again" }, limit: null } },
  onError: { route: { to: "again" }, limit: null },
  budget: null,
  checks: [],
  wallMs: null,
  quietMs: null,
};

const replyHelp = (work: AgentStep, told: string) => helpFor(work, { told, mustPlan: false });

describe("[PR37] where the workflow does not say how to answer, the prompt does", () => {
  test("how to pass and how to fail; how to reject, where that leads somewhere", () => {
    expect(replyHelp(step, "Do it.")).toMatch(/`STATUS: done`[^]+`STATUS: failed`/);
    expect(replyHelp(step, "Do it.")).not.toContain("retry");
    const verifying = {
      ...step,
      on: { rejected: { route: { to: "back_to", step: stepName("a") }, limit: null } },
    } as const;
    expect(replyHelp(verifying, "Do it.")).toContain("`STATUS: retry`");
  });

  test("a decision, a text and a pattern that are expected", () => {
    const next = { route: { to: "next" }, limit: null } as const;
    const deciding = { ...step, decide: "verdict", on: { "=good": next, "=bad": next } };
    expect(replyHelp(deciding, "STATUS: done")).toBe(
      "Write your decision behind `VERDICT:` on a line of its own; it is one of: good, bad.",
    );
    const expecting = { ...step, expects: "STATUS: done\nINTAKE_PARSED:\nregex:^PR:\\s*\\d+" };
    expect(replyHelp(expecting, "STATUS: done").split("\n")).toEqual([
      'Your reply must contain the text "INTAKE_PARSED:".',
      "Your reply must have a line that matches the regular expression `^PR:\\s*\\d+`.",
    ]);
  });

  test("a plan, for the last agent before stories that nothing has planned, without one that could be repeated", () => {
    const help = helpFor(step, { told: "Plan it. STATUS: done", mustPlan: true });
    expect(help).toMatch(/`STORIES_JSON:`[^]*JSON array/);
    expect(help).not.toMatch(/[[{]/);
    expect(helpFor(step, { told: "STATUS: done\nSTORIES_JSON: [ … ]", mustPlan: true })).toBe("");
    expect(replyHelp(step, "Plan it. STATUS: done")).toBe("");
  });

  test("nothing, where input or role files say it, and for a step that ends with a summary", () => {
    expect(replyHelp(step, "Reply with **STATUS:** done")).toBe("");
    expect(replyHelp({ ...step, expects: "PR:" }, "STATUS: done\nPR: its address")).toBe("");
    expect(replyHelp({ ...step, summary: true }, "Do it.")).toBe("");
    // One that passes only by its STATUS must be told so.
    const strict = { ...step, summary: true, expects: "STATUS: done" };
    expect(replyHelp(strict, "Do it.")).toContain("write `STATUS: done`");
  });
});
