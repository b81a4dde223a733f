// Explains in one place why tests on other projects' files were skipped. Those files are not part of this repository.

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const samples = fileURLToPath(new URL("../../../shared/samples/", import.meta.url));

test("other projects' files can be read", ({ skip }) => {
  skip(!existsSync(samples), "../shared/samples does not exist: tests on other projects' files are skipped");
  for (const project of ["antfarm", "dynamic-ralph"]) expect(`${samples}${project}`).toSatisfy(existsSync);
});
