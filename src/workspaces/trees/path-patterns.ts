// Patterns of paths, as lines of a .gitignore: for by-products, for what a step writes, and for files of a protocol.

/**
 * True for a path of the tree that the lines name. A line with a slash inside names a place, any other a name at any depth. A line
 * with `!` takes back what a line before it names; the last line that fits decides.
 */
export function pathMatcher(lines: readonly string[]): (path: string) => boolean {
  const patterns = lines.map((line) => ({
    isNamed: !line.startsWith("!"),
    pattern: patternOf(line.replace(/^!/, "")),
  }));
  return (path) => patterns.findLast(({ pattern }) => pattern.test(path))?.isNamed ?? false;
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
