// Templates. Owns: putting values into `{{key}}`, once. Does not own: where the values come from.

interface Rendered {
  readonly text: string;
  /** Unknown keys, as the template spells them, each once. */
  readonly missing: readonly string[];
}

// `{{key}}`, `{{ key }}`, `{{ key | default: "text" }}`.
const placeholder =
  /\{\{\s*(?<key>[A-Za-z0-9_.-]+)\s*(?:\|\s*default\s*:\s*(?:"(?<double>[^"]*)"|'(?<single>[^']*)')\s*)?\}\}/g;

/**
 * One pass: a value that itself contains `{{x}}` stays text. A key of `known` without a value is empty; any other
 * becomes `[missing: key]`, so that neither a typo nor an agent's silence stops a run.
 */
export function renderTemplate(
  template: string,
  values: Readonly<Record<string, string>>,
  known: readonly string[],
): Rendered {
  const optional = new Set(known.map((key) => key.toLowerCase()));
  const missing = new Set<string>();
  const text = template.replace(placeholder, (...match) => {
    const { key, fallback } = namesOf(match);
    const value = lookUp(values, key);
    if (fallback !== undefined) return value ? value : fallback;
    if (value !== undefined) return value;
    if (optional.has(key.toLowerCase())) return "";
    missing.add(key);
    return `[missing: ${key}]`;
  });
  return { text, missing: [...missing] };
}

/** The keys that a template names, as it spells them, each once, in order. */
export function templateKeys(template: string): readonly string[] {
  const keys = new Set<string>();
  for (const match of template.matchAll(placeholder)) keys.add(match[1] ?? "");
  return [...keys];
}

function namesOf(match: readonly unknown[]): { key: string; fallback: string | undefined } {
  const [, key, double, single] = match as readonly (string | undefined)[];
  return { key: key ?? "", fallback: double ?? single };
}

/** Own properties only: `{{constructor}}` is a key like any other. */
function lookUp(values: Readonly<Record<string, string>>, key: string): string | undefined {
  if (Object.hasOwn(values, key)) return values[key];
  const folded = key.toLowerCase();
  return Object.hasOwn(values, folded) ? values[folded] : undefined;
}
