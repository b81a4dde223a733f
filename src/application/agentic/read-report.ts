// What Pawl makes of a hand-off or an executor-result, for people who write executors.

import type { ProjectReading } from "../../contracts/project-documents.ts";
import { readSessionFile } from "../../protocols/agentic/session-file.ts";
import type { Application } from "../application.ts";
import { readText } from "../files.ts";

export function readSessionReport(app: Application, file: string): ProjectReading {
  const { story, step, attempt, status, reason, tests, source, notes } = readSessionFile(
    readText(file, app.path(file)),
    file,
  );
  return { story, step, attempt, status, reason, tests, source, notes };
}
