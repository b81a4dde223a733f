// Words that were found in a text, marked. Owns: where in a text they are, in whatever case.

interface MarkedPiece {
  readonly text: string;
  readonly isFound: boolean;
}

export function marked(text: string, words: string): readonly MarkedPiece[] {
  const [searched, wanted] = [text.toLowerCase(), words.toLowerCase()];
  // Some letters have another length in the other case: places in one would be wrong in the other.
  if (wanted === "" || searched.length !== text.length) return [{ text, isFound: false }];
  const pieces: MarkedPiece[] = [];
  let at = 0;
  for (let found = searched.indexOf(wanted); found !== -1; found = searched.indexOf(wanted, at)) {
    if (found > at) pieces.push({ text: text.slice(at, found), isFound: false });
    at = found + wanted.length;
    pieces.push({ text: text.slice(found, at), isFound: true });
  }
  if (at < text.length) pieces.push({ text: text.slice(at), isFound: false });
  return pieces;
}
