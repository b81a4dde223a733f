// Finds bundled workflows for others that include them, as the library does.

import { readFileSync } from "node:fs";
import type { FindWorkflow } from "../../src/workflows/document/reading.ts";

const folder = new URL("../../workflows/", import.meta.url);

export const findBundled: FindWorkflow = (id) => {
  const file = `${id}/workflow.yml`;
  return { file, text: readFileSync(new URL(file, folder), "utf8"), roleFolder: `../${id}` };
};
