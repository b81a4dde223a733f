// What was typed into a field of a form, by its name.

/** Without spaces around it; empty: the form has no such field. */
export function typedIn(form: HTMLFormElement, name: string): string {
  const value = new FormData(form).get(name);
  return typeof value === "string" ? value.trim() : "";
}
