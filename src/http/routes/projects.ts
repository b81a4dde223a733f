// Routes about projects with `.ai/`: looking at them, and saying something to one, as a person does in a channel.

import { z } from "zod";
import { knownProjects } from "../../application/agentic/known-projects.ts";
import { longestMessage, sayKnown } from "../../application/agentic/say-known.ts";
import { projectMessageContract, projectsContract } from "../../contracts/http-documents.ts";
import { type ApiRoute, apiRoute } from "../route.ts";

const sayBody = z.strictObject({
  text: z.string().min(1).max(longestMessage).describe("What a person would say to `pawl project say`."),
  project: z.string().min(1).max(200).optional().describe("The name of a project. Not needed where only one is known."),
  dir: z.string().min(1).max(4_096).optional().describe("Its folder, as `GET /projects` has it in `root`."),
});

export const projectRoutes: readonly ApiRoute[] = [
  apiRoute(
    "GET /projects",
    "read",
    "projects with .ai/ that runs have worked on",
    projectsContract,
    async ({ app }) => await knownProjects(app),
  ),
  apiRoute(
    "POST /projects/say",
    "read",
    "what a person says to a project; an answer to a review needs the role answer, every other change operate",
    projectMessageContract,
    async ({ app, body, author, signal, assertRole }) => await sayKnown(app, { ...body, author, signal, assertRole }),
    { body: sayBody },
  ),
];
