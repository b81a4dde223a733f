// What comes from a channel: a person's words for one of the projects that runs of this store have worked on. The words decide what the
// caller must be allowed to do; that is asked before anything is looked at. Whatever moves is left to the service.

import { isAbsolute } from "node:path";
import type { ProjectMessage } from "../../contracts/http-documents.ts";
import type { Role } from "../../domain/api-token.ts";
import { AppError } from "../../domain/error.ts";
import { type PersonIntent, parseIntent } from "../../protocols/agentic/intent.ts";
import { realPath } from "../../system/files/paths.ts";
import type { Application } from "../application.ts";
import { knownPlaces } from "./known-projects.ts";
import type { ProjectPlace } from "./place.ts";
import { say } from "./say.ts";

export interface SaidToProject {
  readonly text: string;
  /** By its name, or its folder. Neither: the one that the words name, or the only one. */
  readonly project?: string | undefined;
  readonly dir?: string | undefined;
  readonly author: string;
  /** Throws where the caller may not. */
  readonly assertRole: (needed: Role) => void;
  readonly signal: AbortSignal;
}

/** The rules of `parseIntent` are expressions; a text without end would keep them busy. */
export const longestMessage = 4_000;

const roleFor: Readonly<Record<PersonIntent["action"], Role>> = {
  status: "read",
  stop: "read",
  unknown: "read",
  approve: "answer",
  reject: "answer",
  continue: "operate",
  retry: "operate",
  skip: "operate",
  abort: "operate",
};

export async function sayKnown(app: Application, message: SaidToProject): Promise<ProjectMessage> {
  const { text, author, signal } = message;
  const { action, name } = parseIntent(text);
  message.assertRole(roleFor[action]);
  const { root, name: project } = await placeFor(app, message, name);
  const said = await say(await app.as(author), text, { dir: root, signal, isLeft: true });
  return { project, action: said.action, reply: said.reply, continued: said.continued?.result ?? null };
}

async function placeFor(
  app: Application,
  { project, dir }: SaidToProject,
  named: PersonIntent["name"],
): Promise<ProjectPlace> {
  const { places } = await knownPlaces(app);
  const inFolder =
    dir === undefined ? places : isAbsolute(dir) ? places.filter(({ root }) => root === realPath(dir)) : [];
  const called = (wanted: string) => inFolder.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  const found = project === undefined ? inFolder : called(project);
  // "continue A" names its project itself; "continue US-001" names a story of the only one.
  const meant = project === undefined && dir === undefined && named !== null ? called(named) : [];
  const [place, ...others] = meant.length > 0 ? meant : found;
  if (place !== undefined && others.length === 0) return place;
  const names = places.map(({ name, root }) => `${name} (${root})`).join(", ");
  const hint = names === "" ? "a project is known after `pawl project continue`" : `known projects: ${names}`;
  throw place === undefined
    ? new AppError("NOT_FOUND", `${project ?? dir ?? "a project"} is not known to this service`, { hint })
    : new AppError("USAGE", "which project is meant? Name it with `project` or `dir`", { hint });
}
