// A reader of a form that can only be read whole. It keeps its text up to a size, and says so beyond it.

import { cannotRead, type ResultReader, type ResultsRead } from "./result.ts";

const mostText = 64 * 1024 * 1024;

export function wholeTextReader(read: (text: string) => ResultsRead): ResultReader {
  const pieces: string[] = [];
  let length = 0;
  return {
    add(text) {
      length += text.length;
      if (length > mostText) pieces.length = 0;
      else pieces.push(text);
    },
    end: () => (length > mostText ? cannotRead("it is larger than 64 MiB") : read(pieces.join(""))),
  };
}
