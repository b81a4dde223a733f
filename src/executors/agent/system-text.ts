// Puts the agent's role before the prompt if the program has no place for it.

/** An argument may have 128 KiB on Linux, including what a program's own quoting adds. */
const longestArgument = 100 * 1024;

export function withSystem(system: string | null | undefined, prompt: string): string {
  const told = system?.trim() ?? "";
  return told === "" ? prompt : `${told}\n\n${prompt}`;
}

/** A text that is too long for an argument goes before the prompt. */
export function fitsArgument(text: string): boolean {
  return !text.includes("\0") && Buffer.byteLength(JSON.stringify(text)) <= longestArgument;
}
