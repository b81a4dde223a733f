// Filters of the list of runs that a person keeps under a name. A filter is an address, so it can be sent to somebody as well.

export interface Filter {
  readonly name: string;
  /** Words of the search; empty: none. */
  readonly words: string;
  /** Empty: any. */
  readonly status: string;
}

const longestName = 40;
const most = 30;

/** A name that is there means that filter from now on. */
export function withFilter(filters: readonly Filter[], filter: Filter): readonly Filter[] {
  const name = filter.name.trim().slice(0, longestName);
  if (name === "" || isEmpty(filter)) return filters;
  return [...filters.filter((each) => each.name !== name), { ...filter, name }].slice(-most);
}

export function withoutFilter(filters: readonly Filter[], name: string): readonly Filter[] {
  return filters.filter((each) => each.name !== name);
}

export function isEmpty({ words, status }: Omit<Filter, "name">): boolean {
  return words.trim() === "" && status === "";
}

export function isSame(one: Omit<Filter, "name">, other: Omit<Filter, "name">): boolean {
  return one.words === other.words && one.status === other.status;
}

/** What localStorage has; what is not a filter is left out. */
export function filtersIn(text: string | null): readonly Filter[] {
  try {
    const found: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(found) ? found.filter(isFilter).slice(-most) : [];
  } catch {
    return [];
  }
}

function isFilter(value: unknown): value is Filter {
  if (typeof value !== "object" || value === null) return false;
  const { name, words, status } = value as Partial<Filter>;
  return typeof name === "string" && name !== "" && typeof words === "string" && typeof status === "string";
}
