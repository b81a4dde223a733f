// Draws the picture in ARCHITECTURE.md: which folder of src/ imports which, from the import graph of the product's files.
// `npm run diagrams` writes it between two markers; `--check` fails when it is stale.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { layers } from "../layers.config.ts";
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
  console.error("the picture in ARCHITECTURE.md is out of date: run `npm run diagrams`");
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
      if (to === null || to === from) continue;
      // In a circle the picture would have no top. `npm run layers` names the import.
      if (layers[from]?.includes(to) !== true) throw new Error(`${source} may not import ${resolved}`);
      known.add(to);
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
    throw new Error(`ARCHITECTURE.md lacks the markers of the picture: ${begin}`);
  return [head, begin, "\n\n", [...diagram(imports), "", ...table(imports)].join("\n"), "\n\n", end, tail].join("");
}

/** An arrow for each import that no longer path implies. All arrows together would hide the layers. */
function diagram(imports: Imports): string[] {
  const arrows = fromTheTop(imports).flatMap((from) =>
    sorted(imports.get(from)).flatMap((to) => (isImplied(imports, from, to) ? [] : [`  ${from} --> ${to}`])),
  );
  return ["```mermaid", "flowchart TD", ...arrows, "```"];
}

function isImplied(imports: Imports, from: string, to: string): boolean {
  return sorted(imports.get(from)).some((between) => between !== to && reaches(imports, between, to));
}

function reaches(imports: Imports, from: string, to: string): boolean {
  const next = imports.get(from) ?? new Set();
  return next.has(to) || [...next].some((between) => reaches(imports, between, to));
}

function table(imports: Imports): string[] {
  const rows = fromTheTop(imports).map((folder) => {
    const importedBy = sorted(imports.keys()).filter((other) => imports.get(other)?.has(folder));
    return `| \`${folder}\` | ${sorted(imports.get(folder)).join(", ") || "–"} | ${importedBy.join(", ") || "–"} |`;
  });
  return ["| in `src/` | imports | is imported by |", "| --- | --- | --- |", ...rows];
}

/** In the order of the layers, `domain` last. */
function fromTheTop(imports: Imports): string[] {
  return Object.keys(layers)
    .filter((layer) => imports.has(layer))
    .toReversed();
}

function sorted(names: Iterable<string> | undefined): string[] {
  return [...(names ?? [])].toSorted();
}
