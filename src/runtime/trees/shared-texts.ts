// Texts that all agents of a run add to (the progress log, scratch files), where its agents are on several machines. Each machine has files
// of its own; before and after an attempt they take what others have added, and give what was added here.

import { basename, dirname, join } from "node:path";
import type { StoryId } from "../../domain/ids.ts";
import type { Run } from "../../domain/run.ts";
import { readInside, writeInside } from "../../system/files/inside.ts";
import { sha256Of } from "../../system/sha256.ts";
import type { Parts } from "../parts.ts";
import { progressHome } from "./agent-homes.ts";
import { withTreeLock } from "./trees.ts";

export type TextPorts = Pick<Parts, "home" | "machines" | "site" | "protocols" | "secrets" | "log">;

interface SharedText {
  /** The same on every machine. */
  readonly name: string;
  readonly file: string;
  /** The folder that the file is in; no link leads out of it. */
  readonly root: string;
}

/** Longer texts do not travel. */
const longest = 1024 * 1024;

export async function exchangeTexts(parts: TextPorts, run: Run, story: StoryId | null): Promise<void> {
  const { machines, site } = parts;
  if (machines === null || run.header.place.kind !== "worktree") return;
  if (site === null && !(await machines.live()).some(({ isHost }) => !isHost)) return;
  // Two attempts that end together would both give what both have added.
  await withTreeLock(join(parts.home.worktrees, `${run.header.id}.parked`, "+texts"), async () => {
    for (const text of textsOf(parts, run, story)) await exchange(parts, machines, run, text);
  });
}

function textsOf(parts: TextPorts, run: Run, story: StoryId | null): readonly SharedText[] {
  const { header } = run;
  const progress = progressHome(parts, run)?.progressFile;
  const { shared } = header.place;
  const own = parts.protocols.of(header.definition).sharedTexts(header, story);
  return [
    ...(progress === undefined ? [] : [{ name: "progress", file: progress, root: parts.home.dir }]),
    ...own.map((file) => ({ name: basename(file), file, root: shared ?? dirname(file) })),
  ];
}

async function exchange(
  { home, secrets, log }: TextPorts,
  machines: NonNullable<Parts["machines"]>,
  run: Run,
  { name, file, root }: SharedText,
): Promise<void> {
  const { id } = run.header;
  // What this machine and the others had in common the last time.
  const common = join(home.worktrees, `${id}.parked`, `${sha256Of(name).slice(0, 12)}.common`);
  const [here, before] = [readInside(root, file) ?? "", readInside(home.worktrees, common) ?? ""];
  const there = (await machines.sharedText(id, name)) ?? "";
  if (here === before && there === before) return;
  if (here.length > longest) return log("shared_text.too_long", { run: id, name });
  // PostgreSQL keeps no NUL, and the store no secret.
  const change = (now: string) => secrets.redact(merged(now, before, here).replaceAll("\0", ""));
  const text = await machines.changeShared(id, name, change);
  if (text !== here) writeInside(root, file, text);
  writeInside(home.worktrees, common, text);
}

/** Both have added to `before`; a text that was written anew counts as it is. */
function merged(there: string, before: string, here: string): string {
  if (here === before) return there;
  if (there === before || !here.startsWith(before)) return here;
  return there + here.slice(before.length);
}
