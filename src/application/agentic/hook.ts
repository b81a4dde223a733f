// The end of a session that Pawl did not start: reads its report, runs the checks, and lets the run decide. A session that is late, or
// that a driver watches, changes nothing.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Attempt } from "../../domain/attempt.ts";
import { isPerformed } from "../../domain/definition.ts";
import type { Run } from "../../domain/run.ts";
import { aiFolder } from "../../protocols/agentic/ai-folder.ts";
import { leftBy, otherHandoff } from "../../protocols/agentic/collected.ts";
import { stateReport } from "../../protocols/agentic/state-report.ts";
import { howToReport } from "../../protocols/agentic/what-to-write.ts";
import { completePulledStep } from "../../runtime/loop/pull.ts";
import { driversOf } from "../../runtime/worker.ts";
import { appendInside } from "../../system/files/inside.ts";
import type { Application } from "../application.ts";
import { catchUp } from "./catch-up.ts";
import { folderTrouble } from "./folder-owner.ts";
import { type ProjectPlace, projectPlace } from "./place.ts";
import { viewProject } from "./view.ts";

export interface Hooked {
  /** Whether the report ended an attempt. */
  readonly ended: boolean;
  /** What happened, in plain words. */
  readonly report: string;
}

/** Every expected state is a value: the host that calls this must not break. */
export async function hookSession(app: Application, dir: string | undefined): Promise<Hooked> {
  if (app.env["PAWL_ATTEMPT"] !== undefined)
    return { ended: false, report: "Pawl started this session and sees its end itself." };
  const place = await projectPlace(app, dir);
  if (!existsSync(join(place.ai, "STATE.json")))
    return { ended: false, report: `${place.root} has no .ai/STATE.json.` };
  const trouble = await folderTrouble(app, place);
  if (trouble !== null) return { ended: false, report: `${trouble.why}. ${trouble.hint}` };
  await catchUp(app, place);
  const view = await viewProject(app, place);
  const { entry, whole } = view;
  const step =
    entry === null ? undefined : whole?.stories[entry.id]?.chain.find((each) => each.state.status === "running");
  const id = step?.state.status === "running" ? step.state.attempt : null;
  const attempt = entry === null ? undefined : whole?.stories[entry.id]?.attempts.find((each) => each.id === id);
  if (attempt === undefined || entry === null) return noted(place, `a session ended, but nothing runs: ${view.report}`);
  if (attempt.driver !== "pull") {
    const { parts } = await app.read();
    const isDriven = view.run !== null && (await driversOf(parts)).has(view.run.id);
    const whose = isDriven
      ? "is watched by its own driver"
      : "has no driver: `pawl project continue --await` takes its report";
    return noted(place, `${entry.id} ${attempt.name} ${whose}`);
  }
  const late = whole === null ? null : lateReport(place, whole, attempt);
  if (late !== null) return noted(place, late);
  const decision = await app.change(null, async ({ parts }) => await completePulledStep(parts, attempt.id, null, ""));
  const after = await viewProject(app, place);
  return decision.accepted ? { ended: true, report: after.report } : noted(place, `refused: ${decision.why}`);
}

/** Another program's hook has written the end of the session that was handed out into STATE.json: that ends it, too. */
export async function takeHookFields(app: Application, place: ProjectPlace): Promise<void> {
  const { entry, whole } = await viewProject(app, place);
  const attempts = entry === null ? undefined : whole?.stories[entry.id]?.attempts;
  const attempt = attempts?.find((each) => each.state.phase === "started" && each.driver === "pull");
  if (attempt === undefined || stateReport(aiFolder(place.ai), attempt, []) === null) return;
  await app.change(null, async ({ parts }) => await completePulledStep(parts, attempt.id, null, ""));
}

/** The session that ended is another one, or this one has left nothing: in both cases what runs goes on. */
function lateReport({ ai }: ProjectPlace, run: Run, attempt: Attempt): string | null {
  const folder = aiFolder(ai);
  const definition = run.header.definition.steps
    .flatMap((step) => (step.kind === "stories" ? step.body : []))
    .find(({ name }) => name === attempt.name);
  if (definition === undefined || !isPerformed(definition)) return null;
  const session = { isOthers: true, told: () => ({ text: "", written: "" }) };
  if (leftBy({ run, attempt, definition, session }, folder).report !== null) return null;
  const other = otherHandoff({ run, attempt }, folder);
  if (other === null) return null;
  const own = `${attempt.story} ${attempt.name} attempt ${attempt.number}`;
  const way = `${howToReport(attempt)} Then call the hook again, or stop it with \`pawl project abort\`.`;
  return `late: the report is for ${other}, not for ${own}, which goes on. ${way}`;
}

function noted(place: ProjectPlace, report: string): Hooked {
  log(place, report);
  return { ended: false, report };
}

function log({ ai }: ProjectPlace, text: string): void {
  const { root, log: file } = aiFolder(ai);
  appendInside(root, file, `${new Date().toISOString()} hook: ${text}\n`);
}
