// The sessions of lifecycles that this store knows, each as `pawl lifecycle status` shows it, the newest first.

import { basename } from "node:path";
import type { SessionList } from "../../contracts/http-documents.ts";
import type { LifecycleSession } from "../../contracts/lifecycle-documents.ts";
import { projectOf } from "../../protocols/lifecycle/standing/workflow-folder.ts";
import { shellWord } from "../../system/process/words.ts";
import type { Application } from "../application.ts";
import { sessionSummary, viewSession } from "./view.ts";

export async function knownSessions(app: Application): Promise<SessionList> {
  const { store } = (await app.read()).parts;
  const sessions: LifecycleSession[] = [];
  for (const folder of (await store.places()).shared) {
    const root = projectOf({ shared: folder });
    const [summary] = root === null ? [] : await store.runsAt({ shared: folder, source: null });
    const run = summary === undefined ? null : await store.wholeRun(summary.id);
    if (root === null || summary === undefined || run === null) continue;
    const view = await viewSession(app, { summary, run, id: basename(folder), folder });
    sessions.push(sessionSummary(view, { root, flag: ` --dir ${shellWord(root)}` }));
  }
  return { sessions };
}
