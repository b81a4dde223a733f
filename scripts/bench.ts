// Runs the benchmark as users run Pawl: bundled. From the sources, Node keeps its TypeScript reader in memory, and every process that
// is started takes longer for it.

import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "rolldown";

const root = join(import.meta.dirname, "..");
const dir = join(root, "bench", "results", "bundle");

/** A bundled file finds what stands beside it where its source is. */
const places: Plugin = {
  name: "places",
  transform(code, id) {
    if (!code.includes("import.meta.")) return null;
    return code
      .replaceAll("import.meta.dirname", JSON.stringify(dirname(id)))
      .replaceAll("import.meta.filename", JSON.stringify(id))
      .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href));
  },
};

await build({
  cwd: root,
  input: { bench: "bench/bench.ts" },
  platform: "node",
  external: ["pg", "pg-boss"],
  plugins: [places],
  // Its one warning is about modules that commands load late, which is on purpose.
  logLevel: "silent",
  output: { dir, format: "esm", cleanDir: true },
});
const { status } = spawnSync(process.execPath, [join(dir, "bench.js"), ...process.argv.slice(2)], { stdio: "inherit" });
process.exitCode = status ?? 1;
