// Writes the declarations of the library into dist/types. tsc emits one file for each source; those that index.d.ts leads to are kept.
// Types of contracts are inferred by zod, which is not shipped, so they are generated from the JSON Schemas instead.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { contracts, jsonSchemaOf } from "../src/contracts/contracts.ts";

const root = join(import.meta.dirname, "..");
const types = join(root, "dist", "types");
const documents = join("contracts", "documents.d.ts");

const emitted = mkdtempSync(join(tmpdir(), "pawl-declarations-"));
try {
  emit();
  rmSync(types, { recursive: true, force: true });
  write(documents, documentTypes());
  keep("index.d.ts");
} finally {
  rmSync(emitted, { recursive: true });
}

function emit(): void {
  const project = join(emitted, "tsconfig.json");
  const options = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    outDir: emitted,
    rootDir: join(root, "src"),
  };
  const typeRoots = [join(root, "node_modules", "@types")];
  const settings = {
    extends: join(root, "tsconfig.json"),
    compilerOptions: { ...options, typeRoots },
    include: [],
    // The command line has no declarations in the package, but no type errors either.
    files: [join(root, "src/index.ts"), join(root, "src/cli/main.ts")],
  };
  writeFileSync(project, JSON.stringify(settings));
  execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", project], { stdio: "inherit" });
}

/** Keeps a declaration and those that it imports. */
function keep(file: string, kept = new Set<string>()): void {
  if (kept.has(file)) return;
  kept.add(file);
  const text = readFileSync(join(emitted, file), "utf8").replace(
    /(from|import\()\s*"([^"]+)"/g,
    (_, word: string, path: string) => {
      if (!path.startsWith("."))
        throw new Error(`src/${file} brings a type of ${path} into the library's declarations`);
      const target = join(dirname(file), path.replace(/\.ts$/, ".d.ts"));
      const isContract = target.startsWith(`contracts/`);
      if (!isContract) keep(target, kept);
      const to = relative(dirname(file), isContract ? documents : target).replace(/\.d\.ts$/, ".js");
      return `${word} "${to.startsWith(".") ? to : `./${to}`}"`;
    },
  );
  write(file, text);
}

function write(file: string, text: string): void {
  mkdirSync(dirname(join(types, file)), { recursive: true });
  writeFileSync(join(types, file), text);
}

/** The part of JSON Schema that our contracts use. */
interface Schema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly const?: string | boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

function documentTypes(): string {
  const named = new Map<string, Schema>();
  for (const [name, contract] of Object.entries(contracts))
    for (const [id, schema] of Object.entries((jsonSchemaOf(name, contract) as Schema).$defs ?? {}))
      named.set(id, schema);
  const declared = [...named].map(([id, schema]) => `export type ${id} = ${typeOf(schema)};\n`);
  return `// The documents of \`--json\`, the events, and what the library returns.\n\n${declared.join("\n")}`;
}

function typeOf(schema: Schema): string {
  const { $ref, enum: words, const: only, anyOf, oneOf, type } = schema;
  if ($ref !== undefined) return $ref.replace("#/$defs/", "");
  if (only !== undefined) return JSON.stringify(only);
  if (words !== undefined) return words.map((word) => JSON.stringify(word)).join(" | ");
  const choices = anyOf ?? oneOf;
  if (choices !== undefined) return choices.map((each) => `(${typeOf(each)})`).join(" | ");
  if (Array.isArray(type)) return type.map((each: string) => typeOf({ ...schema, type: each })).join(" | ");
  switch (type) {
    case "string":
    case "boolean":
    case "null":
      return type;
    case "integer":
    case "number":
      return "number";
    case "array":
      return `readonly (${typeOf(schema.items ?? {})})[]`;
    case "object":
      return objectType(schema);
    case undefined:
    default:
      throw new Error(`a contract uses a JSON Schema that has no type yet: ${JSON.stringify(schema)}`);
  }
}

function objectType({ properties = {}, required = [], additionalProperties }: Schema): string {
  // Not a Record: a type that contains itself may not be named inside one.
  if (additionalProperties !== undefined) return `{ readonly [key: string]: ${typeOf(additionalProperties)} }`;
  const lines = Object.entries(properties).map(([key, schema]) => {
    const comment = schema.description === undefined ? "" : `/** ${schema.description} */ `;
    return `${comment}readonly ${key}${required.includes(key) ? "" : "?"}: ${typeOf(schema)};`;
  });
  return `{\n${lines.join("\n")}\n}`;
}
