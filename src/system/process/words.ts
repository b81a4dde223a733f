// Words of a command line. Owns: splitting text where a POSIX shell would, and writing a word so that it stays one. Expands nothing: no variable, no pattern,
// no operator; they stay as they are written, since no shell will see them.

export type Words =
  | { readonly ok: true; readonly words: readonly string[] }
  | { readonly ok: false; readonly message: string /** Where the quote opens. */; readonly at: number };

// In turn: a line continuation, which is nothing; blanks; 'single'; "double"; \escaped; a run of plain characters.
const piece = /\\\n|([ \t\n]+)|'([^']*)'|"((?:[^"\\]|\\[^])*)"|\\([^])|([^ \t\n'"\\]+|\\$)/y;

export function splitWords(text: string): Words {
  const words: string[] = [];
  let word: string | null = null; // null between words; "" is a word when it was quoted
  let at = 0;
  while (at < text.length) {
    piece.lastIndex = at;
    const match = piece.exec(text);
    if (match === null) return { ok: false, message: `the quote ${text[at]} is never closed`, at };
    const [all, blanks, single, double, escaped, plain] = match;
    at += all.length;
    const part = single ?? (double === undefined ? undefined : unescapeDouble(double)) ?? escaped ?? plain;
    if (part !== undefined) word = (word ?? "") + part;
    if (blanks !== undefined && word !== null) {
      words.push(word);
      word = null;
    }
  }
  return { ok: true, words: word === null ? words : [...words, word] };
}

/** Within double quotes a backslash is itself, except before the characters that are special there. */
function unescapeDouble(text: string): string {
  return text.replace(/\\\n|\\([$`"\\])/g, "$1");
}

/** One word of a shell's, whatever is in it. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
