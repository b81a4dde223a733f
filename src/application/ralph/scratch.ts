// Scratch files. Owns: adding a paragraph to a file that agents share, so that several at once lose nothing.

import { AppError } from "../../domain/error.ts";
import { storyId } from "../../domain/ids.ts";
import { ralph } from "../../protocols/ralph/ralph.ts";
import { appendScratch } from "../../protocols/ralph/scratch.ts";
import { sharedIn, storyScratch } from "../../protocols/ralph/shared.ts";
import { chooseFolder, usable } from "../../runtime/trees/protocol-folder.ts";
import type { Application } from "../application.ts";

export interface ScratchRequest {
  readonly text: string;
  /** The file of this story instead of the global one. */
  readonly story?: string | undefined;
  /** Default: the folder that the environment names, else `.pawl/ralph` of the repository. */
  readonly shared?: string | undefined;
}

/** Returns the file. */
export async function append(app: Application, request: ScratchRequest): Promise<{ readonly file: string }> {
  const text = request.text.trim();
  if (text === "")
    throw new AppError("USAGE", "there is nothing to add", { hint: "give a text, or `-` to read stdin" });
  const shared = sharedIn(await folder(app, request.shared));
  const file = request.story === undefined ? shared.scratchFile : storyScratch(shared, storyId(request.story));
  await appendScratch(file, text);
  return { file };
}

async function folder(app: Application, given: string | undefined): Promise<string> {
  const named = given ?? app.env["PAWL_SHARED"] ?? app.env["RALPH_SHARED_DIR"];
  return named === undefined || named === "" ? await chooseFolder(ralph.name, app.cwd, null) : usable(app.path(named));
}
