// Puts values into `{{key}}`, once. Where the values come from is decided elsewhere.

import { fillTemplate, looksForeign, placeholdersIn } from "../domain/template.ts";

interface Rendered {
  readonly text: string;
  /** Unknown keys, as the template spells them, each once. */
  readonly missing: readonly string[];
}

export interface RenderOptions {
  /** The template is from a file of another system, whose author knew nothing of escapes: what looks like another language stays. */
  readonly keepsForeign?: boolean;
}

/**
 * One pass: a value that itself contains `{{x}}` stays text. A key of `known` without a value is empty; any other
 * becomes `[missing: key]`, so that neither a typo nor an agent's silence stops a run.
 */
export function renderTemplate(
  template: string,
  values: Readonly<Record<string, string>>,
  known: readonly string[],
  { keepsForeign = false }: RenderOptions = {},
): Rendered {
  const optional = new Set(known.map((key) => key.toLowerCase()));
  const missing = new Set<string>();
  const text = fillTemplate(template, (placeholder) => {
    const { key, fallback } = placeholder;
    const value = lookUp(values, key);
    if (fallback !== undefined) return value ? value : fallback;
    if (value !== undefined) return value;
    if (optional.has(key.toLowerCase())) return "";
    if (keepsForeign && looksForeign(template, placeholder)) return null;
    missing.add(key);
    return `[missing: ${key}]`;
  });
  return { text, missing: [...missing] };
}

/** The keys that a template names, as it spells them, each once, in order. */
export function templateKeys(template: string): readonly string[] {
  return [...new Set(placeholdersIn(template).flatMap(({ key, isEscaped }) => (isEscaped ? [] : [key])))];
}

/** The keys without a value, as the template spells them, each once. A default is a value; `mayBeEmpty` says which keys may be empty. */
export function unfilledKeys(
  template: string,
  values: Readonly<Record<string, string>>,
  mayBeEmpty: (key: string) => boolean,
): readonly string[] {
  const unfilled = placeholdersIn(template).filter(({ key, isEscaped, fallback }) => {
    if (isEscaped || fallback !== undefined) return false;
    const value = lookUp(values, key);
    return value === undefined || (value.trim() === "" && !mayBeEmpty(key.toLowerCase()));
  });
  return [...new Set(unfilled.map(({ key }) => key))];
}

/** Own properties only: `{{constructor}}` is a key like any other. */
function lookUp(values: Readonly<Record<string, string>>, key: string): string | undefined {
  if (Object.hasOwn(values, key)) return values[key];
  const folded = key.toLowerCase();
  return Object.hasOwn(values, folded) ? values[folded] : undefined;
}
