// Sets up a project: `.ai/` with its first STATE.json, the documents that prompts refer to, and the hook of the executor. A file that
// is there is kept, whatever it says; only the chosen level and name replace those that were chosen before.

import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { AppError } from "../../domain/error.ts";
import { firstState, foreignState } from "../../protocols/agentic/first-state.ts";
import { asLevel, chooseSettings, type Level } from "../../protocols/agentic/project-settings.ts";
import { writeInside } from "../../system/files/inside.ts";
import { readIfReadable, readOptional } from "../../system/files/text.ts";
import { packageFile } from "../../system/package-root.ts";
import type { Application } from "../application.ts";
import { projectPlace } from "./place.ts";

export interface InitProjectRequest {
  readonly dir?: string | undefined;
  /** Default: the name of the folder. */
  readonly name?: string | undefined;
  readonly level?: string | undefined;
}

export interface InitializedProject {
  readonly root: string;
  readonly name: string;
  readonly level: Level;
  /** Paths in the project. */
  readonly written: readonly string[];
  /** Paths in the project that were there and stay as they were. */
  readonly kept: readonly string[];
  /** What a person should do by hand. */
  readonly notes: readonly string[];
}

const templates = packageFile("workflows", "agentic-coding", "templates");
const stateFile = join(".ai", "STATE.json");

/** What must be in one of the files, so that an executor finds the protocol and its end is noticed. */
const references = [".ai/PROTOCOL.md", "pawl project hook"];

export async function initProject(app: Application, request: InitProjectRequest): Promise<InitializedProject> {
  const wanted = levelOf(request.level);
  const place = await projectPlace(app, request.dir);
  const { root, ai } = place;
  const state = readOptional(join(root, stateFile));
  const foreign = state === null ? null : foreignState(state);
  if (foreign !== null) {
    throw new AppError("REFUSED", `${join(root, stateFile)} ${foreign}; nothing was changed`, {
      hint: "use --dir for another folder, or move the file",
    });
  }
  const settings = { name: nameOf(request.name) ?? nameIn(state) ?? place.name, level: wanted ?? place.level };
  const files = filesOf(settings.name);
  const isThere = ([path]: readonly [string, string]) => existsSync(join(root, path));
  const kept = files.filter(isThere).map(([path]) => path);
  const missing = files.filter((file) => !isThere(file));
  for (const [path, text] of missing) writeInside(root, join(root, path), text);
  chooseSettings(ai, settings);
  return {
    root,
    ...settings,
    written: missing.map(([path]) => path),
    kept,
    notes: notesOn(root, files),
  };
}

/** Path in the project and text. STATE.json is last: a project that has it is complete. */
function filesOf(name: string): readonly (readonly [path: string, text: string])[] {
  const paths = globSync("**/{*.md,*.yaml,*.json,dot-gitignore}", { cwd: templates }).toSorted();
  const documents = paths.map((path): [string, string] => [
    path.replaceAll(/(^|[\\/])dot-/g, "$1."),
    readFileSync(join(templates, path), "utf8").replaceAll("{{project}}", name),
  ]);
  return [...documents, [stateFile, firstState(name)]];
}

function notesOn(root: string, files: ReturnType<typeof filesOf>): readonly string[] {
  return references.flatMap((reference) => {
    const places = files.filter(([path, text]) => !path.endsWith(basename(reference)) && text.includes(reference));
    const [first] = places;
    if (first === undefined || places.some(([path]) => (readIfReadable(join(root, path)) ?? "").includes(reference)))
      return [];
    const line = first[1].split("\n").find((each) => each.includes(reference)) ?? reference;
    return [`${first[0]} stays as it is and does not mention ${reference}; add to it: ${line.trim()}`];
  });
}

function levelOf(given: string | undefined): Level | null {
  if (given === undefined) return null;
  const level = asLevel(given);
  if (level !== null) return level;
  throw new AppError("USAGE", `"${given}" is not a level; nothing was changed`, { hint: "use --level 0, 1 or 2" });
}

function nameOf(given: string | undefined): string | null {
  const name = given?.trim();
  if (name === undefined) return null;
  if (name !== "" && !/\p{Cc}/u.test(name)) return name;
  throw new AppError("USAGE", "the name of a project is one line with at least one letter; nothing was changed", {
    hint: `leave --name out to call it ${JSON.stringify(basename(process.cwd()))}`,
  });
}

/** What another orchestrator called it. */
function nameIn(state: string | null): string | null {
  if (state === null) return null;
  const { project } = JSON.parse(state.replace(/^\uFEFF/, "")) as { readonly project: unknown };
  return typeof project === "string" && project !== "" ? project : null;
}
