// Finding the tools of a project. Owns: the list of tools that Pawl knows. Commands are written here and never copied from a file of
// the project; of its files only names and the presence of a word count.

import type { Folder } from "./folder.ts";
import { javascript } from "./javascript-tools.ts";
import { dotnet, elixir, go, gradle, make, maven, php, ruby, rust } from "./other-tools.ts";
import { python } from "./python-tools.ts";
import type { Tools } from "./tools.ts";

const finders = [javascript, python, rust, go, maven, gradle, dotnet, ruby, php, elixir, make];

export function toolsIn(folder: Folder): readonly Tools[] {
  return finders.flatMap((find) => find(folder) ?? []);
}
