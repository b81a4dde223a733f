// Patterns of paths, as lines of a .gitignore: for by-products, for what a step writes, and for files of a protocol.

/** True for a path of the tree that one of the lines names. A line with a slash inside names a place, any other a name at any depth. */
export function pathMatcher(lines: readonly string[]): (path: string) => boolean {
  const patterns = lines.map(patternOf);
  return (path) => patterns.some((pattern) => pattern.test(path));
}

/** A folder has all of its files. `**` stands for any number of folders, also for none. */
function patternOf(line: string): RegExp {
  const text = line.replace(/^\/+|\/+$/g, "");
  const isPlace = line.replace(/\/+$/, "").includes("/");
  const source = text
    .split(/(\/\*\*\/|^\*\*\/|\*\*)/)
    .map((part) => anyDepth[part] ?? wordSource(part))
    .join("");
  const tail = line.endsWith("/") ? "/.+" : "(?:/.+)?";
  return new RegExp(`^${isPlace ? "" : "(?:.*/)?"}${source}${tail}$`);
}

const anyDepth: Readonly<Record<string, string>> = { "/**/": "/(?:.*/)?", "**/": "(?:.*/)?", "**": ".*" };

/** `*` stands for any part of a name. */
export function wordSource(text: string): string {
  return text
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", "[^/]*")
    .replaceAll("?", "[^/]");
}
