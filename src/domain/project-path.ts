// Paths inside of a project, as workflows name them.

/** Why this cannot be a path inside of the project; null: it can. It may have `*` in it, as a line of a .gitignore. */
export function wrongPath(path: string): string | null {
  if (path.trim() === "") return "it is empty";
  if (/[\0\n\r\\]/.test(path)) return "it has a backslash or a line break in it";
  if (/^(?:\/|~|[A-Za-z]:)/.test(path)) return "it is not relative to the project";
  return path.split("/").includes("..") ? "it leads out of the project" : null;
}
