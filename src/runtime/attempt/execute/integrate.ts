// Integrates a finished story: one commit on the base, and a verdict. The git of it is in workspaces/integration/integration.ts.

import type { Attempt } from "../../../domain/attempt.ts";
import type { IntegrateStep } from "../../../domain/definition.ts";
import type { CompletedReport, Facts } from "../../../domain/report.ts";
import { type Integration, integrateStory } from "../../../workspaces/integration/integration.ts";
import type { IntegrationTarget } from "../../../workspaces/integration/tip.ts";
import { leaveStory } from "../../../workspaces/slots/slot.ts";
import type { Parts } from "../../parts.ts";
import { runChecks } from "../../trees/checks.ts";
import { byProductsOf } from "../../trees/left-work.ts";
import { integrationTarget, intentFile, ownFiles } from "../../trees/places.ts";
import { keptOutOf } from "../../trees/protocol-folder.ts";
import type { Answer } from "./answer.ts";
import { checkVariables } from "./call.ts";
import type { Work } from "./work.ts";

export async function integrate(
  parts: Pick<Parts, "home" | "protocols" | "store">,
  { begun, log, stop }: Work,
): Promise<Answer> {
  const { claim, workspace } = begun;
  const { run, attempt, definition } = claim;
  if (definition.kind !== "integrate") throw new Error(`${definition.name} is not an integration`);
  const target = integrationTarget(run);
  const { path, base, env } = workspace;
  const title = run.header.stories.find((entry) => entry.id === attempt.story)?.title ?? "";
  let facts: Facts = {};
  const check = async (cwd: string) => {
    const variables = { ...env, ...checkVariables(parts, claim) };
    const site = { cwd, attempt: attempt.id, sink: log.sink, env: variables };
    const checked = await runChecks(definition.checks, site, stop.register);
    facts = checked.facts;
    return checked.red;
  };
  const integration = await integrateStory({
    ...target,
    run: run.header.id,
    story: attempt.story ?? "",
    path,
    ...(base === null ? {} : { snapshot: base }),
    message: messageOf(definition, attempt.story ?? "", title),
    ignoring: ownFiles(parts, run),
    isByProduct: byProductsOf(run.header),
    isKeptOut: keptOutOf(parts, run),
    intentFile: intentFile(parts, target),
    check: definition.checks.length === 0 ? null : check,
    isWanted: async () => stop.reason === null && (await isStarted(parts, attempt)),
  });
  if (integration.result === "cancelled") throw new Error(stop.reason ?? "it was told to stop");
  if (integration.result === "integrated" || integration.result === "unchanged") {
    await leaveStory({ path, repo: target.repo, commit: integration.commit });
  } else if (stop.reason !== null) {
    // A check that was stopped is red, and says nothing about the story.
    throw new Error(stop.reason);
  }
  // The branch moves on and the marks of a run that is done go: `diff` and `revert` find the commit by this.
  const made = integration.result === "integrated" ? { integrated: integration.commit } : {};
  return { kind: "performed", report: reportOf(integration, target), isChecked: true, facts: { ...facts, ...made } };
}

/** A cancel by another process is in the store before this one hears of it. */
async function isStarted({ store }: Pick<Parts, "store">, { id }: Attempt): Promise<boolean> {
  return (await store.attempt(id))?.attempt.state.phase === "started";
}

// git takes no NUL, and prints escape sequences and marks of direction to the terminal as they are.
const notInMessages = /[\s\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]+/gu;

/** The title comes from a person, so it becomes one plain line. */
function messageOf({ message }: IntegrateStep, story: string, title: string): string {
  const words: Readonly<Record<string, string>> = { story, title: title.replace(notInMessages, " ").trim() };
  return message.replace(/\{\{\s*(story|title)\s*\}\}/g, (_, key: string) => words[key] ?? "").trim();
}

function reportOf(
  integration: Exclude<Integration, { result: "cancelled" }>,
  target: IntegrationTarget,
): CompletedReport {
  const said = { outcome: "completed", outputs: {}, stories: null } as const;
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
