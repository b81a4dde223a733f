// A page for tests of what surrounds the page: its files are given by their paths, and put into a folder as the build does.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "../support/repository.ts";

const types: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
};

/** Returns the folder, which goes with the test. `/` is `index.html`. */
export function stubPage(files: Readonly<Record<string, string>>): string {
  const folder = tempDir("pawl-stub-page-");
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const map = Object.keys(files).map((file) => [
    file === "index.html" ? "/" : `/${file}`,
    { file, type: types[file.split(".").at(-1) ?? ""] ?? "application/octet-stream" },
  ]);
  writeFileSync(join(folder, "files.json"), JSON.stringify(Object.fromEntries(map)));
  return folder;
}

/** A whole document with this body; its scripts and its icon are files of their own. */
export function documentOf(
  body: string,
  { scripts = ["main.js"] }: { readonly scripts?: readonly string[] } = {},
): string {
  const tags = scripts.map((name) => `<script type="module" src="/${name}"></script>`).join("");
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Pawl</title><link rel="icon" href="/icon.svg">`;
  return `<!doctype html><html lang="en"><head>${head}${tags}</head><body>${body}</body></html>`;
}

export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>`;
