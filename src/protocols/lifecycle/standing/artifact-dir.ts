// The folder of an artifact. State files name it in four ways: relative to `.workflow/scratch`, to `.workflow`, to the project, and by
// a phase. It is never outside of `.workflow/scratch`.

import type { ProjectFolder } from "./project-folder.ts";
import type { Artifact } from "./project-state.ts";

export interface FoundDir {
  /** From the project's root; null: none of them exists. */
  readonly dir: string | null;
  /** What was looked for, in order. */
  readonly tried: readonly string[];
}

const scratch = ".workflow/scratch";

/** `taken`: folders that belong to something else, and are not found by a phase. */
export function artifactDir(
  folder: ProjectFolder,
  { path, phase }: Pick<Artifact, "path" | "phase">,
  taken: ReadonlySet<string> = new Set(),
): FoundDir {
  const inside = insideScratch(path);
  const tried = inside === null ? [] : [`${scratch}/${inside}`];
  const named = [...tried, ...folderOfFile(inside)].find((dir) => folder.isDirectory(dir));
  if (named !== undefined) return { dir: named, tried };
  if (phase === null) return { dir: null, tried };
  const pattern = `${scratch}/*-P${phase}-*`;
  const ofPhase = folder
    .directories(scratch)
    .filter((name) => name.includes(`-P${phase}-`) && !taken.has(`${scratch}/${name}`))
    .toSorted()
    .toReversed();
  const [newest] = ofPhase;
  return { dir: newest === undefined ? null : `${scratch}/${newest}`, tried: [...tried, pattern] };
}

/** A path that names a folder of `scratch` by itself: then it means no other one that has a name of its own. */
export function namesFolder(path: string): boolean {
  return /^(?:\.?\/)?(?:\.workflow\/)?scratch\//.test(path) || !path.replace(/\/+$/, "").includes("/");
}

/** Skills also name the report itself: `20260503-test-P1-shop/report.json`. */
function folderOfFile(inside: string | null): readonly string[] {
  const [, dir] = /^(.+)\/[^/]+\.\w+$/.exec(inside ?? "") ?? [];
  return dir === undefined ? [] : [`${scratch}/${dir}`];
}

function insideScratch(path: string): string | null {
  const plain = path.replace(/^\.?\/+/, "").replace(/\/+$/, "");
  const short = plain.replace(/^(?:\.workflow\/)?scratch\//, "");
  const isSafe =
    short !== "" &&
    !/\\|\0/.test(short) &&
    short.split("/").every((part) => part !== "" && part !== "." && part !== "..");
  return isSafe ? short : null;
}
