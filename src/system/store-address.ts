// The address of a PostgreSQL store, `postgres://USER@HOST/DATABASE`. Owns: that a password in it is in nothing that is shown, recorded
// or given to other programs than Pawl.

export function isPostgres(store: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(store);
}

export function hasPassword(store: string): boolean {
  const url = isPostgres(store) ? URL.parse(store) : null;
  return url !== null && (url.password !== "" || url.searchParams.has("password"));
}

/** The name of a store for people, files and comparisons. That of a file stays as it is. */
export function withoutPassword(store: string): string {
  if (!isPostgres(store)) return store;
  const url = URL.parse(store);
  // What cannot be read may have a password anywhere.
  if (url === null) return "postgres://…";
  url.password = "";
  url.searchParams.delete("password");
  return url.href;
}
