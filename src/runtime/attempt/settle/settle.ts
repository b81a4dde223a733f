// Settles an attempt: from an answer to the report that the store gets. One way for every answer: of an agent that Pawl started, of
// one that pulled, of an execution that ended without its driver, and of the runtime itself.

import { noUsage } from "../../../domain/attempt.ts";
import { hasStoryTrees } from "../../../domain/definition.ts";
import type { Report } from "../../../domain/report.ts";
import { discards } from "../../../engine/attempts/endings.ts";
import { hasDied } from "../../../executors/executor.ts";
import type { LeftInFiles } from "../../../protocols/protocol.ts";
import { restoreSnapshot } from "../../../workspaces/trees/restore.ts";
import type { Parts } from "../../parts.ts";
import { explained } from "../../site.ts";
import type { StopSwitch } from "../../stop-switch.ts";
import { inHealthyTree } from "../../trees/healing.ts";
import { commitLeftBy, commitsBetweenSteps } from "../../trees/left-work.ts";
import { assertNotEnded } from "../../trees/lost-tree.ts";
import { hasOwnTree } from "../../trees/part-trees.ts";
import { salvage } from "../../trees/salvage.ts";
import type { BegunAttempt } from "../begin/begin.ts";
import type { Claim } from "../claim/claim.ts";
import type { Answer } from "../execute/answer.ts";
import { sessionFor } from "../execute/call.ts";
import { sessionOf, toldTo } from "../prepare/told.ts";
import { shownTree } from "../prepare/workspace.ts";
import { type AccountPorts, applyAccountLimits } from "./account-limits.ts";
import { checkAnswer } from "./check-answer.ts";
import { isEmptyRecord, withFacts, withFiles, withReported, withTold } from "./facts.ts";
import { withMovedRefs } from "./moved-refs.ts";
import { withNestedWork } from "./nested-work.ts";
import { replaceOutcome, troubleWith } from "./outcomes.ts";
import { noteOutside } from "./outside-writes.ts";
import { readAnswer } from "./read-answer.ts";
import { keepReadOnly } from "./read-only.ts";

export type SettlePorts = AccountPorts & Pick<Parts, "home" | "machines" | "protocols" | "site" | "store">;

/** Throws only if the answer cannot be read: after that, what the agent used is in the report, whatever goes wrong here. */
export async function settle(
  parts: SettlePorts,
  begun: BegunAttempt,
  answer: Answer,
  stop: StopSwitch,
): Promise<Report> {
  const collected = await collect(parts, begun, answer);
  const told = withTold(withReported(reportOf(parts, begun, answer, collected.files), answer), collected.files);
  const read = withFacts(told, answer.kind === "executed" && answer.isAdopted ? { adopted: true } : {});
  // A shutdown of the machine signals agent and driver at once: the agent was stopped, it did not fail.
  if (answer.kind === "executed" && hasDied(answer.end) && stop.reason !== null)
    return replaceOutcome(read, { outcome: "cancelled", why: stop.reason, retryAt: null });
  const { claim, workspace } = begun;
  // The agent may have broken the git files of its tree.
  const inTree = <T>(act: () => Promise<T>, seen: { readonly isConnected?: true } = {}) =>
    inHealthyTree(parts, claim.run, { path: workspace.path, act, ...seen });
  const again = { isConnected: true } as const;
  try {
    await assertNotEnded(parts, claim.attempt);
    // An attempt that was stopped or crashed has its reason; the files decide nothing about it.
    const isAnswered = read.outcome === "completed" || read.outcome === "invalid_output";
    if (collected.trouble !== null && isAnswered) throw collected.trouble;
    const limited = await applyAccountLimits(parts, claim, answer, read);
    const untouched = await inTree(async () => withMovedRefs(begun, await keepReadOnly(parts, begun, limited)));
    const whole = await inTree(() => withNestedWork(parts, begun, untouched), again);
    const noted = await inTree(() => noteOutside(parts, begun, answer, whole), again);
    const checked = await checkAnswer(parts, begun, answer, noted, stop);
    const known = await withFiles(withEdits(checked, answer, collected.files), begun);
    await assertNotEnded(parts, claim.attempt);
    // Checks are commands of the repository, and may have done anything to the tree.
    await inTree(() => discardWork(parts, begun, known), claim.definition.checks.length === 0 ? again : {});
    await inTree(() => commitForStories(parts, begun, known), again);
    return { ...known, tree: await inTree(() => treeShownAfter(parts, claim, answer), again) };
  } catch (error) {
    return replaceOutcome(read, troubleWith(await explained(parts.site, claim.run, error), stop));
  }
}

