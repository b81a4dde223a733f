// Words of a command line. Owns: splitting text where a POSIX shell would, and quoting a word so that it stays one. Variables, patterns
// and operators are not expanded, because no shell will see them.

export type Words =
  | { readonly ok: true; readonly words: readonly string[] }
  | { readonly ok: false; readonly message: string /** Where the quote opens. */; readonly at: number };

// In this order: a line continuation, which is dropped; blanks; 'single'; "double"; \escaped; plain characters.
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

/** Within double quotes a backslash stands for itself, except before the characters that are special there. */
function unescapeDouble(text: string): string {
  return text.replace(/\\\n|\\([$`"\\])/g, "$1");
}

/** Quotes any text as one word for a shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
