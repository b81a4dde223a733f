// Says in one place why tests on files of other projects were skipped. Those files are not part of this repository.

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const samples = fileURLToPath(new URL("../../../shared/samples/", import.meta.url));

test("files of other projects can be read", ({ skip }) => {
  skip(!existsSync(samples), "../shared/samples is not there: tests on files of other projects are skipped");
  for (const project of ["antfarm", "dynamic-ralph"]) expect(`${samples}${project}`).toSatisfy(existsSync);
});
