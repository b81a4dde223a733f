// Lowers the checks of a step. A text is a command that must pass; a map says more.

import type { Check } from "../../domain/check.ts";
import type { Path } from "../document/problem.ts";
import { type Reading, refuse } from "../document/reading.ts";
import { readCommand } from "./commands.ts";
import type { StepInput } from "./step-schema.ts";

export function readChecks(reading: Reading, { id, integrate, checks = [] }: StepInput, path: Path): readonly Check[] {
  const isIntegration = integrate !== undefined;
  return checks.map((written, index) => {
    const at = [...path, "checks", index];
    if (typeof written === "string") return { run: readCommand(reading, id, written, at) };
    const { must, reads, file, as } = written;
    if (file !== undefined) checkFile(reading, id, { file, reads }, at);
    if (must === "fail" && isIntegration) {
      refuse(reading, [...at, "must"], {
        message: `Step '${id}': \`must: fail\` has no effect on an integrate step, which writes no test`,
        expected: "checks that must pass",
        hint: "put the check on the step that writes the tests",
      });
    }
    if (must === "fail" && as === "lint") {
      refuse(reading, [...at, "must"], {
        message: `Step '${id}': \`must: fail\` is about tests, and this check is a lint`,
        expected: "`must: fail` beside `as: tests`, or neither",
        hint: "remove one of the two",
      });
    }
    return {
      run: readCommand(reading, id, written.run, [...at, "run"]),
      ...(must === undefined ? {} : { must }),
      ...(reads === undefined ? {} : { reads }),
      ...(file === undefined ? {} : { file }),
      ...(as === undefined ? {} : { as }),
    };
  });
}

function checkFile(
  reading: Reading,
  step: string,
  { file, reads }: { readonly file: string; readonly reads: Check["reads"] },
  path: Path,
): void {
  if (reads === undefined) {
    refuse(reading, [...path, "file"], {
      message: `Step '${step}': \`file\` has no effect without \`reads\``,
      expected: "the form of the results in the file",
      hint: `for example \`reads: junit, file: ${file}\``,
    });
  }
  if (/^[/~\\]|^[A-Za-z]:|\0/.test(file) || file.split(/[/\\]/).includes("..")) {
    refuse(reading, [...path, "file"], {
      message: `Step '${step}': \`${file}\` is not inside the step's tree`,
      expected: "a path relative to the tree, without `..`",
      hint: "let the command write its results there",
    });
  }
}
