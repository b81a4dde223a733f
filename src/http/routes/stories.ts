// Routes that change single stories of a run: those that have not started, those at work, and those that are integrated.

import { z } from "zod";
import { dropOneStory } from "../../application/steering/drop.ts";
import { revert } from "../../application/steering/revert.ts";
import { addStoriesTo, editStory, type MoveTo, moveStory } from "../../application/steering/story-plan.ts";
import { droppedContract, revertContract, storyPlanContract } from "../../contracts/run-documents.ts";
import { type ApiRoute, apiRoute } from "../route.ts";

const id = z.string().min(1).max(200);
const title = z.string().min(1).max(1_000);
const description = z.string().optional();
const criteria = z.array(z.string().max(10_000)).max(200).optional();
const reason = z.string().max(1_000).optional();

const newStory = z.strictObject({
  id,
  title,
  description,
  criteria,
  after: z.array(id).max(200).optional().describe("It starts when these stories are done."),
  priority: z.number().optional().describe("The lowest starts first."),
});

export const storyRoutes: readonly ApiRoute[] = [
  apiRoute(
    "POST /runs/{run}/stories",
    "operate",
    "add stories to a run that lasts",
    storyPlanContract,
    async ({ app, path, body, author }) => await addStoriesTo(app, path("run"), body.stories, author),
    { body: z.strictObject({ stories: z.array(newStory).min(1).max(100) }) },
  ),
  apiRoute(
    "POST /runs/{run}/stories/{story}/edit",
    "operate",
    "change the words of a story that has not started",
    storyPlanContract,
    async ({ app, path, body: { title: other, ...words }, author }) => {
      const changed = { ...words, ...(other === undefined ? {} : { title: other }) };
      return await editStory(app, path("run"), path("story"), changed, author);
    },
    { body: z.strictObject({ title: title.optional(), description, criteria }) },
  ),
  apiRoute(
    "POST /runs/{run}/stories/{story}/move",
    "operate",
    "let a story that has not started start earlier or later",
    storyPlanContract,
    async ({ app, path, body, author }) => await moveStory(app, path("run"), path("story"), targetOf(body), author),
    {
      body: z
        .strictObject({
          first: z.literal(true).optional().describe("Before all others that have not started."),
          before: id.optional(),
          after: id.optional(),
        })
        .refine((to) => Object.values(to).filter((value) => value !== undefined).length === 1, {
          message: "give one of first, before and after",
        }),
    },
  ),
  apiRoute(
    "POST /runs/{run}/stories/{story}/skip",
    "operate",
    "leave out a story that has not started; what depends on it starts without it",
    droppedContract,
    async ({ app, path, body, author }) =>
      await dropOneStory(app, path("run"), path("story"), {
        as: "done",
        reason: body.reason,
        onlyUnbegun: true,
        author,
      }),
    { body: z.strictObject({ reason }) },
  ),
  apiRoute(
    "POST /runs/{run}/stories/{story}/drop",
    "operate",
    "end a story as failed, or as done without its work; the others continue",
    droppedContract,
    async ({ app, path, body, author }) => await dropOneStory(app, path("run"), path("story"), { ...body, author }),
    { body: z.strictObject({ as: z.enum(["failed", "done"]).optional(), reason }) },
  ),
  apiRoute(
    "POST /runs/{run}/stories/{story}/revert",
    "operate",
    "take the commit of an integrated story back by a new commit",
    revertContract,
    async ({ app, path, body, author }) =>
      await revert(app, path("run"), path("story"), { yes: body.evenIfNeeded, author }),
    {
      body: z.strictObject({
        evenIfNeeded: z.boolean().optional().describe("Also where other stories depend on it."),
      }),
    },
  ),
];

function targetOf(to: { first?: true | undefined; before?: string | undefined; after?: string | undefined }): MoveTo {
  if (to.before !== undefined) return { before: to.before };
  return to.after === undefined ? { first: true } : { after: to.after };
}
