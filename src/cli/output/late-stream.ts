// The standard streams. Owns: meeting one of them when it is first used, and writing without it. Node loads code for 2 ms to make them, and
// most commands print one document.

import { writeSync } from "node:fs";
import { systemCode } from "../../domain/error.ts";

type Name = "stdout" | "stderr";

/** Calls `meet` with the stream before anybody uses it; at once where nobody can be noticed who uses it. */
export function whenUsed(name: Name, meet: (stream: NodeJS.WriteStream) => void): void {
  const own = Object.getOwnPropertyDescriptor(process, name);
  if (own?.get === undefined) {
    meet(process[name]);
    return;
  }
  const get = () => {
    Object.defineProperty(process, name, own);
    const stream = process[name];
    meet(stream);
    return stream;
  };
  Object.defineProperty(process, name, { ...own, get });
}

const stdout = 1;

/** Writes to stdout. Returns what the reader does not take yet: its pipe is full, and does not let a writer wait. */
export function writeAtOnce(text: string): Uint8Array {
  let rest: Uint8Array = Buffer.from(text);
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(stdout, rest));
  } catch (error) {
    if (systemCode(error) !== "EAGAIN") throw error;
  }
  return rest;
}
