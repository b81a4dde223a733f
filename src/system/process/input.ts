// The input of a running program. Owns: writing to it over time, for programs that are talked to.

import type { Writable } from "node:stream";
import type { InputPipe } from "./call.ts";

export function inputPipe(stdin: Writable): InputPipe {
  return {
    write: (text) =>
      new Promise((resolve) => {
        // Called with an error, too, when the program has closed its end; its exit then tells more than a broken pipe.
        stdin.write(text, () => resolve());
      }),
    close: () => void stdin.end(),
  };
}
