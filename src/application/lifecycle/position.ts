// Where a project with a `.workflow` folder stands, and what one of its result files says. Changes nothing.

import type { LifecyclePosition, LifecycleReading } from "../../contracts/lifecycle-documents.ts";
import { AppError } from "../../domain/error.ts";
import type { Evidence } from "../../domain/evidence.ts";
import { type ResultKind, resultReaders } from "../../protocols/lifecycle/readers/result-readers.ts";
import { phaseValue } from "../../protocols/lifecycle/standing/phase-story.ts";
import { type Standing, standingOf } from "../../protocols/lifecycle/standing/position.ts";
import { type ProjectFolder, projectFolder } from "../../protocols/lifecycle/standing/project-folder.ts";
import type { Application } from "../application.ts";
import { readText } from "../files.ts";
import { lifecycleProject } from "./project.ts";

export interface PositionRequest {
  readonly dir?: string;
  readonly phase?: string;
}

export function lifecyclePosition(app: Application, { dir, phase }: PositionRequest): LifecyclePosition {
  const folder = projectFolder(lifecycleProject(app, dir).root);
  const standing = standingOf(folder, phase === undefined ? {} : { phase });
  if (standing.kind === "unclear") throw positionUnclear(folder, standing);
  const { position, why, evidence, milestone } = standing;
  return { position, phase: phaseValue(standing.phase), milestone, evidence: evidence.map(plain), why };
}

/** Where the project stands cannot be told: with the state as it is, so that a person can see why. */
export function positionUnclear(
  folder: ProjectFolder,
  { code, why, evidence }: Extract<Standing, { readonly kind: "unclear" }>,
): AppError {
  const places = evidence.map(({ file, place }) => (place === null ? file : `${file} ${place}`));
  return new AppError("INPUT_INVALID", `${code}: where the project stands cannot be told: ${why}`, {
    details: rawState(folder),
    hint: `look at ${places.join(", ") || ".workflow"}; \`pawl lifecycle position\` changes nothing`,
  });
}

const mostLines = 20;

function rawState(folder: ProjectFolder): readonly string[] {
  try {
    const lines = (folder.text(".workflow/state.json") ?? "").split("\n").filter((line) => line.trim() !== "");
    const shown = lines.slice(0, mostLines).map((line) => line.slice(0, 200));
    return lines.length > shown.length ? [...shown, `… ${lines.length - shown.length} more lines`] : shown;
  } catch {
    return [];
  }
}

export function readResultFile(app: Application, kind: string, file: string): LifecycleReading {
  if (!isKind(kind)) {
    throw new AppError("INPUT_INVALID", `${kind} is no kind of result file`, {
      hint: `there are ${Object.keys(resultReaders).join(", ")}`,
    });
  }
  try {
    const { verdict, why, places } = resultReaders[kind](readText(file, app.path(file)));
    return { verdict, why, evidence: (places.length === 0 ? [""] : places).map((place) => ({ file, place })) };
  } catch (error) {
    // A file that is not there, or is no file, says nothing. That is an answer, and never a pass.
    if (!(error instanceof AppError)) throw error;
    return { verdict: "unknown", why: error.message, evidence: [{ file, place: "" }] };
  }
}

function plain({ file, place }: Evidence): LifecyclePosition["evidence"][number] {
  return { file, place: place ?? "" };
}

function isKind(kind: string): kind is ResultKind {
  return Object.hasOwn(resultReaders, kind);
}
