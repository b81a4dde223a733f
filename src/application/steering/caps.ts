// Caps of a run. Owns: showing them with what is used, and raising them.

import type { CapsOfRun } from "../../contracts/run-documents.ts";
import { counted } from "../../domain/counted.ts";
import type { CapName, Definition } from "../../domain/definition.ts";
import { AppError } from "../../domain/error.ts";
import type { Header } from "../../domain/run.ts";
import { fittingCaps, plannedWork } from "../../engine/caps.ts";
import { capsOf } from "../../engine/limits.ts";
import { transition } from "../../runtime/transition/transition.ts";
import type { RunSummary } from "../../store/store.ts";
import type { Application } from "../application.ts";
import { findRun, wholeRun } from "../references.ts";

export type RaisedCaps = Readonly<Partial<Record<CapName, number>>>;

/** Without a cap to raise, they are only shown. */
export async function cap(
  app: Application,
  reference: string,
  caps: RaisedCaps,
  author = app.author,
): Promise<CapsOfRun> {
  if (Object.keys(caps).length === 0) {
    const { store, clock } = (await app.read()).parts;
    const summary = await findRun(store, reference);
    return documentOf(summary, (await wholeRun(store, summary)).header, clock.now());
  }
  return await app.change(null, async ({ parts }) => {
    const summary = await findRun(parts.store, reference);
    const at = parts.clock.now();
    const decision = await transition(parts, summary.id, { type: "raise_caps", caps, at, author });
    if (decision.accepted) return documentOf(summary, decision.run.header, at);
    throw new AppError("REFUSED", `run #${summary.number}: ${decision.why}`, {
      hint: `\`pawl cap ${summary.number}\` shows its caps and what is used`,
    });
  });
}

/** Of each cap, the lower one counts. */
export function lowerCaps(definition: Definition, asked: RaisedCaps): Definition {
  const lower = Object.entries(asked).filter(([name, limit]) => limit < definition.caps[name as CapName]);
  return { ...definition, caps: { ...definition.caps, ...Object.fromEntries(lower) } };
}

/** What a run of so many stories should know before it starts: a cap that a file sets and that its plan exceeds. */
export function capWarnings(definition: Definition, stories: { readonly all: number; readonly open: number }) {
  const needs = plannedWork(definition, stories.open);
  const caps = fittingCaps(definition, definition.caps, stories.all);
  const exceeded = (["attempts", "steps"] as const).filter((name) => needs[name] > caps[name]);
  const notes = exceeded.map(
    (name) =>
      `${counted(stories.open, "story needs", "stories need")} at least ${counted(needs[name], name.slice(0, -1))}, but the workflow or the configuration allows ${caps[name]}: raise the cap there, or with \`pawl cap RUN --${name} N\` when the run has begun`,
  );
  return { needs, caps: { attempts: caps.attempts, steps: caps.steps }, notes };
}

function documentOf({ id, number, status }: RunSummary, header: Header, at: number): CapsOfRun {
  // A run may have as many steps as its cap says; only one more reaches it.
  const caps = capsOf(header, at).map(({ name, used, limit }) => ({
    name,
    limit,
    used: name === "steps" ? header.totals.steps : used,
  }));
  return { run: id, number, status, caps };
}
