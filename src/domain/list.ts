// Lists in values of the context, as agents and programs write them.

/** The entries of a JSON list, or one a line; null: it begins as JSON and is none. */
export function listIn(text: string): readonly string[] | null {
  const trimmed = text.trim();
  if (!trimmed.startsWith("[")) return linesIn(trimmed);
  try {
    const read: unknown = JSON.parse(trimmed);
    return Array.isArray(read)
      ? read.map((entry) => (typeof entry === "string" ? entry : JSON.stringify(entry)))
      : null;
  } catch {
    return null;
  }
}

/** One a line. Agents write lists with marks: `- security`, `2. style`. */
export function linesIn(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.replace(/^\s*(?:[-*]|\d+[.)])\s+/, "").trim())
    .filter((line) => line !== "");
}
