// The texts of a session in English.

import type { Messages } from "./messages.ts";

export const english: Messages = {
  position: "Position",
  target: "Target",
  steps: "Steps",
  session: "Session",
  phase: "Phase",
  milestone: "Milestone",
  waves: "Waves",
  executed: "executed",
  resume: "Resume",
  decisionPoints: (count) => (count === 1 ? "1 decision point" : `${count} decision points`),
  stop: (decision, execute) => `⏸ Reached decision node: ${decision}. Continue with \`${execute}\`.`,
  decided: (decision, outcome) => `◆ Decision: ${decision} → ${outcome}`,
  inserted: (decision, found, retry, most) =>
    `◆ ${decision}: ${found}, inserting debug+fix loop (retry ${retry}/${most})`,
  escalated: (decision) => `◆ ${decision}: max retries reached, escalating to debug`,
  paused: (execute) => [
    "◆ Max retries reached, and debug has run. Please check the result by hand.",
    `Resume with \`${execute}\` when it is handled.`,
  ],
  advanced: (decision, done, next, phase) => `◆ ${decision}: ${done} done → advancing to ${next} Phase ${phase}`,
  allComplete: (decision) => `◆ ${decision}: all milestones complete!`,
  outcomes: {
    verification: { proceed: "no gaps", fix: "gaps detected" },
    "business-test": { proceed: "all passed", fix: "failures detected" },
    review: { proceed: "no blockers", fix: "review blocked" },
    uat: { proceed: "all passed", fix: "failures detected" },
    milestone: { more: "next milestone", complete: "all milestones complete" },
  },
  codes: {
    E001: "No intent and no running session",
    E002: "Cannot infer the lifecycle position",
    E003: "Artifact folder not found for the decision",
    E004: "Result file missing or unclear",
    E005: "Wave timed out",
    E006: "No session found to execute",
    W001: "A decision expanded the chain",
    W002: "Max retries reached, escalating to debug",
    W003: "Several running sessions; the latest is used",
  },
  instruction: `You are a Ralph executor sub-agent.

The column skill_call has a call of $maestro-ralph-execute, which finds the skill inside and performs it.
Run the command in skill_call as it is.

Limits:
- Do not change files below .workflow/.ralph/.
- ralph-execute routes to the skill and performs it.

When you are done, call report_agent_job_result with:
{"status":"completed|failed","skill_call":"{skill_call}","summary":"the result in one sentence","artifacts":"paths of artifacts, or empty","error":"why it failed, or empty"}`,
};
