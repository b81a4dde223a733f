// Drops one step or one story of a run, as done or as failed; the rest of the run continues.

import type { DroppedDocument } from "../../contracts/run-documents.ts";
import type { DropStep, DropStory } from "../../domain/command.ts";
import { AppError } from "../../domain/error.ts";
import { storyId } from "../../domain/ids.ts";
import { transition } from "../../runtime/transition/transition.ts";
import type { Application } from "../application.ts";
import { findRun } from "../references.ts";

export interface DropRequest {
  /** Default: failed. */
  readonly as?: "done" | "failed" | undefined;
  readonly reason?: string | undefined;
  readonly author?: string | undefined;
  /** Refuses a story that has begun. */
  readonly onlyUnbegun?: true | undefined;
}

/** Its work stays on its branch and is not integrated. */
export async function dropOneStory(
  app: Application,
  reference: string,
  story: string,
  request: DropRequest = {},
): Promise<DroppedDocument> {
  const only = request.onlyUnbegun ? { onlyUnbegun: true as const } : {};
  return await drop(app, reference, { ...only, type: "drop_story", of: storyId(story) }, request);
}

export async function dropOneStep(
  app: Application,
  reference: string,
  { step, story }: { readonly step: string; readonly story?: string | undefined },
  request: DropRequest = {},
): Promise<DroppedDocument> {
  const of = story === undefined ? null : storyId(story);
  return await drop(app, reference, { type: "drop_step", story: of, step }, request);
}

type What = Pick<DropStep, "type" | "story" | "step"> | Pick<DropStory, "type" | "of" | "onlyUnbegun">;

async function drop(
  app: Application,
  reference: string,
  what: What,
  { as = "failed", reason = "", author = app.author }: DropRequest,
): Promise<DroppedDocument> {
  return await app.change(null, async ({ parts }) => {
    const found = await findRun(parts.store, reference);
    const decision = await transition(parts, found.id, { ...what, as, reason, at: parts.clock.now(), author });
    if (!decision.accepted) {
      const code = decision.code === "unknown" ? "NOT_FOUND" : "REFUSED";
      throw new AppError(code, `run #${found.number}: ${decision.why}`, {
        hint: `nothing was changed; \`pawl status ${found.number}\` shows the run`,
      });
    }
    const stops = decision.events.some(({ type }) => type === "attempt_stopping");
    const after = (await parts.store.runById(found.id)) ?? found;
    const story = what.type === "drop_story" ? what.of : what.story;
    const step = what.type === "drop_story" ? null : what.step;
    return { run: found.id, number: found.number, story, step, as, ended: !stops, status: after.status };
  });
}
