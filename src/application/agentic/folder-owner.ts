// Whose folder the `.ai/` of a project is: this project's, another tool's, one that was made anew while its run lives, or a copy of
// one that a run works on. Nothing is written into a folder that is not the project's own.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { foreignState } from "../../protocols/agentic/first-state.ts";
import { readOwner } from "../../protocols/files/sidecar.ts";
import type { Store } from "../../store/store.ts";
import { readOptional } from "../../system/files/text.ts";
import type { Application } from "../application.ts";
import { wholeRun } from "../references.ts";
import type { ProjectPlace } from "./place.ts";
import { openRun } from "./project-runs.ts";

export interface FolderTrouble {
  /** Another tool's folder is never taken over. */
  readonly kind: "foreign" | "renewed" | "copied";
  readonly why: string;
  readonly hint: string;
}

/** Null: the folder is the project's own. */
export async function folderTrouble(app: Application, place: ProjectPlace): Promise<FolderTrouble | null> {
  return foreignIn(place) ?? (await otherOwner((await app.read()).parts.store, place));
}

function foreignIn({ ai }: ProjectPlace): FolderTrouble | null {
  const file = join(ai, "STATE.json");
  const text = readOptional(file);
  const foreign = text === null ? null : foreignState(text);
  // What is not JSON may be a project's own, half written.
  if (foreign === null || foreign.startsWith("is not JSON")) return null;
  const hint =
    "work in another folder with --dir, or move the file; `pawl project import` takes the stories of a prd.json";
  return { kind: "foreign", why: `${file} ${foreign}; nothing was changed`, hint };
}

async function otherOwner(store: Store, place: ProjectPlace): Promise<FolderTrouble | null> {
  const { ai } = place;
  const owner = readOwner(ai);
  const run = await openRun(store, place);
  if (run !== null) {
    if (owner === "unreadable" || (owner !== null && owner.includes(run.id))) return null;
    const what = owner === null || owner.length === 0 ? "was made anew" : "is of another run";
    return {
      kind: "renewed",
      why: `${ai} ${what}, and run ${run.number} still works on this project; nothing was changed`,
      hint: `\`pawl project continue --take-over\` goes on with run ${run.number} in this folder; \`pawl cancel ${run.number}\` ends it, and the next \`continue\` starts anew`,
    };
  }
  if (owner === null || owner === "unreadable" || owner[0] === undefined) return null;
  const known = await store.runById(owner[0]);
  if (known === null || known.status === "done" || known.status === "cancelled") return null;
  const { shared } = (await wholeRun(store, known)).header.place;
  if (shared === undefined || shared === ai) return null;
  const isThere = existsSync(shared);
  return {
    kind: "copied",
    why: `${ai} is a copy of ${shared}, where run ${known.number} works${isThere ? "" : ", but that folder is gone"}; nothing was changed`,
    hint: `${isThere ? `work there with --dir` : "move it back"}, or \`pawl project continue --take-over\` starts a run of its own here`,
  };
}
