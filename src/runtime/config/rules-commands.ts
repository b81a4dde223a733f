// Reads the commands in a project's own step rules, for the question whether its user trusts them. Imported late: most repositories
// have no such file, and its parser costs milliseconds at every start.

import { readRegular } from "../../system/files/regular-file.ts";
import { commandsInRules } from "../../workflows/rules/rules-for.ts";

/** A file that cannot be read has none: no run starts with it. */
export function commandsInRulesFile(file: string): ReturnType<typeof commandsInRules> {
  try {
    return commandsInRules(readRegular(file, { links: "follow" }));
  } catch {
    return [];
  }
}
