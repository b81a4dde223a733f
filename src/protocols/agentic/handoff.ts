// Reads a HANDOFF.md: its front matter, or the reasons in the text of one that has none.

import { readFrontMatter } from "../files/front-matter.ts";
import { reportOfText, reportOfValues, type SessionReport, unreadable } from "./session-report.ts";

/** `steps`: the names of the project's table, which are never taken for something else. */
export function readHandoff(text: string, steps: readonly string[] = []): SessionReport {
  const front = readFrontMatter(text);
  if (front.kind === "none") return reportOfText(front.body);
  if (front.kind === "broken") return unreadable("front_matter", front.why, front.body);
  return reportOfValues(front.fields, "front_matter", front.body, steps);
}
