// Languages of a project. Owns: counting them by the endings of tracked files.

import type { Tools } from "./tools.ts";

const shownLanguages = 4;

const endings: Readonly<Record<string, string>> = {
  TypeScript: "ts tsx mts cts",
  JavaScript: "js jsx mjs cjs",
  Python: "py pyi",
  Rust: "rs",
  Go: "go",
  Java: "java",
  Kotlin: "kt kts",
  Scala: "scala",
  "C#": "cs",
  "F#": "fs",
  Ruby: "rb",
  PHP: "php",
  Elixir: "ex exs",
  C: "c h",
  "C++": "cc cpp cxx hh hpp",
  Swift: "swift",
  Dart: "dart",
  Haskell: "hs",
  Zig: "zig",
  Lua: "lua",
  Shell: "sh bash",
};
const languageOf = new Map(
  Object.entries(endings).flatMap(([language, all]) => all.split(" ").map((ending) => [ending, language] as const)),
);

export function languagesOf(files: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const file of files) {
    const language = languageOf.get(/\.([a-z]+)$/.exec(file)?.[1] ?? "");
    if (language !== undefined) counts.set(language, (counts.get(language) ?? 0) + 1);
  }
  return counts;
}

/** Leaves out languages with less than a twentieth of the files. Where no file is tracked yet, the manifests decide. */
export function mostUsed(counts: ReadonlyMap<string, number>, found: readonly Tools[]): readonly string[] {
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (all === 0) return found.flatMap(({ languages }) => languages.slice(0, 1));
  return [...counts]
    .filter(([, count]) => count >= all / 20)
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, shownLanguages)
    .map(([name]) => name);
}
