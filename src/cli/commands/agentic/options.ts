// Options that all commands of `pawl project` take.

import type { StoreOption } from "../../opened.ts";

export interface ProjectOptions extends StoreOption {
  readonly dir?: string;
}

export const dirOption = [
  "--dir <dir>",
  "the folder of the project (default: the nearest one upwards that has .ai/, else the repository)",
] as const;
