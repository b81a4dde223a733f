// Where the page stands: its address as a value, and the ways to another one. Everything that a person may want to send to somebody
// is part of the address: the run, the tab, the moment in time, the filter.

import { computed, signal } from "@preact/signals";

const pageNames = [
  "runs",
  "gates",
  "attempts",
  "compare",
  "workflows",
  "new",
  "projects",
  "sessions",
  "health",
] as const;

export type PageName = "home" | (typeof pageNames)[number] | "nowhere";

export interface Address {
  readonly page: PageName;
  /** `7` of /runs/7; empty: none. */
  readonly id: string;
  /** `lanes` of /runs/7/lanes; empty: none. */
  readonly tab: string;
  readonly query: ReadonlyMap<string, string>;
}

export function addressOf(path: string, search: string): Address {
  const [name = "", id = "", tab = "", ...more] = path.split("/").slice(1).map(decoded);
  const query = new Map(new URLSearchParams(search));
  if (name === "" && id === "") return { page: "home", id: "", tab: "", query };
  const page = pageNames.find((each) => each === name);
  return page === undefined || more.length > 0 ? { page: "nowhere", id, tab, query } : { page, id, tab, query };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** `/runs/7/lanes?at=175`; keys without a value are left out. */
export function pathTo(
  parts: readonly (string | number)[],
  query: Readonly<Record<string, string | null>> = {},
): string {
  const given = Object.entries(query).flatMap(([key, value]) => (value === null || value === "" ? [] : [[key, value]]));
  const search = new URLSearchParams(given).toString();
  return `/${parts.map((part) => encodeURIComponent(part)).join("/")}${search === "" ? "" : `?${search}`}`;
}

const place = signal("/");

export const address = computed(() => {
  const [path = "/", search = ""] = place.value.split("?", 2);
  return addressOf(path, search);
});

/** The page follows the browser's own address from now on. */
export function followAddress(): void {
  const look = () => {
    place.value = location.pathname + location.search;
  };
  look();
  addEventListener("popstate", look);
  addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (link === null || !isPlain || event.defaultPrevented || link.target !== "" || link.origin !== location.origin)
      return;
    // A link within the page is the browser's own.
    if (link.hash !== "" && link.pathname === location.pathname) return;
    event.preventDefault();
    go(link.pathname + link.search);
  });
}

export function go(path: string): void {
  const [next = "/", part = ""] = path.split("#", 2);
  if (next === place.value) {
    document.getElementById(part)?.scrollIntoView();
    return;
  }
  const isOther = next.split("?")[0] !== place.value.split("?")[0];
  history.pushState(null, "", path);
  place.value = next;
  if (!isOther) return;
  scrollTo(0, 0);
  // Whoever listens to the page hears that it is another one.
  document.querySelector<HTMLElement>("main")?.focus({ preventScroll: true });
}

/** Changes keys of the query in place: the way back does not lead through each of them. */
export function setQuery(changes: Readonly<Record<string, string | null>>): void {
  const url = new URL(place.value, location.origin);
  for (const [key, value] of Object.entries(changes))
    if (value === null || value === "") url.searchParams.delete(key);
    else url.searchParams.set(key, value);
  const path = url.pathname + url.search;
  if (path === place.value) return;
  history.replaceState(null, "", path);
  place.value = path;
}