interface FilesRead {
  readonly files: LeftInFiles;
  /** Why its protocol could not read the files. */
  readonly trouble: unknown;
}

/** What the attempt left in files: they are read however it ended, before a rule touches the tree. */
async function collect(
  parts: Pick<Parts, "protocols" | "home" | "clock">,
  begun: BegunAttempt,
  answer: Answer,
): Promise<FilesRead> {
  if (answer.kind === "performed") return { files: {}, trouble: null };
  try {
    const { claim, workspace } = begun;
    const { collect } = parts.protocols.of(claim.run.header.definition);
    const files = await collect({ ...claim, aheadMs: parts.clock.aheadMs }, workspace.path, sessionOf(parts, begun));
    return { files, trouble: null };
  } catch (trouble) {
    return { files: {}, trouble };
  }
}

/** The answer as a report, with what it cost and what a person should know about its begin. */
function reportOf(
  parts: Pick<Parts, "executors" | "home" | "protocols">,
  { claim, missingKeys }: BegunAttempt,
  answer: Answer,
  { told, unreported }: LeftInFiles,
): Report {
  const { run, attempt, definition, insteadOf } = claim;
  const { checksDecide } = parts.protocols.of(run.header.definition);
  const prompt = toldTo(parts, claim);
  const files = { told: told ?? null, checksDecide, unreported: unreported ?? null };
  const report = readAnswer(definition, answer, run.header.definition.knownKeys, prompt, files);
  if (answer.kind === "performed") {
    const { facts = {} } = answer;
    return { ...report, usage: noUsage, session: null, tree: null, ...(isEmptyRecord(facts) ? {} : { facts }) };
  }
  const { end } = answer;
  const missing = missingKeys.map((key) => `the prompt names {{${key}}}, which has no value`);
  const instead = insteadOf === null ? [] : [`${attempt.executor} runs instead of ${insteadOf}`];
  return {
    ...report,
    notes: [...missing, ...instead, ...sessionFor(claim).notes, ...report.notes, ...end.notes],
    usage: parts.executors.priced(attempt.executor, end),
    session: end.session,
    model: end.model ?? null,
    version: end.version ?? null,
    tree: null,
  };
}

/** How the agent wants its chain changed: by tools, else by a file of its protocol. */
function withEdits(report: Report, answer: Answer, files: LeftInFiles): Report {
  if (report.outcome !== "completed" || answer.kind === "performed") return report;
  const edits = answer.reported.edits ?? files.edits;
  return edits === undefined ? report : { ...report, edits };
}

/**
 * Where the workflow wants a clean start after a failure, the work is saved as a diff and goes. Before the store knows: from then on
 * the slot may be another story's. The work of an attempt that was stopped or lost is discarded before the next one begins.
 */
async function discardWork(parts: SettlePorts, { claim, workspace }: BegunAttempt, report: Report): Promise<void> {
  const { run, attempt } = claim;
  const { path, base } = workspace;
  if (report.outcome === "completed" || report.outcome === "cancelled" || report.outcome === "lost") return;
  // Parts that run beside it read the same tree, and `keepReadOnly` has seen to it.
  if (attempt.part !== undefined && !hasOwnTree(run, attempt)) return;
  if (base === null || report.asked !== undefined || !discards(run.header, report.outcome)) return;
  await salvage(parts, run, path, { attempt, base });
  await restoreSnapshot(path, base);
}

/** Stories start from commits: what a step of the run itself left in its tree is committed before they do. */
async function commitForStories(parts: SettlePorts, { claim, workspace }: BegunAttempt, report: Report): Promise<void> {
  const { run, attempt } = claim;
  const { header } = run;
  if (workspace.base === null || attempt.story !== null || !hasStoryTrees(header.definition)) return;
  if (hasOwnTree(run, attempt)) return;
  if (report.outcome !== "completed" || report.verdict.kind === "rejected" || !commitsBetweenSteps(header)) return;
  await commitLeftBy(parts, run, workspace.path, attempt);
}

/**
 * The tree that a gate shows which opens now. None after work of the runtime itself: an integration leaves the story's tree, and what a
 * person is asked about is on the base.
 */
async function treeShownAfter(
  parts: Pick<Parts, "home" | "machines">,
  { run, attempt }: Claim,
  answer: Answer,
): Promise<string | null> {
  return answer.kind === "performed" ? null : await shownTree(parts, run, attempt.story);
}
