// Templates: finds `{{key}}` in a text. What runs and what `check` says come from the same places.

export interface Placeholder {
  /** With its braces, as the text has it. */
  readonly text: string;
  readonly index: number;
  /** As the text spells it. */
  readonly key: string;
  /** Of `{{ key | default: "text" }}`. */
  readonly fallback: string | undefined;
  /** `\{{key}}` stands for `{{key}}` itself. */
  readonly isEscaped: boolean;
}

const word = "(?:[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?|\\*)";
// `{{key}}`, `{{ steps.plan.summary }}`, `{{ key | default: "text" }}`. Anything else between braces is text: `{{.Names}}`,
// `{{ color: "red" }}`, `{{#if x}}`.
const pattern = new RegExp(
  `\\{\\{\\s*(${word}(?:\\.${word})*)\\s*(?:\\|\\s*default\\s*:\\s*(?:"([^"]*)"|'([^']*)')\\s*)?\\}\\}`,
  "g",
);

export function placeholdersIn(text: string): readonly Placeholder[] {
  return [...text.matchAll(pattern)].map((match) => {
    const [whole, key = "", double, single] = match;
    const isEscaped = slashesBefore(text, match.index) % 2 === 1;
    return { text: whole, index: match.index, key, fallback: double ?? single, isEscaped };
  });
}

/**
 * One pass. `valueOf` gives the value of a placeholder; null leaves it as it is typed. Two backslashes before a placeholder stand
 * for one.
 */
export function fillTemplate(template: string, valueOf: (placeholder: Placeholder) => string | null): string {
  let filled = "";
  let from = 0;
  for (const found of placeholdersIn(template)) {
    const value = found.isEscaped ? found.text : valueOf(found);
    const end = found.index + found.text.length;
    const slashes = value === null ? 0 : slashesBefore(template, found.index);
    filled += template.slice(from, found.index - Math.ceil(slashes / 2)) + (value ?? found.text);
    from = end;
  }
  return filled + template.slice(from);
}

const goWords = new Set(["end", "else", "break", "continue"]);

/**
 * Whether a placeholder with an unknown key is more likely part of another language: `${{ secrets.X }}` of a CI, `{{end}}` of a Go
 * template, `style={{color}}` of JSX.
 */
export function looksForeign(text: string, { index, key }: Placeholder): boolean {
  const before = text.slice(Math.max(0, index - 2), index);
  return before.endsWith("$") || goWords.has(key) || /[\w-]=$/.test(before);
}

function slashesBefore(text: string, index: number): number {
  let count = 0;
  while (text[index - 1 - count] === "\\") count += 1;
  return count;
}
