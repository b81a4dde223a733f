// The picture in ARCHITECTURE.md: which folder of src/ imports which, from the import graph of the product's files.
// `npm run diagrams` writes it between two markers; `--check` fails when it is stale.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { importGraph } from "./import-graph.ts";

/** For each folder of src/, and each file beside them, what it imports of the others. */
type Imports = ReadonlyMap<string, ReadonlySet<string>>;

const root = fileURLToPath(new URL("../", import.meta.url));
const page = new URL("../ARCHITECTURE.md", import.meta.url);
const begin = "<!-- written by `npm run diagrams` from the imports; do not edit -->";
const end = "<!-- end of what `npm run diagrams` writes -->";

const before = readFileSync(page, "utf8");
const after = withPicture(before, await folderImports());

if (!process.argv.includes("--check")) {
  if (after !== before) writeFileSync(page, after);
} else if (after !== before) {
  console.error("ARCHITECTURE.md does not show the imports as they are: run `npm run diagrams`");
  process.exitCode = 1;
}

async function folderImports(): Promise<Imports> {
  const { modules } = await importGraph(root);
  const imports = new Map<string, Set<string>>();
  for (const { source, dependencies } of modules) {
    const from = folderOf(source);
    if (from === null) continue;
    const known = imports.get(from) ?? new Set();
    imports.set(from, known);
    for (const { resolved } of dependencies) {
      const to = folderOf(resolved);
      if (to !== null && to !== from) known.add(to);
    }
  }
  if (imports.size < 5) throw new Error(`src/ has more folders than these: ${[...imports.keys()].join(", ")}`);
  return imports;
}

/** `engine` for `src/engine/decide.ts`, `app.ts` for `src/app.ts`; null for tests and for what is not in src/. */
function folderOf(file: string): string | null {
  return /\.(test|contract)\.ts$/.test(file) ? null : (/^src\/([^/]+)/.exec(file)?.[1] ?? null);
}

function withPicture(text: string, imports: Imports): string {
  const [head, rest] = text.split(begin);
  const tail = rest?.split(end)[1];
  if (head === undefined || tail === undefined)
    throw new Error(`ARCHITECTURE.md has no place for the picture: ${begin}`);
  return [head, begin, "\n\n", [...diagram(imports), "", ...table(imports)].join("\n"), "\n\n", end, tail].join("");
}

/** An arrow for each import that no longer path already implies: with all of them nobody would see the layers. */
function diagram(imports: Imports): string[] {
  const upward = upwardImports(imports);
  const down = withoutCircles(imports);
  const arrows = fromTheTop(down).flatMap((from) =>
    sorted(imports.get(from)).flatMap((to) => {
      if (upward.has(`${from} ${to}`)) return [`  ${from} -. up .-> ${to}`];
      return isImplied(down, from, to) ? [] : [`  ${from} --> ${to}`];
    }),
  );
  return ["```mermaid", "flowchart TD", ...arrows, "```"];
}

/** Imports that close a circle of folders, as `FROM TO`. Files never import each other in a circle; folders may. */
function upwardImports(imports: Imports): ReadonlySet<string> {
  const upward = new Set<string>();
  const done = new Set<string>();
  const visit = (from: string, path: readonly string[]): void => {
    for (const to of sorted(imports.get(from))) {
      if (path.includes(to)) upward.add(`${from} ${to}`);
      else if (!done.has(to)) visit(to, [...path, to]);
    }
    done.add(from);
  };
  const isTop = (folder: string) => ![...imports.values()].some((others) => others.has(folder));
  for (const folder of sorted(imports.keys()).toSorted((a, b) => Number(isTop(b)) - Number(isTop(a))))
    visit(folder, [folder]);
  return upward;
}

function withoutCircles(imports: Imports): Imports {
  const upward = upwardImports(imports);
  const isDown = (from: string) => (to: string) => !upward.has(`${from} ${to}`);
  return new Map([...imports].map(([from, to]) => [from, new Set([...to].filter(isDown(from)))]));
}

function isImplied(imports: Imports, from: string, to: string): boolean {
  return sorted(imports.get(from)).some((between) => between !== to && reaches(imports, between, to));
}

function reaches(imports: Imports, from: string, to: string): boolean {
  const next = imports.get(from) ?? new Set();
  return next.has(to) || [...next].some((between) => reaches(imports, between, to));
}

function table(imports: Imports): string[] {
  const rows = fromTheTop(withoutCircles(imports)).map((folder) => {
    const importedBy = sorted(imports.keys()).filter((other) => imports.get(other)?.has(folder));
    return `| \`${folder}\` | ${sorted(imports.get(folder)).join(", ") || "–"} | ${importedBy.join(", ") || "–"} |`;
  });
  return ["| in `src/` | imports | is imported by |", "| --- | --- | --- |", ...rows];
}

/** Folders that import much first, `domain` last. */
function fromTheTop(down: Imports): string[] {
  const height = (folder: string): number => Math.max(0, ...sorted(down.get(folder)).map((to) => height(to) + 1));
  return sorted(down.keys()).toSorted((a, b) => height(b) - height(a));
}

function sorted(names: Iterable<string> | undefined): string[] {
  return [...(names ?? [])].toSorted();
}
