// Integration. Owns: from a finished story to one commit on the base, and what came of it as a report. The git of it is in
// workspaces/integration/integration.ts.

import { noUsage } from "../../../domain/attempt.ts";
import type { IntegrateStep } from "../../../domain/definition.ts";
import type { Report } from "../../../domain/report.ts";
import { type Integration, integrateStory } from "../../../workspaces/integration/integration.ts";
import type { IntegrationTarget } from "../../../workspaces/integration/tip.ts";
import { leaveStory } from "../../../workspaces/slots/slot.ts";
import type { Parts } from "../../parts.ts";
import { integrationTarget, intentFile, ownFiles } from "../../trees/integration-target.ts";
import type { Claim } from "../claim/claim.ts";

export async function performIntegration(
  parts: Parts,
  claim: Claim,
  workspace: { readonly path: string; readonly base: string | null },
  check: (path: string) => Promise<string | null>,
): Promise<Report> {
  const { run, attempt, definition } = claim;
  if (definition.kind !== "integrate") throw new Error(`${definition.name} is not an integration`);
  const target = integrationTarget(run);
  const { path, base } = workspace;
  const title = run.header.stories.find((entry) => entry.id === attempt.story)?.title ?? "";
  const integration = await integrateStory({
    ...target,
    run: run.header.id,
    story: attempt.story ?? "",
    path,
    ...(base === null ? {} : { snapshot: base }),
    message: messageOf(definition, attempt.story ?? "", title),
    ignoring: ownFiles(parts, run),
    intentFile: intentFile(parts, target),
    check,
  });
  if (integration.result === "integrated" || integration.result === "unchanged") {
    await leaveStory({ path, repo: target.repo, commit: integration.commit });
  }
  return reportOf(integration, target);
}

/** The title comes from a person, so it becomes one line. */
function messageOf({ message }: IntegrateStep, story: string, title: string): string {
  const words: Readonly<Record<string, string>> = { story, title: title.replace(/\s+/g, " ").trim() };
  return message.replace(/\{\{\s*(story|title)\s*\}\}/g, (_, key: string) => words[key] ?? "").trim();
}

function reportOf(integration: Integration, target: IntegrationTarget): Report {
  const said = { outcome: "completed", outputs: {}, stories: null, usage: noUsage, session: null, tree: null } as const;
  switch (integration.result) {
    case "integrated": {
      const notes = [`${integration.commit.slice(0, 12)} on ${integration.on}`, ...integration.notes];
      return { ...said, verdict: { kind: "passed" }, feedback: "", notes };
    }
    case "unchanged":
      return { ...said, verdict: { kind: "passed" }, feedback: "", notes: ["the story changed nothing: no commit"] };
    case "conflict": {
      const files = integration.files.map((file) => `- ${file}`).join("\n");
      const feedback = `The work conflicts with ${target.base}, which is at ${integration.onto.slice(0, 12)} now. In conflict:\n${files}`;
      return { ...said, verdict: { kind: "rejected", reason: "conflict" }, feedback, notes: [] };
    }
    case "red": {
      const feedback = `On top of ${target.base} (${integration.onto.slice(0, 12)}) a check is red.\n\n${integration.output}`;
      return { ...said, verdict: { kind: "rejected", reason: "checks" }, feedback, notes: [] };
    }
  }
}
