// Short texts. Owns: the first line of a text, cut to a width, for lists and candidates.

export function firstLine(text: string, width = 60): string {
  const line = text.split("\n", 1)[0] ?? "";
  return line.length > width ? `${line.slice(0, width - 1)}…` : line;
}
