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

export function artifactDir(folder: ProjectFolder, { path, phase }: Pick<Artifact, "path" | "phase">): FoundDir {
  const inside = insideScratch(path);
  const tried = inside === null ? [] : [`${scratch}/${inside}`];
  const named = tried.find((dir) => folder.isDirectory(dir));
  if (named !== undefined) return { dir: named, tried };
  if (phase === null) return { dir: null, tried };
  const pattern = `${scratch}/*-P${phase}-*`;
  const ofPhase = folder
    .directories(scratch)
    .filter((name) => name.includes(`-P${phase}-`))
    .toSorted()
    .toReversed();
  const [newest] = ofPhase;
  return { dir: newest === undefined ? null : `${scratch}/${newest}`, tried: [...tried, pattern] };
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
