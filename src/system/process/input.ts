// The input of a running program. Owns: writing to it while the program runs.

import type { Writable } from "node:stream";
import type { InputPipe } from "./call.ts";

export function inputPipe(stdin: Writable): InputPipe {
  return {
    write: (text) =>
      new Promise((resolve) => {
        // Also called with an error when the program has closed the pipe; its exit code then says more than that error.
        stdin.write(text, () => resolve());
      }),
    close: () => void stdin.end(),
  };
}
