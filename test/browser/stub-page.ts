// A page for tests of what surrounds the page: its files are given by their paths.

import type { Page } from "../../src/http/answer.ts";

const types: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
};

/** `/` is `index.html`. */
export function stubPage(files: Readonly<Record<string, string>>): Page {
  return (path) => {
    const name = path === "/" ? "index.html" : path.slice(1);
    const text = Object.hasOwn(files, name) ? files[name] : undefined;
    const type = types[name.split(".").at(-1) ?? ""] ?? "application/octet-stream";
    return text === undefined ? null : new Response(text, { headers: { "content-type": type } });
  };
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
