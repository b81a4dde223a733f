// The evidence of a decision: which file says so, its content as a hash, and the place in it.

export interface Evidence {
  /** As the reader opened it, relative to its folder. */
  readonly file: string;
  /** Of its bytes; null: there is no such file, or it was not read. */
  readonly sha256: string | null;
  /** A JSON Pointer, a line and column, a heading; null: the file as a whole. */
  readonly place: string | null;
}

/** The value of a decision whose files do not say what they mean. Every reader may answer it, and it never leads on by itself. */
export const unknownValue = "unknown";

/** One line for people. A hash is shortened: the whole one is in the facts of the attempt. */
export function evidenceText({ file, sha256, place }: Evidence): string {
  const at = place === null ? "" : ` at ${place}`;
  return `${file}${at} (${sha256 === null ? "not read" : `sha256 ${sha256.slice(0, 12)}`})`;
}
