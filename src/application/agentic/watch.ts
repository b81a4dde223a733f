// Looks at a project again and again: ends attempts whose time is over, and says what changed. For level 1 and for programs that are
// awaited; a driver sees the time of its own attempts.

import type { Application } from "../application.ts";
import { catchUp } from "./catch-up.ts";
import { takeHookFields } from "./hook.ts";
import { projectAt } from "./place.ts";
import { type ProjectView, viewProject } from "./view.ts";

export interface WatchRequest {
  readonly dir?: string | undefined;
  readonly everyMs: number;
  readonly signal: AbortSignal;
  /** Called with the report when it differs from the last one. */
  readonly onReport: (report: string) => void;
}

export async function watchProject(app: Application, request: WatchRequest): Promise<void> {
  let last = "";
  while (!request.signal.aborted) {
    const { report } = await lookAgain(app, request.dir);
    if (report !== last) request.onReport(report);
    last = report;
    await pause(request);
  }
}

/** One look. */
async function lookAgain(app: Application, dir: string | undefined): Promise<ProjectView> {
  const place = await projectAt(app, dir);
  await catchUp(app, place);
  await takeHookFields(app, place);
  return await viewProject(app, place);
}

async function pause({ everyMs, signal }: WatchRequest): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, everyMs);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
