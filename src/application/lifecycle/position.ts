// Where a project with a `.workflow` folder stands, and what one of its result files says. Changes nothing.

import type { LifecyclePosition, LifecycleReading } from "../../contracts/lifecycle-documents.ts";
import { AppError } from "../../domain/error.ts";
import { standingOf } from "../../protocols/lifecycle/position.ts";
import { projectFolder } from "../../protocols/lifecycle/project-folder.ts";
import { type ResultKind, resultReaders } from "../../protocols/lifecycle/readers/result-readers.ts";
import type { Application } from "../application.ts";
import { readText } from "../files.ts";

export interface PositionRequest {
  readonly dir?: string;
  readonly phase?: string;
}

export function lifecyclePosition(app: Application, { dir, phase }: PositionRequest): LifecyclePosition {
  const standing = standingOf(projectFolder(app.path(dir ?? ".")), phase === undefined ? {} : { phase });
  const { why, evidence, milestone } = standing;
  if (standing.kind === "known")
    return { position: standing.position, phase: standing.phase, milestone, evidence: [...evidence], why };
  const places = evidence.map(({ file, place }) => (place === "" ? file : `${file} ${place}`));
  throw new AppError("INPUT_INVALID", `${standing.code}: where the project stands cannot be told: ${why}`, {
    hint: `look at ${places.join(", ") || ".workflow"}; \`pawl lifecycle position\` changes nothing`,
  });
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

function isKind(kind: string): kind is ResultKind {
  return Object.hasOwn(resultReaders, kind);
}
