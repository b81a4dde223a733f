// System text. Owns: how an agent is told who it is where its program has no place for that: before the prompt.

/** One argument may have 128 KiB on Linux, with all that a program's own way of quoting adds. */
const longestArgument = 100 * 1024;

export function withSystem(system: string | null | undefined, prompt: string): string {
  const told = system?.trim() ?? "";
  return told === "" ? prompt : `${told}\n\n${prompt}`;
}

/** What does not fit among the arguments of a program is told before the prompt. */
export function fitsArgument(text: string): boolean {
  return !text.includes("\0") && Buffer.byteLength(JSON.stringify(text)) <= longestArgument;
}
