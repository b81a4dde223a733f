// What a person looks at before answering a gate. Owns: one gate as a document, and the diff that is approved: since the base, and since
// what was shown at this step before.

import type { GateDiff, ShownBefore } from "../../contracts/diff-document.ts";
import type { GateView } from "../../contracts/run-documents.ts";
import { AppError } from "../../domain/error.ts";
import { answerOf, isQuestion, namesOf, type PersonGate, reasonsOf } from "../../domain/gate.ts";
import { gateId } from "../../domain/ids.ts";
import { type Run, scopeOf } from "../../domain/run.ts";
import { gateDocument, isoTime } from "../../runtime/views/status.ts";
import type { RunSummary } from "../../store/store.ts";
import { diffBetween, diffWithTree, existingTree, pageDiffLimits, type TreeDiff } from "../../workspaces/trees/diff.ts";
import type { Application, ReadSession } from "../application.ts";
import { changesOf, noChanges } from "../diffs/diff.ts";
import { type FoundWork, workOfRun, workOfStory } from "../diffs/work-of.ts";
import { findRun, storyIn, wholeRun } from "../references.ts";

/** By its id, open or not. */
export async function gateView(app: Application, id: string): Promise<GateView> {
  const { gate, run, summary } = await findGate(app, id);
  const answer = answerOf(gate);
  const reasons = namesOf(gate.options).map((option) => [option, reasonsOf(gate.options, option)]);
  return {
    ...gateDocument(gate),
    run: summary.id,
    number: summary.number,
    task: summary.task,
    runStatus: summary.status,
    reasons: Object.fromEntries(reasons),
    base: run.header.place.base,
    shown: shownBefore(run, gate),
    answer: answer && {
      option: answer.option,
      reason: answer.reason,
      note: answer.note,
      by: answer.by,
      at: isoTime(answer.at),
    },
  };
}

/** `shown`: since the tree that a person was shown at this step before; since the base where there was none. */
export async function gateDiff(app: Application, id: string, since: "base" | "shown"): Promise<GateDiff> {
  const { gate, run, summary, parts } = await findGate(app, id);
  const { number } = summary;
  const found = { run, number };
  const located = await (gate.story === null
    ? workOfRun(parts, found)
    : workOfStory(parts, found, storyIn(run.header, number, gate.story)));
  const repo = run.header.place.repo ?? "";
  const shown = shownBefore(run, gate);
  const isGone = shown !== null && (await existingTree(repo, shown.tree)) === null;
  const other = since === "shown" && !isGone ? shown : null;
  const compared = await compare(repo, gate, located, other?.tree ?? null);
  const { notes, ...changes } = changesOf(compared.diff, pageDiffLimits);
  return {
    gate: gate.id,
    run: summary.id,
    number,
    story: gate.story,
    since,
    shown,
    from: compared.from,
    tree: compared.tree,
    isMoved: gate.state.status === "open" && gate.tree !== null && compared.tree !== gate.tree,
    ...changes,
    notes: [...(since === "shown" ? shownNotes(shown, isGone) : []), ...located.notes, ...compared.notes, ...notes],
  };
}

function shownNotes(shown: ShownBefore | null, isGone: boolean): readonly string[] {
  if (shown === null) return ["nothing was shown at this step before: all changes since the base are here"];
  return isGone ? ["the repository has not kept what was shown before: all changes since the base are here"] : [];
}

interface Compared {
  readonly from: string | null;
  readonly tree: string | null;
  readonly diff: Omit<TreeDiff, "tree">;
  readonly notes: readonly string[];
}

/** An open gate is about the work as it is now; another one about the tree that it has shown. `from` null: since the base. */
async function compare(repo: string, gate: PersonGate, { work }: FoundWork, from: string | null): Promise<Compared> {
  const base = from ?? ("from" in work ? work.from : null);
  if (base === null) {
    const why = work.in === "nothing" ? work.why : "what the work began from is not known any more";
    return { from: null, tree: null, diff: noChanges, notes: [why] };
  }
  if (gate.state.status === "open" && work.in === "tree") {
    const { tree, ...diff } = await diffWithTree(work.path, base, pageDiffLimits);
    return { from: base, tree, diff, notes: [] };
  }
  const asked = gate.state.status === "open" ? ("to" in work ? work.to : null) : gate.tree;
  const tree = asked ? await existingTree(repo, asked) : null;
  if (tree === null) {
    throw new AppError("NOT_FOUND", `the work that gate ${gate.id} has shown is gone: the repository has not kept it`, {
      hint: "`pawl diff RUN` shows what the run has changed by now",
    });
  }
  return { from: base, tree, diff: await diffBetween(repo, base, tree, pageDiffLimits), notes: [] };
}

/** The last gate of the same step that a person answered before this one was opened. */
function shownBefore(run: Run, gate: PersonGate): ShownBefore | null {
  const earlier = (scopeOf(run, gate.story)?.gates ?? [])
    .filter(isQuestion)
    .filter(({ id, step, part, tree }) => id !== gate.id && step === gate.step && part === gate.part && tree)
    .flatMap((other) => {
      const answer = answerOf(other);
      if (answer === null || answer.at > gate.openedAt) return [];
      const { at, option, by } = answer;
      return [{ gate: other.id, tree: other.tree ?? "", at: isoTime(at), option, by }];
    });
  return earlier.at(-1) ?? null;
}

interface FoundGate {
  readonly gate: PersonGate;
  readonly run: Run;
  readonly summary: RunSummary;
  readonly parts: ReadSession["parts"];
}

async function findGate(app: Application, id: string): Promise<FoundGate> {
  const { parts } = await app.read();
  const found = await parts.store.gate(gateId(id));
  if (found === null || !isQuestion(found.gate))
    throw new AppError("NOT_FOUND", `there is no gate ${id}`, { hint: "`pawl gates` lists the open ones" });
  const summary = await findRun(parts.store, found.run);
  return { gate: found.gate, run: await wholeRun(parts.store, summary), summary, parts };
}
