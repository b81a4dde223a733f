// The end of a session that Pawl did not start: reads its report, runs the checks, and lets the run decide. A session that is late, or
// that a driver watches, changes nothing.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { readSessionFile } from "../../protocols/agentic/session-file.ts";
import { completePulledStep } from "../../runtime/loop/pull.ts";
import { appendInside } from "../../system/files/inside.ts";
import { readIfReadable } from "../../system/files/text.ts";
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
  const { state, entry, whole } = view;
  const step =
    entry === null ? undefined : whole?.stories[entry.id]?.chain.find((each) => each.state.status === "running");
  const id = step?.state.status === "running" ? step.state.attempt : null;
  const attempt = entry === null ? undefined : whole?.stories[entry.id]?.attempts.find((each) => each.id === id);
  if (attempt === undefined || entry === null) return noted(place, `a session ended, but nothing runs: ${view.report}`);
  if (attempt.driver !== "pull") return noted(place, `${entry.id} ${attempt.name} is watched by its own driver`);
  const other = otherSession(place, { story: entry.id, step: attempt.name, attempt: state.attempt });
  if (other !== null)
    return noted(
      place,
      `late: the report is for ${other}, not for ${entry.id} ${attempt.name} attempt ${state.attempt}`,
    );
  const decision = await app.change(null, async ({ parts }) => await completePulledStep(parts, attempt.id, null, ""));
  const after = await viewProject(app, place);
  if (!decision.accepted) return noted(place, `refused: ${decision.why}`);
  log(place, `${entry.id} ${attempt.name} attempt ${state.attempt} ended: ${after.report.split("\n")[0]}`);
  return { ended: true, report: after.report };
}

/** Another session than the one that runs, if a report says that it is of one. */
function otherSession(
  { ai }: ProjectPlace,
  now: { readonly story: string; readonly step: string; readonly attempt: number },
): string | null {
  for (const name of ["executor-result", "HANDOFF.md"]) {
    const text = readIfReadable(join(ai, name));
    if (text === null) continue;
    const { story, step, attempt } = readSessionFile(text, name);
    const isOther =
      (story !== null && story !== now.story) ||
      (step !== null && step !== now.step) ||
      (attempt !== null && attempt !== now.attempt);
    return isOther ? `${story ?? now.story} ${step ?? now.step} attempt ${attempt ?? "?"}` : null;
  }
  return null;
}

function noted(place: ProjectPlace, report: string): Hooked {
  log(place, report);
  return { ended: false, report };
}

function log({ ai }: ProjectPlace, text: string): void {
  appendInside(ai, join(ai, "hook.log"), `${new Date().toISOString()} hook: ${text}\n`);
}
