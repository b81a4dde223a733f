// The address of a PostgreSQL store, `postgres://USER@HOST/DATABASE`. Owns: that a password in it is in nothing that is shown, recorded
// or given to other programs than Pawl.

export function isPostgres(store: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(store);
}

export function hasPassword(store: string): boolean {
  const url = isPostgres(store) ? URL.parse(store) : null;
  return url !== null && (url.password !== "" || hidden(url).length > 0 || isCutWrong(store));
}

/** The name of a store for people, files and comparisons. That of a file stays as it is. */
export function withoutPassword(store: string): string {
  if (!isPostgres(store)) return store;
  const url = URL.parse(store);
  // What cannot be read may have a password anywhere.
  if (url === null || isCutWrong(store)) return "postgres://…";
  url.password = "";
  for (const name of hidden(url)) url.searchParams.delete(name);
  return url.href;
}

/**
 * A user or a password with `/`, `?` or `#` that is not encoded: `postgres://ada:12/3@host` is, as an address, port 12 of the host
 * `ada`, and the rest of the password is in its path.
 */
export function isCutWrong(store: string): boolean {
  return /^[^:]+:\/\/[^/?#]*[/?#].*@/s.test(store);
}

/** What somebody gave that is not the address of a store: with nothing that may be a password. */
export function shownStore(given: string): string {
  if (/^[\w./~-]+$/.test(given)) return given;
  return `${/^[a-z][a-z0-9+.-]*:(?:\/\/)?/i.exec(given)?.[0] ?? ""}…`;
}

function hidden(url: URL): readonly string[] {
  return [...url.searchParams.keys()].filter((name) => /password/i.test(name));
}
