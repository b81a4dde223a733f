// Bundles the page into a folder: scripts with hashes in their names, one style sheet, the document, and files.json, the fixed map of
// paths from which the service serves it. Nothing is inlined: the page's policy allows no inline script or style.

import { createHash } from "node:crypto";
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "rolldown";

const types: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
  webmanifest: "application/manifest+json",
};

/** Returns the files that were read, relative to the root. */
export async function bundlePage(root: string, dir: string): Promise<readonly string[]> {
  const source = join(root, "src", "page");
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(join(dir, "assets"), { recursive: true });
  const { output } = await build({
    cwd: root,
    input: { main: join(source, "main.tsx") },
    platform: "browser",
    tsconfig: join(source, "tsconfig.json"),
    transform: { define: { "process.env.NODE_ENV": '"production"' } },
    logLevel: "warn",
    output: {
      dir,
      format: "esm",
      minify: true,
      comments: false,
      entryFileNames: "assets/[name]-[hash].js",
      chunkFileNames: "assets/[name]-[hash].js",
    },
  });
  // At a path without a hash: a browser keeps the address of a service worker.
  await build({
    cwd: root,
    input: { "push-worker": join(source, "push-worker.ts") },
    platform: "browser",
    tsconfig: join(source, "tsconfig.json"),
    logLevel: "warn",
    output: { dir, format: "iife", minify: true, comments: false, entryFileNames: "[name].js" },
  });
  const entry = output.find((chunk) => chunk.type === "chunk" && chunk.isEntry)?.fileName ?? "";
  const sheets = styleSheets(source);
  const style = sheets.map((file) => readFileSync(join(source, file), "utf8")).join("\n");
  const styleName = `assets/style-${createHash("sha256").update(style).digest("hex").slice(0, 8)}.css`;
  writeFileSync(join(dir, styleName), shorter(style));
  const html = readFileSync(join(source, "index.html"), "utf8");
  writeFileSync(join(dir, "index.html"), html.replace("%SCRIPT%", `/${entry}`).replace("%STYLE%", `/${styleName}`));
  for (const file of ["icon.svg", "manifest.webmanifest"]) cpSync(join(source, file), join(dir, file));
  const files = globSync("**/*.*", { cwd: dir }).toSorted();
  const entries = files.map((file) => [
    file === "index.html" ? "/" : `/${file}`,
    { file, type: types[/[^.]+$/.exec(file)?.[0] ?? ""] ?? "application/octet-stream" },
  ]);
  writeFileSync(join(dir, "files.json"), `${JSON.stringify(Object.fromEntries(entries), null, 1)}\n`);
  return globSync("src/page/**/*.*", { cwd: root });
}

/** Those of the design first: what they set, pages may change. */
function styleSheets(source: string): readonly string[] {
  const isDesign = (file: string) => file.startsWith("design");
  const found = globSync("**/*.css", { cwd: source }).toSorted();
  return [...found.filter(isDesign), ...found.filter((file) => !isDesign(file))];
}

/** Without comments and indentation. */
function shorter(css: string): string {
  return css
    .replaceAll(/\/\*[\s\S]*?\*\//g, "")
    .replaceAll(/\n\s*/g, "\n")
    .replaceAll(/\n+/g, "\n");
}
