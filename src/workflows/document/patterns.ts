// Refuses a line of `expects` that is not a regular expression: no output could ever contain it.

import { expectedLines, patternOf } from "../../domain/expectation.ts";
import type { Path } from "./problem.ts";
import { type Reading, refuse } from "./reading.ts";

export function refusePatterns(reading: Reading, step: string, expects: string, path: Path): void {
  for (const line of expectedLines(expects)) {
    if (line.kind === "text" || patternOf(line.source) !== null) continue;
    refuse(reading, path, {
      message: `Step '${step}': \`regex:${line.source}\` is not a regular expression`,
      expected: "a regular expression of JavaScript behind `regex:`",
      hint: "for example `regex:^STATUS:\\s*(done|retry)\\s*$`; a text without `regex:` is looked for as it is",
    });
  }
}
