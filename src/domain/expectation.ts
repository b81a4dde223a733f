// What a step expects of a passing output: a text, or several lines, each of which is a text or `regex:PATTERN`.

export type ExpectedLine =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "pattern"; readonly source: string };

export function expectedLines(expects: string | null): readonly ExpectedLine[] {
  return (expects ?? "").split("\n").flatMap((raw): readonly ExpectedLine[] => {
    const line = raw.trim();
    if (line === "") return [];
    const source = /^regex:\s*(.*)$/i.exec(line)?.[1];
    return [source === undefined ? { kind: "text", text: line } : { kind: "pattern", source }];
  });
}

/** Compared line by line and in any case. null: it is not a regular expression. */
export function patternOf(source: string): RegExp | null {
  try {
    return source === "" ? null : new RegExp(source, "im");
  } catch {
    return null;
  }
}
