// Reads `reads` and `writes` of a step: files of the project, by their paths or patterns.

import { wrongPath } from "../../domain/project-path.ts";
import type { Path } from "../document/problem.ts";
import { type Reading, refuse } from "../document/reading.ts";
import type { StepInput } from "./step-schema.ts";

type Paths = { readonly reads?: readonly string[]; readonly writes?: readonly string[] };

export function readPaths(reading: Reading, { id, reads, writes }: StepInput, path: Path): Paths {
  for (const [key, paths] of Object.entries({ reads, writes })) {
    for (const [index, each] of (paths ?? []).entries()) {
      const wrong = wrongPath(each);
      if (wrong === null) continue;
      refuse(reading, [...path, key, index], {
        message: `Step '${id}': \`${key}\` has ${JSON.stringify(each)}: ${wrong}`,
        expected: "a path inside of the project, or a pattern as in a .gitignore",
        hint: `for example \`${key}: [docs/api.md, "src/**/*.ts"]\``,
      });
    }
  }
  return { ...(reads === undefined ? {} : { reads }), ...(writes === undefined ? {} : { writes }) };
}
