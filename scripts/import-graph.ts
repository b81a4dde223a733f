// The import graph of src/, as dependency-cruiser sees it with the options of layers.config.ts.

import { cruise, type ICruiseResult } from "dependency-cruiser";
import { options } from "../layers.config.ts";

export async function importGraph(root: string): Promise<ICruiseResult> {
  const { output } = await cruise(["src"], { ...options, baseDir: root });
  if (typeof output === "string") throw new Error(`dependency-cruiser answered with text: ${output}`);
  return output;
}
