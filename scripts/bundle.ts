// Bundles the command line and the scripted agent into a few files in dist/, the library into dist/library/ and the page into dist/page/, with the licences of
// what is in them, and records what they were made from. `bin/pawl` uses them only while that record is true.

import { existsSync, globSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { build, type Plugin } from "rolldown";
import { bundlePage } from "./page.ts";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");
const note = join(dist, "made-from.json");
// Taken before anything is read: a file that changes meanwhile no longer matches the record.
const files = globSync(
  ["src/**/*.{ts,tsx,css,html,json,svg,webmanifest}", "scripts/{bundle,page}.ts", "package-lock.json"],
  { cwd: root },
);
const before = new Map(files.map((file) => [file, statSync(join(root, file))]));

/** Only stores on a server and telemetry need them: people who use one install its packages beside Pawl. */
const external = ["pg", /^pg-boss(?:\/|$)/, /^@opentelemetry\//];

/** What is needed whatever is called. */
const everyCommand =
  /src[\\/](?:cli[\\/](?:output[\\/]console|catalogue|loaders)|domain[\\/]nearest)\.ts$|node_modules[\\/]commander[\\/]/;

/** What of npm is in the page. */
const pagePackages = ["preact", "@preact/signals", "@preact/signals-core"];

// Removed first: while the files are written, and after a failure, they must not count as a bundle.
rmSync(note, { force: true });
const modules = await bundle();
writeFileSync(join(dist, "LICENSES.txt"), licences(modules));
writeNote([
  ...modules.filter((file) => file.startsWith("src/")),
  "scripts/bundle.ts",
  "scripts/page.ts",
  "package-lock.json",
]);

/**
 * An `import` of a module of Node's own makes Node evaluate everything in it that is made when it is first used, 4 ms for a `pawl status`.
 * Taken from `process`, it comes as it is; some come when one of their functions is first called.
 */
function builtins(): Plugin {
  const imports = /^import (?:(?:\* as )?([\w$]+))?(?:, )?(?:\{ (.*) \})? from ("node:[a-z/_]+");$/gm;
  // They have functions only, take milliseconds to load, and few commands use them.
  const late = ['"node:child_process"', '"node:fs/promises"', '"node:net"', '"node:timers/promises"'];
  return {
    name: "builtins",
    renderChunk: (code) =>
      code.replaceAll(imports, (_, whole: string | undefined, names: string | undefined, from: string) => {
        const module = `globalThis.process.getBuiltinModule(${from})`;
        const isLate = late.includes(from);
        const lines = whole === undefined ? [] : [`const ${whole} = ${isLate ? lateWhole(module) : module};`];
        if (names !== undefined && !isLate) lines.push(`const { ${names.replaceAll(" as ", ": ")} } = ${module};`);
        if (names !== undefined && isLate) lines.push(...names.split(", ").map((name) => lateFunction(name, module)));
        return lines.join(" ");
      }),
  };
}

function lateWhole(module: string): string {
  return `new Proxy({}, { get: (_, name) => ${module}[name] })`;
}

function lateFunction(imported: string, module: string): string {
  const [name = "", own = name] = imported.split(" as ");
  return `const ${own} = (...args) => ${module}.${name}(...args);`;
}

/** One character beyond Latin makes Node keep a file at twice its size: 2 ms for each start. All of them are in texts, as escapes can be. */
function plainText(): Plugin {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return {
    name: "plain-text",
    generateBundle(_, files) {
      for (const file of Object.values(files))
        if (file.type === "chunk") file.code = file.code.replaceAll(/[\u0080-\uffff]/g, escaped);
    },
  };
}

/** Returns every file that was read, relative to the package. */
async function bundle(): Promise<readonly string[]> {
  const seen = new Set<string>();
  const notice: Plugin = {
    name: "notice",
    buildEnd() {
      for (const id of this.getModuleIds()) if (existsSync(id)) seen.add(relative(root, id));
    },
  };
  await build({
    cwd: root,
    input: { main: "src/cli/main.ts", "scripted-agent": "src/executors/scripted/agent.ts" },
    platform: "node",
    external,
    plugins: [notice, builtins(), plainText()],
    logLevel: "warn",
    output: {
      dir: dist,
      format: "esm",
      cleanDir: true,
      comments: false,
      // A file is read and hashed whole at each start: 2 to 3 ms for its blanks, 1 to 2 ms for its longer variables. Names of functions
      // and classes stay, for what a crash prints.
      minify: { compress: false, mangle: { toplevel: false, keepNames: true }, codegen: true },
      // Every file costs time to find and link. A group includes what its file imports, so the code that
      // `pawl status` and most commands need is in one file, without what only the overview of the commands needs.
      codeSplitting: {
        groups: [
          { name: "common", test: everyCommand, priority: 2 },
          { name: "looking", test: /src[\\/]cli[\\/]commands[\\/]looking[\\/]status\.ts$/, priority: 1 },
        ],
      },
    },
  });
  // Bundled separately: as a third entry it would split the command line into more files, and each start would read more of them.
  await build({
    cwd: root,
    input: { index: "src/index.ts" },
    platform: "node",
    external,
    plugins: [notice],
    logLevel: "warn",
    output: { dir: join(dist, "library"), format: "esm" },
  });
  for (const file of await bundlePage(root, join(dist, "page"))) seen.add(file);
  for (const name of pagePackages) seen.add(`node_modules/${name}/package.json`);
  return [...seen].toSorted();
}

/** The file, its time and its size, for each. */
function writeNote(madeFrom: readonly string[]): void {
  const entries = madeFrom.map((file) => [file, before.get(file)?.mtimeMs, before.get(file)?.size]);
  writeFileSync(note, `[\n${entries.map((entry) => JSON.stringify(entry)).join(",\n")}\n]\n`);
}

/** The notices for the bundle: name, version and licence text of every package whose code is in it. */
function licences(bundled: readonly string[]): string {
  const folders = new Set(bundled.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []));
  // The bundler's own lines come from no file.
  folders.add("node_modules/rolldown");
  const texts = [...folders].map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as {
      readonly name: string;
      readonly version: string;
      readonly license: string;
    };
    const [licence, ...others] = globSync("{LICENSE,LICENCE,license}*", { cwd: join(root, folder) });
    if (licence === undefined) throw new Error(`${name} has no licence file`);
    // The Apache licence requires the NOTICE file, too.
    const files = [licence, ...others, ...globSync("{NOTICE,notice}*", { cwd: join(root, folder) })];
    const text = files.map((file) => readFileSync(join(root, folder, file), "utf8").trim()).join("\n\n");
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  return `Code of these packages is part of the files beside this one.\n\n${texts.toSorted().join(`\n${"-".repeat(80)}\n\n`)}`;
}
