// The filters that were kept, as links, and keeping the present one.

import { signal, useSignal } from "@preact/signals";
import { address, pathTo } from "../address.ts";
import { typedIn } from "../parts/form-text.ts";
import { home as texts } from "../texts/home.ts";
import { type Filter, filtersIn, isEmpty, isSame, withFilter, withoutFilter } from "./filters.ts";

const key = "pawl.filters";
const filters = signal<readonly Filter[]>(filtersIn(localStorage.getItem(key)));

addEventListener("storage", (event) => {
  if (event.key === key) filters.value = filtersIn(event.newValue);
});

export function SavedFilters() {
  const isNaming = useSignal(false);
  const { query } = address.value;
  const present = { words: query.get("q") ?? "", status: query.get("status") ?? "" };
  const isKept = filters.value.some((filter) => isSame(filter, present));
  if (filters.value.length === 0 && isEmpty(present)) return null;
  return (
    <div class="filters" role="group" aria-label={texts.filters.label}>
      {filters.value.map((filter) => (
        <span key={filter.name} class="filter">
          <a
            href={pathTo([""], { q: filter.words, status: filter.status })}
            aria-current={isSame(filter, present) ? "true" : undefined}
          >
            {filter.name}
          </a>
          <button
            type="button"
            class="quiet"
            aria-label={texts.filters.forget(filter.name)}
            title={texts.filters.forget(filter.name)}
            onClick={() => keep(withoutFilter(filters.value, filter.name))}
          >
            ×
          </button>
        </span>
      ))}
      {isEmpty(present) || isKept ? null : isNaming.value ? (
        <form
          class="filter-form"
          onSubmit={(event) => {
            event.preventDefault();
            const name = typedIn(event.currentTarget, "name");
            keep(withFilter(filters.value, { name, ...present }));
            isNaming.value = false;
          }}
        >
          <input
            name="name"
            required
            maxLength={40}
            aria-label={texts.filters.name}
            placeholder={texts.filters.name}
            ref={(field) => field?.focus()}
          />
          <button type="submit">{texts.filters.keep}</button>
        </form>
      ) : (
        <button type="button" class="quiet" onClick={() => (isNaming.value = true)}>
          {texts.filters.keepThis}
        </button>
      )}
      {isEmpty(present) ? null : <a href="/">{texts.filters.clear}</a>}
    </div>
  );
}

function keep(next: readonly Filter[]): void {
  filters.value = next;
  localStorage.setItem(key, JSON.stringify(next));
}
